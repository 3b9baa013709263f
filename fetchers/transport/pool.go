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
	trusted  = time.Second      // how long after its last use a kept session is used without a Ping
	probe    = 10 * time.Second // timeout of a Ping
	maxFresh = 3                // new sessions for one errand
)

// A Session is a connection to a server with the state that the server keeps for it. Its methods
// are called by one goroutine at a time, except Close, which may be called during another method. A
// session does not close itself: the Pool does.
type Session interface {
	comparable

	// Bind makes the session obey ctx, and report to the Trace of ctx. See [Conn.Bind].
	Bind(ctx context.Context)

	// Unbind makes the session obey no context. See [Conn.Unbind].
	Unbind()

	// Quiet reports whether the server has sent nothing since its last answer, not even the end of
	// the connection. See [Conn.Quiet].
	Quiet() bool

	// Ping sends a command without effect, and reports whether the server has answered it. It
	// returns true if the protocol has no such command.
	Ping() bool

	// InStep reports whether the server has answered every request completely and has sent nothing
	// else, so that its next answer belongs to the next request.
	InStep() bool

	// Quit tells the server that the session ends. It does not wait for an answer. Close is called
	// next.
	Quit()

	// Close closes the connection at once.
	Close() error

	// RemoteAddr returns the address of the server, for a Trace and for Resources. A session may
	// also have a method LocalAddr.
	RemoteAddr() net.Addr

	// TLS returns the state of TLS, or nil without TLS. See [Conn.TLS].
	TLS() *tls.ConnectionState
}

// Terms are the limits for the sessions of a Fetcher.
type Terms struct {
	// Network has the limits: how many sessions are kept and for how long, and how many connections
	// there are to one host. Nil means the defaults.
	Network *fetchers.Network

	// Host is the host and port for which a session counts against MaxConnsPerHost of the Network.
	// Sessions with different keys may have the same Host. If it is empty, there is no limit.
	Host string

	// Full is called, if not nil, when a fetch starts to wait for a connection to Host: a protocol
	// may then close an idle connection that the Pool does not hold.
	Full func()

	// Most is how many sessions are kept for one key, unless the Network sets it; 0 means 4.
	Most int

	// Never disables keeping sessions.
	Never bool

	// Patience is how long an errand waits for a session that another fetch uses, if the server
	// allows no more sessions. 0 means the default of [fetchers.Network.Stall].
	Patience time.Duration
}

// maxIdle is how many sessions are kept for one key; servers limit them too.
const maxIdle = 4

// host returns the host whose connections are limited, or "" without a limit.
func (t Terms) host() string {
	if t.Network.ConnPerHostLimit() == 0 {
		return ""
	}
	return t.Host
}

// A Pool holds the sessions of a Fetcher that are kept for later fetches, and counts all open
// sessions. A key K consists of everything that decides whether a session may be used again: the
// server, the login, and any other dependency. The zero Pool is empty and ready to use. It is safe
// for concurrent use.
type Pool[K comparable, S Session] struct {
	// Trust is how long after its last use a kept session is used without a Ping. 0 means one
	// second; less than 0 means that each session needs a Ping.
	Trust time.Duration

	idle idle[K, S]

	mu    sync.Mutex
	open  map[K]int              // open sessions, kept or leased
	most  map[K]int              // limit of the server, once it has refused a session
	freed chan struct{}          // closed when a session is kept or closed; nil if no fetch waits for that
	hosts map[string]*host[K, S] // hosts with a limit
}

// CloseIdle closes the kept sessions.
func (p *Pool[K, S]) CloseIdle() { p.idle.close() }

// Evict closes the kept sessions for which match returns true, and reports whether there was one:
// they may occupy the last connections that a server allows, and be useless for the current errand.
// Between Quit and Close, wait may wait for the server; it may be nil.
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

// Open returns how many sessions are open whose key match returns true for.
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

// Count returns how many sessions with k are open, kept or leased. A session that an Errand is
// opening counts.
func (p *Pool[K, S]) Count(k K) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open[k]
}

// Take leases a kept session with k that the server has not closed, bound to ctx: the one with the
// lowest cost, and of equals the last used. A session for which cost returns false is not taken. If
// cost is nil, the last used is taken. It returns nil if there is none, or if ctx is nil.
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

// Acquire leases a kept session with k that the server has not closed, or else one that open
// returns, bound to ctx. If anew is true, it leases a new one. If the Network allows no more
// connections to the host, it waits for one until ctx is done. The error is that of ctx or of open,
// which must have closed its connection. A nil ctx is an error.
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

// wake leases a kept session, or closes it and returns nil if the server has closed it or sent
// bytes meanwhile, which would be taken for the next answer.
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

// reserve takes a kept session, or counts a new one. If anew is true, it takes a kept session only
// if the server allows no more. If there is none then, it waits for one until ctx is done or
// terms.Patience has passed. If the Network allows no more, it waits until ctx is done.
func (p *Pool[K, S]) reserve(ctx context.Context, e *Errand[K, S], anew bool) (l *Lease[K, S], err error) {
	var expired <-chan time.Time
	for {
		if err := ctx.Err(); err != nil { // a kept session might be found before the end of ctx is noticed
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
			return nil, fetchers.Temporary(fmt.Errorf("%w: the server allows no more connections, and all existing ones remain in use", fetchers.ErrStalled))
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// patience returns a finite timeout, because the fetch that uses a session may itself wait for this
// one.
func (t Terms) patience() time.Duration {
	if t.Patience > 0 {
		return t.Patience
	}
	return (*fetchers.Network)(nil).StallLimit()
}

// count counts a new session. The caller holds the lock.
func (p *Pool[K, S]) count(k K) {
	if p.open == nil {
		p.open, p.most = make(map[K]int), make(map[K]int)
	}
	p.open[k]++
}

// closed uncounts a session, also for its host.
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

// put keeps a session for other fetches, or passes it to a waiting one.
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

// leave closes a session that is in step.
func (p *Pool[K, S]) leave(w *waiting[K, S]) {
	w.session.Quit()
	w.session.Close()
	p.closed(w.key, w.host)
}

// wakeAll makes waiting errands check again. The caller holds the lock.
func (p *Pool[K, S]) wakeAll() {
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}

// crowded records that the server refuses another session with k, and reports whether there are
// other sessions. Their number then becomes the limit.
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
