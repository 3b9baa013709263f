package wais

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches wais URLs. The zero value is ready to use. Its fields must not change in use.
type Fetcher struct {
	// Network connects to servers.
	Network *fetchers.Network

	// MaxHits is the maximum number of requested hits; 0 means 100. It is limited to 5000, since
	// some servers allocate memory for all of them at once.
	MaxHits int

	// Chunk is the size of the requested ranges of a document in bytes; 0 means 10000, as in
	// clients of that time. It is smaller if the server has a lower limit.
	Chunk int

	// Servers accept any number of requests on one connection, also after a diagnostic, and keep it
	// open for an hour. There are no logins, so that the address is the key.
	pool transport.Pool[string, *session]
}

const (
	usualHits  = 100
	mostHits   = 5000
	usualChunk = 10_000
)

// Fetch fetches req. It uses a new connection, or a kept one of an earlier fetch.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := question(req.URL)
	var like []string
	if err == nil {
		like, err = documentsOf(req, what)
	}
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	return f.pool.Fetch(ctx, &transport.Errand[string, *session]{
		Request: req,
		Key:     req.URL.Addr(),
		Terms:   transport.Terms{Network: f.Network, Host: req.URL.Addr()},
		Open:    func(ctx context.Context) (*session, error) { return f.open(ctx, req.URL.Addr()) },
		Talk: func(l *lease) (*fetchers.Resource, error) {
			l.Session.lease = l
			return l.Session.fetch(req, what, like)
		},
		Judge: judge,
	})
}

type lease = transport.Lease[string, *session]

// judge returns the verdict on a session after a failure.
func judge(l *lease, _ error) transport.Verdict {
	switch s := l.Session; {
	case !s.heard:
		return transport.Stale
	case s.broken:
		return transport.Broken
	}
	return transport.Refused
}

// CloseIdle closes the kept connections.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// fetch makes the request of the URL.
func (s *session) fetch(req *fetchers.Request, what url.WAIS, like []string) (*fetchers.Resource, error) {
	switch {
	case what.WPath != "":
		return s.document(req, what)
	case what.Search != "" || len(like) > 0:
		return s.hits(req, what, like)
	}
	return s.index(req, what) // without words, fetch the description
}

// Limits for requests, according to the servers. A database name is a file name for them; 5000
// bytes of words are known to work; and they do not check their limit of 100,000 bytes for a
// request.
const (
	maxName  = 255
	maxWords = 8 << 10
	maxID    = 64 << 10
)

// question returns the query of u, or an error if it cannot be sent. Servers treat bytes below 0x20
// as separators or terminators of names.
func question(u *url.URL) (url.WAIS, error) {
	what, err := u.WAIS()
	if err != nil {
		return what, err
	}
	// Old browsers put a list of types into the URL of a document with several types.
	what.WType, _, _ = strings.Cut(what.WType, ",")
	reason := ""
	switch {
	case strings.ContainsFunc(what.Database+what.WType+what.Search, func(r rune) bool { return r < ' ' }):
		reason = "a control character in the database, type or search words"
	case what.WPath != "" && what.WType == "":
		reason = "no type"
	case len(what.Database) > maxName, len(what.WType) > maxName:
		reason = fmt.Sprintf("a name of more than %d bytes", maxName)
	case len(what.Search) > maxWords:
		reason = fmt.Sprintf("search words of more than %d bytes", maxWords)
	case len(what.WPath) > maxID:
		reason = fmt.Sprintf("a document-id of more than %d bytes", maxID)
	default:
		return what, nil
	}
	return what, &url.Error{Pos: -1, Reason: reason}
}

// documentsOf returns the document-ids of req.Like, each once: a document of several types has
// a URL for each of them. They mean nothing to a server that has not made them.
func documentsOf(req *fetchers.Request, what url.WAIS) ([]string, error) {
	var ids []string
	size := 0
	for _, u := range req.Like {
		if u == nil {
			return nil, &url.Error{Pos: -1, Reason: "relevance feedback from a document without a URL"}
		}
		w, err := question(u)
		reason := ""
		switch {
		case err != nil:
			return nil, err
		case what.WPath != "":
			reason = "relevance feedback for a document: it is for a search"
		case w.WPath == "":
			reason = "relevance feedback from a URL that is not that of a document"
		case u.Addr() != req.URL.Addr():
			reason = "relevance feedback from a document of another server"
		case !slices.Contains(ids, w.WPath):
			ids = append(ids, w.WPath)
			size += len(w.WPath)
		}
		if size > maxID {
			reason = fmt.Sprintf("relevance feedback with document-ids of more than %d octets", maxID)
		}
		if reason != "" {
			return nil, &url.Error{Pos: -1, Reason: reason}
		}
	}
	return ids, nil
}

func (f *Fetcher) maxHits() int64 {
	if f.MaxHits <= 0 {
		return usualHits
	}
	return int64(min(f.MaxHits, mostHits))
}
