package transport

import (
	"context"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An Errand is one fetch over a session of a [Pool]. Key, Request, Open, Talk and Judge must be
// set.
type Errand[K comparable, S Session] struct {
	Request *fetchers.Request // for the URL of errors
	Key     K
	Terms   Terms

	// Cost returns the number of commands that a kept session needs before the request, and false
	// if the session cannot be used. If nil, all sessions are equal.
	Cost func(S) (int, bool)

	// Open connects to the server, with a connection bound to ctx, and logs in. If it fails, it
	// closes its connection.
	Open func(ctx context.Context) (S, error)

	// Talk makes the request. The Resource ends the lease: before Talk returns if it has no Body,
	// and otherwise when the Body is read to its end or closed. If Talk fails, the Verdict of Judge
	// ends the lease.
	Talk func(*Lease[K, S]) (*fetchers.Resource, error)

	// Judge returns the Verdict about a session after Talk has failed with err.
	Judge func(l *Lease[K, S], err error) Verdict

	// Crowded reports whether err, of Open or Talk, means that the server allows no more sessions.
	// The fetch then waits for an existing one. If nil, no error does.
	Crowded func(err error) bool
}

// A Verdict decides about a session and its Errand after a failure.
type Verdict uint8

const (
	Broken  Verdict = iota // the session is closed, and the errand fails
	Refused                // the server has refused the request: the session is kept if it is in step, and the errand fails
	Stale                  // the failure may be due to the age of a kept session: it is closed, and if it was kept, the errand is repeated
	Again                  // the server needs other commands: the session is closed, and the errand is repeated
)

// Fetch does an errand over a kept session, or else over a new one. If a kept session turns out to
// be unusable, another one is used. Errors are a [*fetchers.Error], also if ctx, the Request or its
// URL is nil.
func (p *Pool[K, S]) Fetch(ctx context.Context, e *Errand[K, S]) (*fetchers.Resource, error) {
	if err := e.Request.Check(ctx); err != nil {
		return nil, err
	}
	stale := false
	for fresh := 0; ; {
		l, err := p.reserve(ctx, e, stale)
		if err == nil && l == nil {
			fresh++
			l, err = p.connect(ctx, e)
		}
		if l == nil && err == nil {
			continue // the server is crowded
		}
		if err != nil {
			return nil, fetchers.NewError("connect", e.Request.URL, err)
		}
		peer, state, here := l.Session.RemoteAddr(), l.Session.TLS(), localAddr(l.Session)
		res, verdict, err := e.try(l)
		if err == nil {
			res.RemoteAddr, res.LocalAddr, res.TLS = peer, here, state
			return res, nil
		}
		again, crowded := false, e.Crowded != nil && e.Crowded(err)
		switch verdict {
		case Refused:
			if !crowded { // a kept session would count as one of other fetches
				l.Done()
			}
		case Stale:
			if again, stale = l.kept, true; again {
				fetchers.ContextTrace(ctx).Note("the kept connection cannot be used any more, so a new one is made")
			}
		case Again:
			again = l.kept || fresh < maxFresh
		}
		l.Close()
		if ctx.Err() == nil && (again || crowded && p.crowded(ctx, e.Key)) {
			continue
		}
		return nil, fetchers.NewError("fetch", e.Request.URL, err)
	}
}

// localAddr returns the local address of a session, or nil if the session has no method LocalAddr.
func localAddr(s any) net.Addr {
	if s, ok := s.(interface{ LocalAddr() net.Addr }); ok {
		return s.LocalAddr()
	}
	return nil
}

// try calls Talk, and Judge after a failure. A panic ends the lease.
func (e *Errand[K, S]) try(l *Lease[K, S]) (res *fetchers.Resource, verdict Verdict, err error) {
	panics := true
	defer func() {
		if panics {
			l.Close()
		}
	}()
	if res, err = e.Talk(l); err != nil {
		verdict = e.Judge(l, err)
	}
	panics = false
	return res, verdict, err
}

// connect opens a session that is already counted. It returns nil without an error if the server
// refuses it because of its limit.
func (p *Pool[K, S]) connect(ctx context.Context, e *Errand[K, S]) (*Lease[K, S], error) {
	s, err := p.openFor(ctx, e)
	if err == nil {
		return &Lease[K, S]{Session: s, pool: p, key: e.Key, terms: e.Terms, ctx: ctx}, nil
	}
	if e.Crowded != nil && e.Crowded(err) && p.crowded(ctx, e.Key) {
		return nil, nil
	}
	return nil, err
}

// openFor opens a session for e. If that fails or panics, the session no longer counts.
func (p *Pool[K, S]) openFor(ctx context.Context, e *Errand[K, S]) (s S, err error) {
	opened := false
	defer func() {
		if !opened {
			p.closed(e.Key, e.Terms.host())
		}
	}()
	s, err = e.Open(ctx)
	opened = err == nil
	return s, err
}
