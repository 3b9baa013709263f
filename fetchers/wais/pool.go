package wais

import (
	"slices"
	"sync"
	"time"
)

// Connections are kept between fetches: servers bear any number of requests on
// one, also after a diagnostic, and wait for an hour.
const (
	maxIdle = 4 // for one server
	maxAge  = time.Minute
)

// A pool holds the sessions that wait for another fetch, by address of the server:
// there are no logins. The zero pool is empty.
type pool struct {
	mu   sync.Mutex
	idle map[string][]*session // in the order in which they were put
}

// put keeps s for another fetch, at the expense of the one kept longest.
func (p *pool) put(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle == nil {
		p.idle = make(map[string][]*session)
	}
	s.expiry = time.AfterFunc(maxAge, func() {
		if p.remove(s) {
			s.drop()
		}
	})
	p.idle[s.addr] = append(p.idle[s.addr], s)
	if len(p.idle[s.addr]) > maxIdle {
		p.take(s.addr, 0).drop()
	}
}

// get takes out the session with a server that was used last, or returns nil.
func (p *pool) get(addr string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle[addr])
	if n == 0 {
		return nil
	}
	return p.take(addr, n-1)
}

// remove takes s out, and reports whether it was there.
func (p *pool) remove(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle[s.addr], s)
	if i >= 0 {
		p.take(s.addr, i)
	}
	return i >= 0
}

// take takes out the i-th session with a server. The caller holds the lock.
func (p *pool) take(addr string, i int) *session {
	s := p.idle[addr][i]
	s.expiry.Stop()
	if p.idle[addr] = slices.Delete(p.idle[addr], i, i+1); len(p.idle[addr]) == 0 {
		delete(p.idle, addr)
	}
	return s
}

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() {
	p := &f.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range p.idle {
		for _, s := range list {
			s.expiry.Stop()
			s.drop()
		}
	}
	clear(p.idle)
}
