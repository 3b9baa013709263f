package http

import (
	"context"
	"errors"
	"sync"
	"time"
)

// In TLS, client and server negotiate the version of HTTP (RFC 7301). Requests to one server need a
// single connection for HTTP/2, but one each for HTTP/1.1. Therefore the first request negotiates
// alone, and the others wait for the result.

// The names of the versions in ALPN.
const (
	http1 = "http/1.1"
	http2 = "h2"
)

// errNotHTTP2 is the error of a Fetcher whose Protocols have HTTP/2 only.
var errNotHTTP2 = errors.New("the server does not support HTTP/2")

const (
	maxNegotiations = 256              // how many servers are remembered
	turnsLast       = 10 * time.Minute // how long HTTP/2 is not offered to a server that chose HTTP/1.1
)

// A negotiation is the choice of a version with one server. Its result is valid once settled is
// closed. At most one of shared and err is set. If neither is, the server chose HTTP/1.1.
type negotiation struct {
	settled chan struct{}
	shared  *shared
	err     error
	alone   bool // err concerns only the request that negotiated
	since   time.Time
	slots   chan struct{} // for requests that fall back to HTTP/1.1
}

func newNegotiation() *negotiation {
	return &negotiation{settled: make(chan struct{}), slots: make(chan struct{}, MaxFallbacks)}
}

// isSettled reports whether the result is known.
func (n *negotiation) isSettled() bool {
	select {
	case <-n.settled:
		return true
	default:
		return false
	}
}

// takesTurns reports whether the server chose HTTP/1.1 within turnsLast.
func (n *negotiation) takesTurns() bool {
	return n.isSettled() && n.shared == nil && n.err == nil && time.Since(n.since) < turnsLast
}

// negotiations are the negotiations of a Fetcher, by server. The zero value is empty.
type negotiations struct {
	mu  sync.Mutex
	all map[server]*negotiation
}

// join returns the negotiation with a server, and whether the caller must conduct it. most is the
// number of connections to keep.
func (s *negotiations) join(with server, most int) (n *negotiation, lead bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.all[with]; n != nil && (!n.isSettled() || n.shared != nil || n.takesTurns()) {
		return n, false
	}
	s.makeRoom(max(maxNegotiations, most))
	n = newNegotiation()
	s.all[with] = n
	return n, true
}

// makeRoom removes settled negotiations until there are fewer than most. The caller holds the lock.
func (s *negotiations) makeRoom(most int) {
	if s.all == nil {
		s.all = make(map[server]*negotiation)
	}
	for with, n := range s.all {
		if len(s.all) < most {
			return
		}
		if n.isSettled() {
			delete(s.all, with)
			go n.shared.closeIdle() // requests that use it continue
		}
	}
}

// settle sets the result of a negotiation. A failed negotiation is removed.
func (s *negotiations) settle(with server, n *negotiation, c *shared, err error, alone bool) {
	if c != nil {
		c.forget = func() { s.forget(with, n) }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n.shared, n.err, n.alone, n.since = c, err, alone, time.Now()
	if err != nil && s.all[with] == n {
		delete(s.all, with)
	}
	close(n.settled)
}

// forget makes the next request negotiate again. Requests that use the connection continue.
func (s *negotiations) forget(with server, n *negotiation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[with] == n {
		delete(s.all, with)
	}
}

// trim closes idle connections while there are most connections or more.
func (s *negotiations) trim(most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := 0
	for with, n := range s.all {
		if !n.isSettled() || n.shared == nil {
			continue
		}
		if kept++; kept >= most && n.shared.active.Load() == 0 {
			delete(s.all, with)
			n.shared.retired.Store(true)
			go n.shared.closeIdle()
		}
	}
}

// yield closes the idle connections to the host of a server, because another request waits for a
// connection to it.
func (s *negotiations) yield(to server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for with, n := range s.all {
		if with.host == to.host && with.port == to.port && n.isSettled() && n.shared != nil && n.shared.active.Load() == 0 {
			delete(s.all, with)
			n.shared.retired.Store(true)
			go n.shared.closeIdle()
		}
	}
}

// takeTurns reports whether a server is known to choose HTTP/1.1.
func (s *negotiations) takeTurns(with server) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.all[with]
	return n != nil && n.takesTurns()
}

// closeIdle closes the idle connections.
func (s *negotiations) closeIdle() {
	s.mu.Lock()
	var idle []*shared
	for _, n := range s.all {
		if n.isSettled() && n.shared != nil {
			idle = append(idle, n.shared)
		}
	}
	s.mu.Unlock()
	for _, c := range idle {
		c.closeIdle()
	}
}

// negotiate returns the settled negotiation with the server of x, or its error. If x conducted it
// and the server chose HTTP/1.1, the connection is returned as the lease of a session.
func (f *Fetcher) negotiate(x *exchange) (n *negotiation, l *lease, lead bool, err error) {
	ctx := x.context()
	for {
		n, lead = f.negotiations.join(x.with, f.Network.IdleConnLimit())
		if lead {
			c, l, err := f.connectShared(x)
			if c != nil {
				f.negotiations.trim(f.Network.IdleConnLimit())
			}
			f.negotiations.settle(x.with, n, c, err, ctx.Err() != nil || errors.Is(err, errChallenged))
			return n, l, true, err
		}
		select {
		case <-n.settled:
		case <-ctx.Done():
			return nil, nil, false, ctx.Err()
		}
		if n.err == nil || !n.alone {
			return n, nil, false, n.err
		}
	}
}

// connectShared connects to the server of x, and offers HTTP/2. If the server chooses HTTP/1.1, the
// connection is returned as the lease of a session.
func (f *Fetcher) connectShared(x *exchange) (*shared, *lease, error) {
	versions := []string{http2}
	if f.Protocols == nil || f.Protocols.HTTP1() {
		versions = append(versions, http1)
	}
	l, err := f.pool.Acquire(x.context(), x.with, f.terms(x.with), true, func(context.Context) (*session, error) {
		return f.open(x, versions...)
	})
	if err != nil {
		return nil, nil, err
	}
	switch s := l.Session; {
	case x.with.secure && s.conn.TLS().NegotiatedProtocol != http2 && len(versions) > 1:
		return nil, l, nil
	case x.with.secure && s.conn.TLS().NegotiatedProtocol != http2:
		l.Close()
		return nil, nil, errNotHTTP2
	}
	l.Session.Unbind() // the shared connection outlives the request
	c, err := f.share(l, x.with)
	if err != nil {
		l.Close()
	}
	return c, nil, err
}

// oneAtATime reports whether the connection for x carries one request at a time.
func (f *Fetcher) oneAtATime(x *exchange) bool {
	scheme, p := x.request.URL.Scheme, f.Protocols
	older := p == nil || p.HTTP1()
	switch {
	case x.trace.Tapped(), older && x.with.as != "":
		return true // a Tap reads it, or it is logged in
	case f.HTTP10, f.IgnoreLength:
		return true
	case scheme == "http" && x.hop != nil:
		return true // a proxy speaks HTTP/1.1 only
	case scheme == "https" && f.HTTP2OnDemand && older && !x.multiplex:
		return true
	case scheme == "https":
		return older && p != nil && !p.HTTP2()
	}
	return older || !p.UnencryptedHTTP2()
}
