package transport

import (
	"context"
	"slices"
)

// A host counts the connections of a Pool to one host, and queues the fetches that exceed the
// limit. While a fetch waits, no session with the host is idle: a released session is passed to the
// first waiting fetch, or is closed, and the fetch opens a new one in its place.
type host[K comparable, S Session] struct {
	open  int
	queue []*waiter[K, S] // longest waiting first
}

// A waiter is a fetch that waits for a connection to a host.
type waiter[K comparable, S Session] struct {
	key  K
	anew bool // needs a new session
	cost func(S) (int, bool)
	got  chan *waiting[K, S] // receives a session, or nil as permission to open one, which already counts
}

// wants reports whether w can use the session s with k.
func (w *waiter[K, S]) wants(k K, s S) bool {
	if w.anew || w.key != k {
		return false
	}
	if w.cost == nil {
		return true
	}
	_, fits := w.cost(s)
	return fits
}

// enter counts a new session with w.key for the host of terms, if the limit allows. Otherwise it
// queues w, and returns an idle session with the host, if there is one, which the caller must close
// with leave. The caller holds the lock.
func (p *Pool[K, S]) enter(terms Terms, w *waiter[K, S]) (entered bool, over *waiting[K, S]) {
	name := terms.host()
	if name == "" {
		p.count(w.key)
		return true, nil
	}
	h := p.hostOf(name)
	if h.open < terms.Network.ConnPerHostLimit() {
		h.open++
		p.count(w.key)
		return true, nil
	}
	w.got = make(chan *waiting[K, S], 1)
	h.queue = append(h.queue, w)
	return false, p.idle.takeOf(name)
}

// hostOf returns the host with the given name. The caller holds the lock.
func (p *Pool[K, S]) hostOf(name string) *host[K, S] {
	h := p.hosts[name]
	if h == nil {
		if p.hosts == nil {
			p.hosts = make(map[string]*host[K, S])
		}
		h = new(host[K, S])
		p.hosts[name] = h
	}
	return h
}

// vacate passes the place of a closed session to the first waiter. The caller holds the lock.
func (p *Pool[K, S]) vacate(name string) {
	h := p.hosts[name]
	if h == nil {
		return
	}
	if w := h.next(); w != nil {
		p.count(w.key)
		w.got <- nil
		return
	}
	if h.open--; h.open == 0 {
		delete(p.hosts, name)
	}
}

// next removes and returns the first waiter, or nil.
func (h *host[K, S]) next() *waiter[K, S] {
	if len(h.queue) == 0 {
		return nil
	}
	w := h.queue[0]
	h.queue = slices.Delete(h.queue, 0, 1)
	return w
}

// pass offers a released session to the first waiter for its host. It reports whether the waiter
// took it, and whether there is a waiter. The caller holds the lock.
func (p *Pool[K, S]) pass(s *waiting[K, S]) (taken, wanted bool) {
	h := p.hosts[s.host]
	if h == nil || len(h.queue) == 0 {
		return false, false
	}
	if !h.queue[0].wants(s.key, s.session) {
		return false, true
	}
	h.next().got <- s
	return true, true
}

// Wanted reports whether a fetch waits for a connection to a host.
func (p *Pool[K, S]) Wanted(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[name]
	return h != nil && len(h.queue) > 0
}

// await waits until w receives a session, or nil as permission to open one.
func (p *Pool[K, S]) await(ctx context.Context, terms Terms, w *waiter[K, S]) (*waiting[K, S], error) {
	select {
	case s := <-w.got:
		return s, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	h := p.hosts[terms.host()]
	i := -1
	if h != nil {
		i = slices.Index(h.queue, w)
	}
	if i >= 0 {
		h.queue = slices.Delete(h.queue, i, i+1)
	}
	p.mu.Unlock()
	if i < 0 { // w has received something meanwhile, which is passed to the next waiter
		if s := <-w.got; s != nil {
			p.put(s, terms)
		} else {
			p.closed(w.key, terms.host())
		}
	}
	return nil, ctx.Err()
}
