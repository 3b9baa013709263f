package nntp

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A key says for whom a connection may be used again.
type key struct {
	addr           string
	secure         bool // snews, nntps
	user, password string
	given          bool // there is a user
	passwordSet    bool
	named          fetchers.Namer // who named the server: only one that the user named gets a certificate
}

func (f *Fetcher) keyOf(req *fetchers.Request, what target) key {
	k := key{addr: what.addr(), secure: what.Secure, named: req.Named}
	if who, set := req.Credential(); who != nil {
		k.user, k.password, k.given, k.passwordSet = who.User, who.Password, true, set
	}
	return k
}

// The sessions of a Fetcher.
type (
	pool   = transport.Pool[key, *session]
	lease  = transport.Lease[key, *session]
	errand = transport.Errand[key, *session]
)

// errand returns a fetch of what, as the pool sees it.
func (f *Fetcher) errand(ctx context.Context, req *fetchers.Request, what target) *errand {
	k, tapped := f.keyOf(req, what), fetchers.ContextTrace(ctx).Tapped()
	return &errand{
		Request: req,
		Key:     k,
		Terms:   transport.Terms{Network: f.Network, Host: k.addr, Never: f.NoReuse, Patience: f.Network.StallLimit()},
		Cost:    func(s *session) (int, bool) { return s.way(what.Group, tapped), true },
		Open:    func(ctx context.Context) (*session, error) { return f.open(ctx, k, what.Host) },
		Talk: func(l *lease) (*fetchers.Resource, error) {
			l.Session.lease = l
			return l.Session.converse(req, what)
		},
		Judge:   judge,
		Crowded: isCrowded,
	}
}

// judge returns the verdict on a session after a failure.
func judge(l *lease, err error) transport.Verdict {
	s := l.Session
	switch {
	case s.broken != nil: // the server has closed it, or does not answer what it is asked
		return transport.Stale
	case s.InStep() && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fetchers.ErrLogin) || refused(err)):
		return transport.Refused
	}
	return transport.Broken
}

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// way returns how many commands it takes to get into a group. For a fetch with a Tap, which
// cannot read what is compressed, another session is better.
func (s *session) way(group string, tapped bool) (steps int) {
	if s.group != group {
		steps++
	}
	if tapped && s.packer != nil {
		steps += 10
	}
	return steps
}

// Bind makes s obey ctx in place of the context it obeyed before. A Tap hears nothing of what is
// compressed.
func (s *session) Bind(ctx context.Context) {
	if s.packer != nil {
		ctx = fetchers.WithoutTap(ctx)
	}
	s.conn.Bind(ctx)
	s.trace = s.conn.Trace()
}

// Unbind makes s obey no context.
func (s *session) Unbind() {
	s.conn.Unbind()
	s.trace = s.conn.Trace()
}

// Quiet reports whether the server has said nothing since its answer. Of one that was
// compressed the end may come after all that it says.
func (s *session) Quiet() bool {
	if s.inflater == nil {
		return s.conn.Quiet()
	}
	var octets [64]byte
	n, open := s.conn.Pending(octets[:])
	if !open || n == len(octets) || s.conn.TLS() != nil && n > 0 {
		return false
	}
	return s.inflater.silent(octets[:n])
}

// Ping asks for the date. Whatever the server answers, it is there.
func (s *session) Ping() bool {
	r, err := s.command("DATE")
	return err == nil && r.Code != 400
}

// InStep reports whether the server has said all that it was asked, and nothing else.
func (s *session) InStep() bool { return s.broken == nil && s.owed == 0 && s.in.Buffered() == 0 }

// Quit takes leave; the answer is not waited for.
func (s *session) Quit() { s.send("QUIT") }

// Close closes the connection, in whatever state it is.
func (s *session) Close() error { return s.conn.Close() }

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// LocalAddr returns the address of this end.
func (s *session) LocalAddr() net.Addr { return s.conn.LocalAddr() }

// TLS returns the state of TLS, or nil.
func (s *session) TLS() *tls.ConnectionState { return s.conn.TLS() }
