package transport

import (
	"context"
	"slices"
)

// A host counts the connections of a Pool to one host, and has the fetches wait that need one
// more than there may be. While a fetch waits, no session with the host is idle: a session that
// another fetch gives back goes to the first that waits, or ends and leaves its place to that.
type host[K comparable, S Session] struct {
	open  int
	queue []*waiter[K, S] // the first has waited longest
}

// A waiter is a fetch that waits for a connection to a host.
type waiter[K comparable, S Session] struct {
	key  K
	anew bool // it wants a new session
	cost func(S) (int, bool)
	got  chan *waiting[K, S] // a session, or nil for the place of a new one, which counts already
}

// wants reports whether w can use a session with k.
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

// enter takes a place at the host of terms for a session with w.key, and reports whether there
// was one. Otherwise w waits, and in its place ends a session that nobody uses, if there is one,
// which the caller has to call leave for. The caller holds the lock.
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

// hostOf returns the host with a name. The caller holds the lock.
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

// vacate gives the place of a session that was closed to the first that waits for one. The
// caller holds the lock.
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

// next takes out the first that waits. It returns nil if nobody does.
func (h *host[K, S]) next() *waiter[K, S] {
	if len(h.queue) == 0 {
		return nil
	}
	w := h.queue[0]
	h.queue = slices.Delete(h.queue, 0, 1)
	return w
}

// pass gives a session that no fetch uses any more to the first that waits for a connection to
// its host. It reports whether that took it, and whether anybody waits. The caller holds the
// lock.
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

// await waits until w has a session or, if that is nil, a place for a new one.
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
	if i < 0 { // w got something meanwhile, which is for the next
		if s := <-w.got; s != nil {
			p.put(s, terms)
		} else {
			p.closed(w.key, terms.host())
		}
	}
	return nil, ctx.Err()
}
