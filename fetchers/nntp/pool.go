package nntp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

const (
	trusted = time.Second      // how long a kept connection is believed to be there still
	probe   = 10 * time.Second // how long it may take to say so
)

// A key says for whom a connection may be used again.
type key struct {
	addr           string
	secure         bool // snews, nntps
	user, password string
	given          bool // there is a user
	passwordSet    bool
	named          fetchers.Namer // who named the server: only one that the user named gets a certificate
}

func (f *Fetcher) keyOf(req *fetchers.Request, what target) key {
	k := key{addr: what.addr(), secure: what.Secure, named: req.Named}
	if who, set := req.Credential(); who != nil {
		k.user, k.password, k.given, k.passwordSet = who.User, who.Password, true, set
	}
	return k
}

// patience is how long a fetch waits for a connection that others use: as long as
// for a server that is silent. It is never for ever, since who uses it may itself
// wait for this fetch.
func (f *Fetcher) patience() time.Duration {
	if limit := f.Network.StallLimit(); limit > 0 {
		return limit
	}
	return (*fetchers.Network)(nil).StallLimit()
}

// A pool holds the connections that wait for another fetch, each in step with its
// replies, and counts all there are. The zero pool is empty.
type pool struct {
	idle  wire.Idle[key, *session]
	trust time.Duration // replaces trusted unless it is 0

	mu    sync.Mutex
	open  map[key]int   // how many there are, idle or not
	most  map[key]int   // how many the server allows, once it has refused one
	freed chan struct{} // closed when there is one more to be had
}

// get takes out a session for k, and rather one that is in the group. It returns nil
// if a new one may be made, which is counted. If the server allows no more, it waits.
func (p *pool) get(ctx context.Context, k key, group string, patience time.Duration) (s *session, since time.Time, err error) {
	elsewhere := func(s *session) (int, bool) {
		if s.group == group {
			return 0, true
		}
		return 1, true
	}
	var expired <-chan time.Time
	for {
		if err := ctx.Err(); err != nil { // a kept session might be quicker than the end of ctx
			return nil, since, err
		}
		p.mu.Lock()
		if s, since, ok := p.idle.Take(k, elsewhere); ok {
			p.mu.Unlock()
			return s, since, nil
		}
		if most, limited := p.most[k]; !limited || p.open[k] < most {
			if p.open == nil {
				p.open, p.most = make(map[key]int), make(map[key]int)
			}
			p.open[k]++
			p.mu.Unlock()
			return nil, since, nil
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		if expired == nil {
			t := time.NewTimer(patience)
			defer t.Stop()
			expired = t.C
		}
		select {
		case <-freed:
		case <-expired:
			return nil, since, fetchers.Temporary(fmt.Errorf("%w: the server allows no more connections, and those there are stay in use", fetchers.ErrStalled))
		case <-ctx.Done():
			return nil, since, ctx.Err()
		}
	}
}

// wakeAll lets those who wait look again. The caller holds the lock.
func (p *pool) wakeAll() {
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}

// closed counts a session out.
func (p *pool) closed(k key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[k]--; p.open[k] == 0 {
		delete(p.open, k)
		delete(p.most, k)
	}
	p.wakeAll()
}

// crowded reports whether err is that of a server that allows no more connections,
// while there are others. They are then as many as there will be.
func (f *Fetcher) crowded(ctx context.Context, k key, err error) bool {
	if err == nil || !isCrowded(err) {
		return false
	}
	p := &f.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[k] == 0 {
		return false
	}
	p.most[k] = p.open[k]
	fetchers.ContextTrace(ctx).Note(fmt.Sprintf("the server allows no more than %d connections", p.most[k]))
	return true
}

// put keeps s for another fetch, which may wait for it.
func (p *pool) put(s *session) {
	p.idle.Put(s.key, s, s.quit)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wakeAll()
}

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() { f.pool.idle.Close() }

// wake gives s to ctx, and asks a server that may have gone since then. Whatever it
// answers, it is there. What it has said meanwhile would be taken for the answer to what
// comes next.
func (s *session) wake(ctx context.Context, since time.Time) bool {
	if !s.quiet() {
		return false
	}
	if time.Since(since) < cmp.Or(s.f.pool.trust, trusted) {
		s.bind(ctx)
		return true
	}
	limited, cancel := context.WithTimeout(ctx, probe)
	defer cancel()
	s.bind(limited)
	r, err := s.command("DATE")
	s.bind(ctx) // before the end of limited can close s
	return err == nil && r.Code != 400
}

// quiet reports whether the server has said nothing since its answer. Of one that was
// compressed the end may come after all that it says.
func (s *session) quiet() bool {
	var octets [64]byte
	n, open := s.raw.Pending(octets[:])
	switch {
	case s.inflater == nil || !open:
		return open && n == 0
	case s.tls != nil && n > 0, n == len(octets):
		return false
	}
	return s.inflater.silent(octets[:n])
}

// release ends an exchange that went well: s is kept if it may be.
func (s *session) release() {
	ctx := s.ctx
	s.bind(context.Background()) // so that ctx can end without closing s
	if s.f.NoReuse || ctx.Err() != nil || !s.inStep() {
		s.quit()
		return
	}
	s.f.pool.put(s)
}

// fail ends an exchange that failed: s is kept if the server merely said no.
func (s *session) fail(err error) {
	if s.inStep() && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fetchers.ErrLogin) || refused(err)) {
		s.release()
		return
	}
	s.drop()
}

// doubtful reports whether a failure may be due to s having been kept: the server
// has closed it, or does not answer what it is asked.
func (s *session) doubtful() bool { return s.broken != nil }
