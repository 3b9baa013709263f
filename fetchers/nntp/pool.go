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

// A key identifies the fetches that may use the same connection.
type key struct {
	addr           string
	secure         bool // snews, nntps
	user, password string
	given          bool // whether there is a user
	passwordSet    bool
	named          fetchers.Namer // Namer of the server: only ByUser presents a client certificate
}

func (f *Fetcher) keyOf(req *fetchers.Request, what target) key {
	k := key{addr: what.addr(), secure: what.Secure, named: req.Named}
	if who, set := req.Credential(); who != nil {
		k.user, k.password, k.given, k.passwordSet = who.User, who.Password, true, set
	}
	return k
}

// The types of the pool of sessions.
type (
	pool   = transport.Pool[key, *session]
	lease  = transport.Lease[key, *session]
	errand = transport.Errand[key, *session]
)

// errand returns the fetch of what as an Errand.
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
	case s.broken != nil: // the server has closed it, or does not answer its commands
		return transport.Stale
	case s.InStep() && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fetchers.ErrLogin) || refused(err)):
		return transport.Refused
	}
	return transport.Broken
}

// CloseIdle closes the kept connections.
func (f *Fetcher) CloseIdle() { f.pool.CloseIdle() }

// way returns how many commands s needs to enter a group. A fetch with a Tap, which cannot read
// compressed data, prefers another session.
func (s *session) way(group string, tapped bool) (steps int) {
	if s.group != group {
		steps++
	}
	if tapped && s.packer != nil {
		steps += 10
	}
	return steps
}

// Bind makes s obey ctx in place of an earlier context. A Tap does not receive compressed data.
func (s *session) Bind(ctx context.Context) {
	if s.packer != nil {
		ctx = fetchers.WithoutTap(ctx)
	}
	s.conn.Bind(ctx)
	s.trace = s.conn.Trace()
}

// Unbind detaches s from its context.
func (s *session) Unbind() {
	s.conn.Unbind()
	s.trace = s.conn.Trace()
}

// Quiet reports whether the server has sent nothing since its answer. The end of a compressed
// answer may arrive after all of its data.
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

// Ping sends DATE. Any answer will do.
func (s *session) Ping() bool {
	r, err := s.command("DATE")
	return err == nil && r.Code != 400
}

// InStep reports whether all answers were read, and the server has sent nothing else.
func (s *session) InStep() bool { return s.broken == nil && s.owed == 0 && s.in.Buffered() == 0 }

// Quit sends QUIT, and does not wait for the answer.
func (s *session) Quit() { s.send("QUIT") }

// Close closes the connection, whatever its state.
func (s *session) Close() error { return s.conn.Close() }

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// LocalAddr returns the local address.
func (s *session) LocalAddr() net.Addr { return s.conn.LocalAddr() }

// TLS returns the state of TLS, or nil.
func (s *session) TLS() *tls.ConnectionState { return s.conn.TLS() }
