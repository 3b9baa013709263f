package wire

import (
	"slices"
	"sync"
	"time"
)

const (
	maxIdle = 4           // connections kept for one key; servers limit them too
	maxKept = 256         // kept in all; each is a descriptor, of which there may be 1,024
	maxAge  = time.Minute // how long one is kept; servers wait for three and more
)

// An Idle holds the sessions that wait for another fetch, by a key that says for
// what they may be used again: a server, and a login. Of one key a few are kept, not
// many in all, and none for long. The zero Idle is empty.
type Idle[K, S comparable] struct {
	mu    sync.Mutex
	kept  map[K][]waiting[S] // in the order in which they were put
	count int
	sweep *time.Timer // runs expire; nil if it is not to run
}

// A waiting session is one that nobody uses.
type waiting[S comparable] struct {
	session S
	since   time.Time
	leave   func()
}

// Put keeps a session for another fetch, at the expense of the one kept longest. If
// nobody takes it, leave ends it.
func (p *Idle[K, S]) Put(k K, s S, leave func()) {
	p.mu.Lock()
	if p.kept == nil {
		p.kept = make(map[K][]waiting[S])
	}
	p.kept[k] = append(p.kept[k], waiting[S]{s, time.Now(), leave})
	p.count++
	if p.sweep == nil {
		p.sweep = time.AfterFunc(maxAge, p.expire)
	}
	var oldest waiting[S]
	switch {
	case len(p.kept[k]) > maxIdle:
		oldest = p.take(k, 0)
	case p.count > maxKept:
		oldest = p.take(p.oldest(), 0)
	}
	p.mu.Unlock()
	if oldest.leave != nil {
		oldest.leave()
	}
}

// expire ends the sessions that have waited too long, and comes back for the others.
func (p *Idle[K, S]) expire() {
	var old []waiting[S]
	p.mu.Lock()
	p.sweep = nil
	for p.count > 0 && p.sweep == nil {
		k := p.oldest()
		if left := maxAge - time.Since(p.kept[k][0].since); left > 0 {
			p.sweep = time.AfterFunc(left, p.expire)
		} else {
			old = append(old, p.take(k, 0))
		}
	}
	p.mu.Unlock()
	for _, w := range old {
		w.leave()
	}
}

// Take takes out a session for k, and tells since when it has waited: the one for
// which cost returns the least, and of several the one put last. One for which it
// returns false is left. Without a cost it is simply the one put last.
func (p *Idle[K, S]) Take(k K, cost func(S) (int, bool)) (s S, since time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	best, least := -1, 0
	for i, w := range slices.Backward(p.kept[k]) {
		n, fits := 0, true
		if cost != nil {
			n, fits = cost(w.session)
		}
		if fits && (best < 0 || n < least) {
			best, least = i, n
		}
	}
	if best < 0 {
		return s, since, false
	}
	w := p.take(k, best)
	return w.session, w.since, true
}

// oldest returns the key of the session that was kept longest. The caller holds the lock.
func (p *Idle[K, S]) oldest() (k K) {
	var since time.Time
	for other, list := range p.kept {
		if since.IsZero() || list[0].since.Before(since) {
			k, since = other, list[0].since
		}
	}
	return k
}

// take takes out the i-th session for k. The caller holds the lock.
func (p *Idle[K, S]) take(k K, i int) waiting[S] {
	w := p.kept[k][i]
	p.count--
	if p.kept[k] = slices.Delete(p.kept[k], i, i+1); len(p.kept[k]) == 0 {
		delete(p.kept, k)
	}
	return w
}

// Close ends all sessions that wait.
func (p *Idle[K, S]) Close() {
	p.mu.Lock()
	var all []waiting[S]
	for _, list := range p.kept {
		all = append(all, list...)
	}
	clear(p.kept)
	p.count = 0
	if p.sweep != nil {
		p.sweep.Stop()
		p.sweep = nil
	}
	p.mu.Unlock()
	for _, w := range all {
		w.leave()
	}
}
