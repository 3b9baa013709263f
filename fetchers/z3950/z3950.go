package z3950

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/internal/z3950"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches z39.50r and z39.50s URLs. The zero value is ready to use. Its fields must not
// change in use.
type Fetcher struct {
	// Network connects to servers.
	Network *fetchers.Network

	// MaxHits is the maximum number of listed search results; 0 means 100.
	MaxHits int

	pool transport.Pool[key, *session]
}

const usualHits = 100

// A key identifies the sessions that a fetch may reuse.
type key struct {
	addr, user, password string
	login, passwordSet   bool
}

// keyOf returns the key for req.
func keyOf(req *fetchers.Request) key {
	k := key{addr: req.URL.Addr()}
	if c, passwordSet := req.Credential(); c != nil {
		k.user, k.password, k.login, k.passwordSet = c.User, c.Password, true, passwordSet
	}
	return k
}

// init returns the message that begins a session.
func (k key) init() *z3950.Init {
	m := &z3950.Init{
		Versions: z3950.Versions, Options: z3950.OptionSearch | z3950.OptionPresent | z3950.OptionNamedSets,
		PreferredMessageSize: messageSize, ExceptionalRecordSize: recordSize,
		ImplementationID: "fetch", ImplementationName: "fetch", ImplementationVersion: "1",
	}
	if k.login {
		m.Login = &z3950.Login{User: k.user, Password: k.password, PasswordSet: k.passwordSet}
	}
	return m
}

// Fetch fetches req in a new session, or in a kept one of an earlier fetch.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := target(req.URL)
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	k := keyOf(req)
	return f.pool.Fetch(ctx, &transport.Errand[key, *session]{
		Request: req,
		Key:     k,
		Terms:   transport.Terms{Network: f.Network, Host: k.addr},
		Open:    func(ctx context.Context) (*session, error) { return f.open(ctx, k) },
		Talk: func(l *lease) (*fetchers.Resource, error) {
			l.Session.lease = l
			return l.Session.fetch(req, what)
		},
		Judge: judge,
	})
}

type lease = transport.Lease[key, *session]

// judge returns the verdict on a session after a failure.
func judge(l *lease, _ error) transport.Verdict {
	switch s := l.Session; {
	case !s.heard:
		return transport.Stale
	case !s.InStep():
		return transport.Broken
	}
	return transport.Refused
}

// CloseIdle closes the kept connections.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// fetch fetches the object of the URL.
func (s *session) fetch(req *fetchers.Request, what url.Z3950) (*fetchers.Resource, error) {
	switch {
	case what.Retrieval:
		return s.retrieve(req, what)
	case what.DocID == "":
		return s.index(req, what)
	case what.Position > 0:
		return s.positioned(req, what)
	}
	return s.hits(req, what)
}

// Limits for requests, according to servers.
const (
	maxName      = 255
	maxTerm      = 8 << 10
	maxDatabases = 100
)

// target returns the parts of u, or an error if they cannot be sent.
func target(u *url.URL) (url.Z3950, error) {
	what, err := u.Z3950()
	if err != nil {
		return what, err
	}
	reason := ""
	for _, name := range append(append([]string{what.ElementSet}, what.Databases...), what.Syntaxes...) {
		if len(name) > maxName {
			reason = fmt.Sprintf("a name of more than %d bytes", maxName)
		}
	}
	switch {
	case reason != "":
	case len(what.DocID) > maxTerm:
		reason = fmt.Sprintf("a docid or search words of more than %d bytes", maxTerm)
	case len(what.Databases) > maxDatabases || len(what.Syntaxes) > maxDatabases:
		reason = fmt.Sprintf("a list of more than %d names", maxDatabases)
	case !what.Retrieval && what.DocID != "" && len(words(what.DocID)) == 0:
		reason = "no search words"
	case !what.Retrieval && len(words(what.DocID)) > maxOperands:
		reason = fmt.Sprintf("more than %d search words", maxOperands)
	default:
		return what, nil
	}
	return what, &url.Error{Pos: -1, Reason: reason}
}

func (f *Fetcher) maxHits() int64 {
	if f.MaxHits <= 0 {
		return usualHits
	}
	return int64(f.MaxHits)
}

// usualDatabase is the default database: the usual name in servers with a single database.
const usualDatabase = "Default"

// index returns the session itself: a form for a search. Its Body is information about the server.
func (s *session) index(req *fetchers.Request, what url.Z3950) (*fetchers.Resource, error) {
	if len(what.Databases) == 0 {
		what.Databases = []string{usualDatabase}
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Index, MediaType: "text/plain", Query: func(words string) *url.URL {
		search := what
		search.DocID, search.DocIDSet = words, true
		return search.URL()
	}}
	body := s.about()
	res.Size = int64(len(body))
	if req.Describe {
		body = ""
	}
	s.lease.Done()
	res.SetBody(textBody{strings.NewReader(body)})
	return res, nil
}

// A textBody is a Body in memory.
type textBody struct{ *strings.Reader }

func (textBody) Close() error { return nil }
