package wais

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches wais URLs. Its zero value is ready to use. Its fields must not
// change in use.
type Fetcher struct {
	// Network is how servers are reached.
	Network *fetchers.Network

	// MaxHits is how many hits a search asks for; 0 means 100. It is never more
	// than 5000, since some servers make room for as many before they look.
	MaxHits int

	// Like holds document-ids. A search then asks for documents like those, too
	// ("relevance feedback"), and need not have words. They mean something to the
	// server that has made them only.
	Like []string

	// Chunk is how many octets of a document are asked for at once; 0 means
	// 10000, as clients of the time did. Where that is too much for a server it
	// is less.
	Chunk int

	// Servers bear any number of requests on one connection, also after a
	// diagnostic, and wait for an hour. There are no logins.
	idle wire.Idle[string, *session]
}

const (
	usualHits  = 100
	mostHits   = 5000
	usualChunk = 10_000
)

// Fetch fetches req on a connection of its own, which may be one that an earlier
// fetch has left.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	what, err := question(req.URL)
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	if s := f.kept(req); s != nil {
		s.bind(ctx)
		s.trace.Reuse(s.conn.RemoteAddr().String())
		res, err := s.fetch(req, what)
		if err == nil {
			return res, nil
		}
		if s.heard || ctx.Err() != nil {
			s.release()
			return nil, fetchers.NewError("fetch", req.URL, err)
		}
		s.trace.Note("the kept connection is of no more use, so a new one is made")
		s.drop()
	}
	s, err := f.open(ctx, req)
	if err != nil {
		return nil, err
	}
	res, err := s.fetch(req, what)
	if err != nil {
		s.release()
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	return res, nil
}

// kept returns a kept session for req, or nil. What a server has said meanwhile would be
// taken for the answer to what comes next.
func (f *Fetcher) kept(req *fetchers.Request) *session {
	for {
		s, _, ok := f.idle.Take(req.URL.Addr(), nil)
		switch {
		case !ok:
			return nil
		case s.conn.Quiet():
			return s
		}
		s.drop()
	}
}

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() { f.idle.Close() }

// fetch asks what the URL asks.
func (s *session) fetch(req *fetchers.Request, what url.WAIS) (*fetchers.Resource, error) {
	switch {
	case what.WPath != "":
		return s.document(req, what)
	case what.Search != "" || len(s.f.Like) > 0:
		return s.hits(req, what)
	}
	return s.index(req, what) // no words are a question for the description
}

// What is sent is bounded by what servers have room for. A name of a database is a
// file name to them; of words, 5000 octets are known to be fine; and a request must
// stay below 100,000 octets, which they do not check.
const (
	maxName  = 255
	maxWords = 8 << 10
	maxID    = 64 << 10
)

// question returns what u asks, if it can be asked. Octets below 20 hex separate
// names, or end them, for servers.
func question(u *url.URL) (url.WAIS, error) {
	what, err := u.WAIS()
	if err != nil {
		return what, err
	}
	// Browsers showed documents of several types with a list of them.
	what.WType, _, _ = strings.Cut(what.WType, ",")
	reason := ""
	switch {
	case strings.ContainsFunc(what.Database+what.WType+what.Search, func(r rune) bool { return r < ' ' }):
		reason = "a control character in the database, type or search words"
	case what.WPath != "" && what.WType == "":
		reason = "no type"
	case len(what.Database) > maxName, len(what.WType) > maxName:
		reason = fmt.Sprintf("a name of more than %d octets", maxName)
	case len(what.Search) > maxWords:
		reason = fmt.Sprintf("search words of more than %d octets", maxWords)
	case len(what.WPath) > maxID:
		reason = fmt.Sprintf("a document-id of more than %d octets", maxID)
	default:
		return what, nil
	}
	return what, &url.Error{Pos: -1, Reason: reason}
}

func (f *Fetcher) maxHits() int64 {
	if f.MaxHits <= 0 {
		return usualHits
	}
	return int64(min(f.MaxHits, mostHits))
}
