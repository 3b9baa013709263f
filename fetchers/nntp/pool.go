package nntp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	maxIdle = 4                // connections kept for one login; servers limit them too
	maxAge  = time.Minute      // how long one is kept; servers wait for three and more
	trusted = time.Second      // how long one is believed to be there still
	probe   = 10 * time.Second // how long it may take to say so
)

// A key says for whom a connection may be used again.
type key struct {
	addr           string
	secure         bool // snews, nntps
	user, password string
	given          bool // there is a user
	passwordSet    bool
}

func (f *Fetcher) keyOf(req *fetchers.Request, what target) key {
	k := key{addr: what.addr(), secure: what.Secure}
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
	mu    sync.Mutex
	idle  map[key][]*session // in the order in which they were put
	open  map[key]int        // how many there are, idle or not
	most  map[key]int        // how many the server allows, once it has refused one
	freed chan struct{}      // closed when there is one more to be had
}

// get takes out a session for k, and rather one that is in the group. It returns nil
// if a new one may be made, which is counted. If the server allows no more, it waits.
func (p *pool) get(ctx context.Context, k key, group string, patience time.Duration) (*session, error) {
	var expired <-chan time.Time
	for {
		p.mu.Lock()
		if list := p.idle[k]; len(list) > 0 {
			i := max(slices.IndexFunc(list, func(s *session) bool { return s.group == group }), 0)
			s := p.take(k, i)
			p.mu.Unlock()
			return s, nil
		}
		if most, limited := p.most[k]; !limited || p.open[k] < most {
			if p.open == nil {
				p.idle, p.open, p.most = make(map[key][]*session), make(map[key]int), make(map[key]int)
			}
			p.open[k]++
			p.mu.Unlock()
			return nil, nil
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
			return nil, fetchers.Temporary(fmt.Errorf("%w: the server allows no more connections, and those there are stay in use", fetchers.ErrStalled))
		case <-ctx.Done():
			return nil, ctx.Err()
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

// put keeps s for another fetch, at the expense of the one kept longest.
func (p *pool) put(s *session) {
	p.mu.Lock()
	s.since = time.Now()
	s.expiry = time.AfterFunc(maxAge, func() {
		if p.remove(s) {
			s.quit()
		}
	})
	var oldest *session
	p.idle[s.key] = append(p.idle[s.key], s)
	if len(p.idle[s.key]) > maxIdle {
		oldest = p.take(s.key, 0)
	}
	p.wakeAll()
	p.mu.Unlock()
	if oldest != nil {
		oldest.quit()
	}
}

// remove takes s out, and reports whether it was there.
func (p *pool) remove(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle[s.key], s)
	if i >= 0 {
		p.take(s.key, i)
	}
	return i >= 0
}

// take takes out the i-th session for k. The caller holds the lock.
func (p *pool) take(k key, i int) *session {
	s := p.idle[k][i]
	s.expiry.Stop()
	if p.idle[k] = slices.Delete(p.idle[k], i, i+1); len(p.idle[k]) == 0 {
		delete(p.idle, k)
	}
	return s
}

// CloseIdle closes the connections that are kept for another fetch.
func (f *Fetcher) CloseIdle() {
	p := &f.pool
	p.mu.Lock()
	var all []*session
	for _, list := range p.idle {
		all = append(all, list...)
	}
	clear(p.idle)
	p.mu.Unlock()
	for _, s := range all {
		s.expiry.Stop()
		s.quit()
	}
}

// wake gives s to ctx, and asks a server that may have gone meanwhile. Whatever it
// answers, it is there.
func (s *session) wake(ctx context.Context) bool {
	if time.Since(s.since) < trusted {
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
