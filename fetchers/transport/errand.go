package transport

import (
	"context"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An Errand is one fetch by a session of a [Pool]. Key, Request, Open, Talk and Judge have to
// be set.
type Errand[K comparable, S Session] struct {
	Request *fetchers.Request // for the URL of errors
	Key     K
	Terms   Terms

	// Cost returns how many commands it takes until a kept session can be asked, and
	// false if the session cannot be used. If nil, every session is as good.
	Cost func(S) (int, bool)

	// Open connects to the server, bound to ctx, and logs in. If it fails, it has closed
	// what it has opened.
	Open func(ctx context.Context) (S, error)

	// Talk asks the server. The Resource ends the lease: before Talk returns if it has no
	// Body, and otherwise when the Body is read to its end or is closed. If Talk fails,
	// the lease is ended by the Verdict of Judge.
	Talk func(*Lease[K, S]) (*fetchers.Resource, error)

	// Judge returns what becomes of a session after Talk has failed with err.
	Judge func(l *Lease[K, S], err error) Verdict

	// Crowded reports whether err, of Open or Talk, is that the server allows no more
	// sessions. The errand then waits for one that is there. If nil, it never is.
	Crowded func(err error) bool
}

// A Verdict says what becomes of a session and its errand after a failure.
type Verdict uint8

const (
	Broken  Verdict = iota // the session is closed, and the errand fails
	Refused                // the server has said no: the session is kept if it is in step, and the errand fails
	Stale                  // that the session was kept may be the reason: it is closed, and if it was kept, the errand begins again
	Again                  // the server is to be spoken to in another way: the session is closed, and the errand begins again
)

// Fetch does an errand: by a kept session if there is one, else by a new one. If a kept session
// turns out to be of no more use, another takes its place. Errors are a [*fetchers.Error], also
// if ctx, the Request or its URL is nil.
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
			if !crowded { // or the session would count as one that others use
				l.Done()
			}
		case Stale:
			if again, stale = l.kept, true; again {
				fetchers.ContextTrace(ctx).Note("the kept connection is of no more use, so a new one is made")
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

// localAddr returns the address of this end of a session, or nil if the session has no method
// LocalAddr.
func localAddr(s any) net.Addr {
	if s, ok := s.(interface{ LocalAddr() net.Addr }); ok {
		return s.LocalAddr()
	}
	return nil
}

// try has the protocol do the errand by l, and judge a failure. A panic ends the lease.
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

// connect opens a session that is counted already. It returns nil without an error if the
// server allows no more than there are.
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

// openFor opens a session for e, and counts it out if that fails or panics.
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
