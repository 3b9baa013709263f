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

// A Fetcher fetches sftp and scp URLs, both with SFTP. Without KnownHosts it trusts no server. Its
// fields must not change in use. Its functions have to be safe for concurrent use.
type Fetcher struct {
	// Network connects to servers.
	Network *fetchers.Network

	// User is the user name if neither the URL, the Login of the Request nor the Host has one. If
	// empty, it is "anonymous". A URL that the user did not name always has "anonymous".
	User string

	// KnownHosts holds the keys of servers. An unknown server is a HostKeyError.
	KnownHosts *KnownHosts

	// HostKey is the required fingerprint, "SHA256:…", of the key of every server, known or not. A
	// server that the user named need not be in KnownHosts then. Jump hosts have their own keys,
	// which must be known. "" accepts any known key.
	HostKey string

	// AcceptNew is called for an unknown server that the user named, with the error and a line for
	// a known_hosts file. If it returns nil, this Fetcher trusts the server from then on, with that
	// key only. If AcceptNew is nil, or the user did not name the server, the server is not
	// trusted.
	AcceptNew func(unknown *HostKeyError, line string) error

	// Keys are offered to servers that the user named, after those of the agent.
	Keys []Key

	// Agent connects to the agent with the user's keys (draft-ietf-sshm-ssh-agent). It may be nil.
	Agent func(ctx context.Context) (io.ReadWriteCloser, error)

	// Host returns the user's configuration for a host of a URL, such as the section of
	// ~/.ssh/config. user is that of the URL or the Login, or "". It may be nil. It is called only
	// for a URL that the user named.
	Host func(name, user string) (Host, error)

	// Ask asks the user for the passphrase of a key, and for answers to keyboard-interactive
	// questions (RFC 4256) other than the password. If nil, such questions fail.
	Ask func(ctx context.Context, q Question) (answer string, err error)

	// NoReuse closes each connection after a single fetch. Otherwise idle connections are kept for
	// a while, until CloseIdle, for the same server and login.
	NoReuse bool

	pool     transport.Pool[key, *session]
	links    links
	met      met
	unlocked unlocked
}

// A Question is a question to the user.
type Question struct {
	User, Host  string // the login
	Instruction string // from the server, for all questions; it may be empty or have several lines
	Text        string // the question; text from the server is unmodified
	Echo        bool   // the answer may be shown

	// Server is true if the server asks and gets the answer: Instruction and Text are from the
	// server, which may imitate any other question.
	Server bool
}

// A key identifies the links that a fetch may reuse.
type key struct {
	addr           string // of the server
	host           string // of the URL; the user may have configured jump hosts for it
	user, password string
	given          bool // there is a password
	named          fetchers.Namer
}

type lease = transport.Lease[key, *session]

// Fetch fetches req in its own session. If req has Multiplex, the session shares its connection
// with others.
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

// CloseIdle closes the kept connections.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// fetch requests the attributes of a path, and then its content. It checks the type before it
// opens, since a server blocks on opening a FIFO, and a device may have side effects.
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

// done ends the exchange and makes res a Resource without a Body.
func (s *session) done(res *fetchers.Resource) *fetchers.Resource {
	res.SetBody(nil)
	s.lease.Done()
	return res
}
