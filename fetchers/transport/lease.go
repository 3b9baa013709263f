package transport

import (
	"context"
	"sync/atomic"
	"time"
)

// A Lease is the use of a session by one fetch. It ends once, by Done or by Close; later calls of
// either do nothing, so that a Body that was read to its end may be closed after another fetch has
// leased the session.
type Lease[K comparable, S Session] struct {
	Session S // must not be used after the end of the lease

	pool  *Pool[K, S]
	key   K
	terms Terms
	ctx   context.Context // of the fetch
	kept  bool
	over  atomic.Bool
}

// Kept reports whether the session was kept from an earlier fetch.
func (l *Lease[K, S]) Kept() bool { return l.kept }

// Over reports whether the lease has ended.
func (l *Lease[K, S]) Over() bool { return l.over.Load() }

// Done ends the lease after a complete exchange, or after a refusal. If the session is in step, it
// is kept for later fetches; otherwise it is closed with Quit. No other goroutine may use the
// session meanwhile.
func (l *Lease[K, S]) Done() {
	if !l.over.CompareAndSwap(false, true) {
		return
	}
	s := l.Session
	s.Unbind() // else the end of ctx would close s
	kept := &waiting[K, S]{key: l.key, session: s, host: l.terms.host(), since: time.Now(), age: l.terms.Network.IdleConnAge()}
	if l.terms.Never || l.ctx.Err() != nil || !s.InStep() {
		l.pool.leave(kept)
		return
	}
	l.pool.put(kept, l.terms)
}

// Close ends the lease and closes the session, whatever its state. It may be called while another
// goroutine uses the session. It returns nil.
func (l *Lease[K, S]) Close() error {
	if l.over.CompareAndSwap(false, true) {
		l.Session.Close()
		l.pool.closed(l.key, l.terms.host())
	}
	return nil
}
