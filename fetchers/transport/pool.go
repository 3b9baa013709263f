package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	trusted  = time.Second      // how long a kept session is taken to be open without a Ping
	probe    = 10 * time.Second // how long the answer to a Ping may take
	maxFresh = 3                // new sessions for one errand
)

// A Session is a connection to a server and the state that the server keeps for it. Its
// methods are called by one goroutine at a time, except Close, which may be called while
// another method waits. A session does not close itself: the Pool does.
type Session interface {
	comparable

	// Bind makes the session obey ctx, and tell the Trace of ctx. See [Conn.Bind].
	Bind(ctx context.Context)

	// Unbind makes the session obey no context. See [Conn.Unbind].
	Unbind()

	// Quiet reports whether the server has sent nothing since its last answer, not even
	// the end of the connection. See [Conn.Quiet].
	Quiet() bool

	// Ping asks the server a question that changes nothing, and reports whether the
	// server has answered it. It returns true if the protocol has no such question.
	Ping() bool

	// InStep reports whether the server has answered every request with a whole answer
	// and has sent nothing else, so that the next answer will be to the next request.
	InStep() bool

	// Quit tells the server that the session ends. It does not wait for an answer. Close
	// is called next.
	Quit()

	// Close closes the connection without a word.
	Close() error

	// RemoteAddr returns the address of the server, for a Trace and for Resources. A session
	// may have a method LocalAddr too, for the other end.
	RemoteAddr() net.Addr

	// TLS returns the state of TLS, or nil if the connection is in clear. See [Conn.TLS].
	TLS() *tls.ConnectionState
}

// Terms say how the sessions of a Fetcher are kept.
type Terms struct {
	// Network says how many sessions are kept, and for how long, and how many connections
	// there are to one host. Nil means the usual limits.
	Network *fetchers.Network

	// Host is the host, and port, for which a session counts for MaxConnsPerHost of the
	// Network. Sessions with different keys may have the same. If Host is empty, there is
	// no limit.
	Host string

	// Full is called, if it is not nil, when a fetch begins to wait for a connection to Host: a
	// protocol may end an idle one that the Pool does not keep.
	Full func()

	// Most is how many sessions are kept for one key if the Network does not say that; 0
	// means 4.
	Most int

	// Never says that no session is kept.
	Never bool

	// Patience is how long an errand waits for a session that another fetch uses, if the
	// server allows no more sessions. 0 means the default of [fetchers.Network.Stall].
	Patience time.Duration
}

// maxIdle is how many sessions are kept for one key; servers limit them too.
const maxIdle = 4

// host returns the name of the host whose connections are limited, or "" without a limit.
func (t Terms) host() string {
	if t.Network.ConnPerHostLimit() == 0 {
		return ""
	}
	return t.Host
}

// A Pool holds the sessions of a Fetcher that are kept for the next fetch, and counts all
// that are open. A key K says for whom a session may be used again: the server, the login,
// and all else that a session depends on. The zero Pool is empty and ready to use. It may be
// used by several goroutines at once.
type Pool[K comparable, S Session] struct {
	// Trust is how long a kept session is taken to be open without a Ping. 0 means one
	// second; less than 0 means that each is asked.
	Trust time.Duration

	idle idle[K, S]

	mu    sync.Mutex
	open  map[K]int              // sessions, kept or leased
	most  map[K]int              // sessions that the server allows, once it has refused one
	freed chan struct{}          // closed when a session is kept or closed; nil if nobody waits for that
	hosts map[string]*host[K, S] // those with a limit
}

// CloseIdle closes the sessions that are kept.
func (p *Pool[K, S]) CloseIdle() { p.idle.close() }

// Evict ends the kept sessions for which match returns true, and reports whether there was one:
// they may hold the last places that a server has, and be of no use for the errand at hand.
// Between Quit and Close, wait may wait for the server; nil does not.
func (p *Pool[K, S]) Evict(match func(K, S) bool, wait func(S)) bool {
	all := p.idle.takeAll(match)
	for _, w := range all {
		w.session.Quit()
	}
	for _, w := range all {
		if wait != nil {
			wait(w.session)
		}
		w.session.Close()
		p.closed(w.key, w.host)
	}
	return len(all) > 0
}

// Open returns how many sessions are open whose key match returns true for, as Count does for one
// key.
func (p *Pool[K, S]) Open(match func(K) bool) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, open := range p.open {
		if match(k) {
			n += open
		}
	}
	return n
}

// Count returns how many sessions with k are open, kept or leased. The session that an
// Errand opens is one of them.
func (p *Pool[K, S]) Count(k K) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open[k]
}

// Take leases a kept session with k that the server still has, bound to ctx: the one for
// which cost returns the least, and of several the one used last. A session for which cost
// returns false stays. A nil cost takes the one used last. It returns nil if there is none, or
// if ctx is nil.
func (p *Pool[K, S]) Take(ctx context.Context, k K, terms Terms, cost func(S) (int, bool)) *Lease[K, S] {
	for ctx != nil && ctx.Err() == nil {
		w := p.idle.take(k, cost)
		if w == nil {
			break
		}
		if l := p.wake(ctx, terms, w); l != nil {
			return l
		}
	}
	return nil
}

// Acquire leases a kept session with k that the server still has, or else one that open returns,
// bound to ctx. If anew, it leases a new one. If the Network allows no more connections to the
// host, it waits for one until ctx is done. The error is that of ctx or of open, which then has
// closed what it has opened. A nil ctx is an error.
func (p *Pool[K, S]) Acquire(ctx context.Context, k K, terms Terms, anew bool, open func(context.Context) (S, error)) (*Lease[K, S], error) {
	if ctx == nil {
		return nil, errNoContext
	}
	e := &Errand[K, S]{Key: k, Terms: terms, Open: open}
	l, err := p.reserve(ctx, e, anew)
	if l != nil || err != nil {
		return l, err
	}
	return p.connect(ctx, e)
}

// wake leases a session that was kept, or closes it and returns nil if the server no longer has
// it. Octets that came meanwhile would be taken for the next answer.
func (p *Pool[K, S]) wake(ctx context.Context, terms Terms, w *waiting[K, S]) *Lease[K, S] {
	s := w.session
	l := &Lease[K, S]{Session: s, pool: p, key: w.key, terms: terms, ctx: ctx, kept: true}
	open := s.Quiet()
	if open && time.Since(w.since) >= cmp.Or(p.Trust, trusted) {
		limited, cancel := context.WithTimeout(ctx, probe)
		defer cancel()
		s.Bind(limited)
		open = s.Ping() && s.InStep()
	}
	if !open {
		l.Close()
		return nil
	}
	s.Bind(ctx) // before the end of limited can close s
	fetchers.ContextTrace(ctx).Reuse(s.RemoteAddr())
	return l
}

// reserve takes a kept session out, or counts a new one in. If anew, it takes a kept one only if
// the server allows no more sessions. If none is kept then, it waits for one until ctx is done or
// terms.Patience has passed. If the Network allows no more, it waits until ctx is done.
func (p *Pool[K, S]) reserve(ctx context.Context, e *Errand[K, S], anew bool) (l *Lease[K, S], err error) {
	var expired <-chan time.Time
	for {
		if err := ctx.Err(); err != nil { // a kept session might be quicker than the end of ctx
			return nil, err
		}
		p.mu.Lock()
		most, limited := p.most[e.Key]
		full := limited && p.open[e.Key] >= most
		if !anew || full {
			if w := p.idle.take(e.Key, e.Cost); w != nil {
				p.mu.Unlock()
				if l := p.wake(ctx, e.Terms, w); l != nil {
					return l, nil
				}
				continue
			}
		}
		if !full {
			w := &waiter[K, S]{key: e.Key, anew: anew, cost: e.Cost}
			entered, over := p.enter(e.Terms, w)
			p.mu.Unlock()
			if over != nil {
				p.leave(over)
			}
			if entered {
				return nil, nil
			}
			if e.Terms.Full != nil {
				e.Terms.Full()
			}
			kept, err := p.await(ctx, e.Terms, w)
			if kept == nil {
				return nil, err
			}
			if l := p.wake(ctx, e.Terms, kept); l != nil {
				return l, nil
			}
			continue
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		if expired == nil {
			t := time.NewTimer(e.Terms.patience())
			defer t.Stop()
			expired = t.C
		}
		select {
		case <-freed:
		case <-expired:
			return nil, fetchers.Temporary(fmt.Errorf("%w: the server allows no more connections, and those there are stay in use", fetchers.ErrStalled))
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// patience is never for ever: the fetch that uses a session may itself wait for this one.
func (t Terms) patience() time.Duration {
	if t.Patience > 0 {
		return t.Patience
	}
	return (*fetchers.Network)(nil).StallLimit()
}

// count counts a session in. The caller holds the lock.
func (p *Pool[K, S]) count(k K) {
	if p.open == nil {
		p.open, p.most = make(map[K]int), make(map[K]int)
	}
	p.open[k]++
}

// closed counts a session out, with its host.
func (p *Pool[K, S]) closed(k K, host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[k]--; p.open[k] == 0 {
		delete(p.open, k)
		delete(p.most, k)
	}
	p.vacate(host)
	p.wakeAll()
}

// put keeps a session for another fetch, which may wait for it.
func (p *Pool[K, S]) put(w *waiting[K, S], terms Terms) {
	nw := terms.Network
	p.mu.Lock()
	taken, wanted := p.pass(w)
	var over *waiting[K, S]
	switch {
	case taken:
	case wanted:
		over = w
	default:
		if p.idle.leave == nil {
			p.idle.leave = p.leave
		}
		over = p.idle.put(w, nw.IdleConnPerHostLimit(cmp.Or(terms.Most, maxIdle)), nw.IdleConnLimit())
	}
	p.wakeAll()
	p.mu.Unlock()
	if over != nil {
		p.leave(over)
	}
}

// leave ends a session that is in step.
func (p *Pool[K, S]) leave(w *waiting[K, S]) {
	w.session.Quit()
	w.session.Close()
	p.closed(w.key, w.host)
}

// wakeAll lets the errands that wait look again. The caller holds the lock.
func (p *Pool[K, S]) wakeAll() {
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}

// crowded takes note that the server refuses another session with k, and reports whether
// there are others. They are then as many as there will be.
func (p *Pool[K, S]) crowded(ctx context.Context, k K) bool {
	p.mu.Lock()
	most := p.open[k]
	if most > 0 {
		p.most[k] = most
	}
	p.mu.Unlock()
	if most > 0 {
		fetchers.ContextTrace(ctx).Note(fmt.Sprintf("the server allows no more than %d connections", most))
	}
	return most > 0
}
