package transport

import (
	"slices"
	"sync"
	"time"
)

const (
	maxIdle = 4           // sessions kept for one key; servers limit them too
	maxKept = 256         // kept in all; each is a descriptor, of which there may be 1,024
	maxAge  = time.Minute // how long one is kept; servers wait for three and more
)

// An idle holds the sessions that wait for another fetch, by a key that says for
// what they may be used again: a server, and a login. Of one key a few are kept, not
// many in all, and none for long. The zero idle is empty.
type idle[K, S comparable] struct {
	mu    sync.Mutex
	kept  []waiting[K, S] // in the order in which they were put
	sweep *time.Timer     // runs expire; nil if it is not to run
}

// A waiting session is one that nobody uses.
type waiting[K, S comparable] struct {
	key     K
	session S
	since   time.Time
	leave   func()
}

// put keeps a session for another fetch, up to most of them for k at the expense of the one
// kept longest. If nobody takes it, leave ends it.
func (p *idle[K, S]) put(most int, k K, s S, leave func()) {
	p.mu.Lock()
	p.kept = append(p.kept, waiting[K, S]{k, s, time.Now(), leave})
	if p.sweep == nil {
		p.sweep = time.AfterFunc(maxAge, p.expire)
	}
	oldest, same := 0, 0
	for i, w := range slices.Backward(p.kept) {
		if w.key == k {
			oldest = i
			same++
		}
	}
	var over waiting[K, S]
	switch {
	case same > most:
		over = p.remove(oldest)
	case len(p.kept) > maxKept:
		over = p.remove(0)
	}
	p.mu.Unlock()
	if over.leave != nil {
		over.leave()
	}
}

// expire ends the sessions that have waited too long, and comes back for the others.
func (p *idle[K, S]) expire() {
	p.mu.Lock()
	p.sweep = nil
	n := 0
	for n < len(p.kept) && p.sweep == nil {
		if left := maxAge - time.Since(p.kept[n].since); left > 0 {
			p.sweep = time.AfterFunc(left, p.expire)
		} else {
			n++
		}
	}
	old := slices.Clone(p.kept[:n])
	p.kept = slices.Delete(p.kept, 0, n)
	p.mu.Unlock()
	leave(old)
}

// take takes out a session for k, and tells since when it has waited: the one for
// which cost returns the least, and of several the one put last. One for which it
// returns false is left. Without a cost it is simply the one put last.
func (p *idle[K, S]) take(k K, cost func(S) (int, bool)) (s S, since time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	best, least := -1, 0
	for i, w := range slices.Backward(p.kept) {
		if w.key != k {
			continue
		}
		n, fits := 0, true
		if cost != nil {
			n, fits = cost(w.session)
		}
		if fits && (best < 0 || n < least) {
			best, least = i, n
		}
		if cost == nil {
			break
		}
	}
	if best < 0 {
		return s, since, false
	}
	w := p.remove(best)
	return w.session, w.since, true
}

// takeAll takes out the sessions for which match returns true.
func (p *idle[K, S]) takeAll(match func(K, S) bool) (all []waiting[K, S]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = slices.DeleteFunc(p.kept, func(w waiting[K, S]) bool {
		taken := match(w.key, w.session)
		if taken {
			all = append(all, w)
		}
		return taken
	})
	return all
}

// remove takes out the i-th session. The caller holds the lock.
func (p *idle[K, S]) remove(i int) waiting[K, S] {
	w := p.kept[i]
	p.kept = slices.Delete(p.kept, i, i+1)
	return w
}

// close ends all sessions that wait.
func (p *idle[K, S]) close() {
	p.mu.Lock()
	all := p.kept
	p.kept = nil
	if p.sweep != nil {
		p.sweep.Stop()
		p.sweep = nil
	}
	p.mu.Unlock()
	leave(all)
}

func leave[K, S comparable](all []waiting[K, S]) {
	for _, w := range all {
		w.leave()
	}
}
