package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches sftp and scp URLs, both by SFTP. Without KnownHosts it trusts no server. Its
// fields must not change in use. Its functions may be called by several goroutines at once.
type Fetcher struct {
	// Network is how servers are reached.
	Network *fetchers.Network

	// User is who logs in where neither the URL, the Login of the Request nor the Host names
	// anybody. If empty, that is "anonymous". A URL that the user did not name has "anonymous"
	// too.
	User string

	// KnownHosts has the keys of servers. A server that it does not know is a HostKeyError.
	KnownHosts *KnownHosts

	// HostKey is the fingerprint, "SHA256:…", of the key that the server of each URL must have, also
	// one that is known. A server that the user named need not be known then. Hosts on the way
	// have keys of their own, which have to be known. "" is any key that is known.
	HostKey string

	// AcceptNew is called for a server that the user named and that is not known, with the error
	// that says so and the line that the file of known hosts would have. If it returns nil, the
	// server is trusted until the Fetcher is no longer used, with that key and no other. If
	// AcceptNew is nil, or somebody else named the server, it is not trusted.
	AcceptNew func(unknown *HostKeyError, line string) error

	// Keys are offered to servers that the user named, after those of the agent.
	Keys []Key

	// Agent connects to the agent that holds keys (draft-ietf-sshm-ssh-agent). It may be nil.
	Agent func(ctx context.Context) (io.ReadWriteCloser, error)

	// Host returns what the user has configured for a host of a URL, such as the section of
	// ~/.ssh/config. The user is that of the URL or the Login, or "". It may be nil. It is asked
	// for a URL that the user named only.
	Host func(name, user string) (Host, error)

	// Ask asks the user: for the passphrase of a key, and what a server asks by
	// keyboard-interactive (RFC 4256) beside the password. If nil, nobody is asked.
	Ask func(ctx context.Context, q Question) (answer string, err error)

	// NoReuse closes each connection after a single fetch. Otherwise some are kept for a while,
	// until CloseIdle, and used again for the same server and login.
	NoReuse bool

	pool     transport.Pool[key, *session]
	links    links
	met      met
	unlocked unlocked
}

// A Question is for the user.
type Question struct {
	User, Host  string // who logs in, and where
	Instruction string // of the server, for all questions; it may be empty or have several lines
	Text        string // the question; octets of the server are as they came
	Echo        bool   // the answer may be shown

	// Server says that the server asks and gets the answer: Instruction and Text are its words,
	// which may be those of any other question.
	Server bool
}

// A key says for whom a link may be used again.
type key struct {
	addr           string // of the server
	host           string // of the URL, for which the user may have configured a way to the server
	user, password string
	given          bool // there is a password
	named          fetchers.Namer
}

type lease = transport.Lease[key, *session]

// Fetch fetches req on a session of its own. If req has Multiplex, the session shares its
// connection with others.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := req.URL.SFTP()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	d, err := f.destination(req)
	if err != nil {
		return nil, fetchers.NewError("connect", req.URL, err)
	}
	shares := req.Multiplex && !fetchers.ContextTrace(ctx).Tapped()
	return f.pool.Fetch(ctx, &transport.Errand[key, *session]{
		Request: req,
		Key:     d.key,
		Terms:   transport.Terms{Network: f.Network, Host: d.key.addr, Never: f.NoReuse},
		Cost:    func(s *session) (int, bool) { return 0, shares || s.link.lonely() },
		Open: func(ctx context.Context) (*session, error) {
			l, err := f.links.enter(ctx, d.key, shares, func() (*link, error) { return f.connect(ctx, d) })
			var refused *fetchers.StatusError
			if errors.As(err, &refused) {
				err = fetchers.NewError("login", req.URL, err)
			}
			if err != nil {
				return nil, err
			}
			s := newSession(ctx, f, l, d.key)
			if s.tap != nil {
				s.tap.Sent(hello())
				s.tap.Got(l.version)
			}
			return s, nil
		},
		Talk: func(l *lease) (*fetchers.Resource, error) {
			l.Session.lease = l
			l.Session.link.claim(!shares)
			res, err := l.Session.fetch(req, what)
			if err == nil && shares {
				res.Streams = maxSessions
			}
			return res, err
		},
		Judge: judge,
	})
}

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// fetch looks at what a path names, and gets it. It looks before it opens, as a server waits at
// a FIFO that is opened, and a device may do anything.
func (s *session) fetch(req *fetchers.Request, what url.SFTP) (*fetchers.Resource, error) {
	a, err := s.stat(newPacket(fxStat, 0).text(what.Path), fmt.Sprintf("STAT %q", what.Path))
	switch {
	case err != nil:
		return nil, err
	case a.Moded && a.Mode.IsDir():
		return s.directory(req, what)
	case a.Moded && !a.Mode.IsRegular() && a.Mode&fs.ModeType != 0:
		return nil, fmt.Errorf("%w: a file of type %q", fetchers.ErrNotRetrievable, (a.Mode & fs.ModeType).String()[:1])
	}
	return s.document(req, what, a)
}

// done ends the exchange and makes res one without a Body.
func (s *session) done(res *fetchers.Resource) *fetchers.Resource {
	res.SetBody(nil)
	s.lease.Done()
	return res
}
