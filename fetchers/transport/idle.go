package transport

import (
	"sync"
	"time"
)

// An idle holds the idle sessions of a Pool, by key. The zero idle is empty; leave must be set
// before put.
type idle[K, S comparable] struct {
	leave func(*waiting[K, S]) // closes a session that was removed

	mu    sync.Mutex
	kept  int
	first *waiting[K, S] // oldest session
	last  *waiting[K, S]
	of    map[K]line[K, S]
	sweep *time.Timer // runs expire; nil if it is not scheduled
}

// A line is the list of the sessions of one key, from the oldest to the newest.
type line[K, S comparable] struct {
	oldest, newest *waiting[K, S]
	n              int
}

// A waiting is an idle session. It is in two lists: that of all sessions, and that of its key.
type waiting[K, S comparable] struct {
	key     K
	session S
	host    string // see Terms.Host
	since   time.Time
	age     time.Duration // how long the session is kept; 0 means no limit

	before, after *waiting[K, S]
	older, newer  *waiting[K, S] // of the same key
}

// put keeps a session: at most same for its key, and at most all in total. Beyond these limits the
// oldest session is removed and returned; the caller must close it.
func (p *idle[K, S]) put(w *waiting[K, S], same, all int) (over *waiting[K, S]) {
	if same <= 0 || all <= 0 {
		return w
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w.since = time.Now()
	p.insert(w)
	if p.sweep == nil && w.age > 0 {
		p.sweep = time.AfterFunc(w.age, p.expire)
	}
	switch of := p.of[w.key]; {
	case of.n > same:
		over = of.oldest
	case p.kept > all:
		over = p.first
	default:
		return nil
	}
	p.remove(over)
	return over
}

// insert appends w to both lists. The caller holds the lock.
func (p *idle[K, S]) insert(w *waiting[K, S]) {
	if p.of == nil {
		p.of = make(map[K]line[K, S])
	}
	p.kept++
	if w.before = p.last; w.before != nil {
		w.before.after = w
	} else {
		p.first = w
	}
	p.last = w
	of := p.of[w.key]
	if w.older = of.newest; w.older != nil {
		w.older.newer = w
	} else {
		of.oldest = w
	}
	of.newest = w
	of.n++
	p.of[w.key] = of
}

// remove removes w from both lists. The caller holds the lock.
func (p *idle[K, S]) remove(w *waiting[K, S]) {
	p.kept--
	if w.before != nil {
		w.before.after = w.after
	} else {
		p.first = w.after
	}
	if w.after != nil {
		w.after.before = w.before
	} else {
		p.last = w.before
	}
	of := p.of[w.key]
	if w.older != nil {
		w.older.newer = w.newer
	} else {
		of.oldest = w.newer
	}
	if w.newer != nil {
		w.newer.older = w.older
	} else {
		of.newest = w.older
	}
	if of.n--; of.n > 0 {
		p.of[w.key] = of
	} else {
		delete(p.of, w.key)
	}
	w.before, w.after, w.older, w.newer = nil, nil, nil, nil
}

// expire closes the sessions that were idle for too long, and schedules itself for the others.
func (p *idle[K, S]) expire() {
	p.mu.Lock()
	p.sweep = nil
	var old []*waiting[K, S]
	for w := p.first; w != nil && w.age > 0; w = p.first {
		if left := w.age - time.Since(w.since); left > 0 {
			p.sweep = time.AfterFunc(left, p.expire)
			break
		}
		p.remove(w)
		old = append(old, w)
	}
	p.mu.Unlock()
	for _, w := range old {
		p.leave(w)
	}
}

// take removes and returns a session for k: the one with the lowest cost, and of equals the newest.
// A session for which cost returns false is not taken. If cost is nil, the newest is taken. It
// returns nil if there is none.
func (p *idle[K, S]) take(k K, cost func(S) (int, bool)) (best *waiting[K, S]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cost == nil {
		best = p.of[k].newest
	} else {
		least := 0
		for w := p.of[k].newest; w != nil; w = w.older {
			if n, fits := cost(w.session); fits && (best == nil || n < least) {
				best, least = w, n
			}
		}
	}
	if best != nil {
		p.remove(best)
	}
	return best
}

// takeOf removes and returns the oldest session with a host, or nil.
func (p *idle[K, S]) takeOf(host string) *waiting[K, S] {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := p.first; w != nil; w = w.after {
		if w.host == host {
			p.remove(w)
			return w
		}
	}
	return nil
}

// takeAll removes and returns the sessions for which match returns true, in the order of put.
func (p *idle[K, S]) takeAll(match func(K, S) bool) (all []*waiting[K, S]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := p.first; w != nil; {
		next := w.after
		if match(w.key, w.session) {
			p.remove(w)
			all = append(all, w)
		}
		w = next
	}
	return all
}

// close closes all idle sessions.
func (p *idle[K, S]) close() {
	all := p.takeAll(func(K, S) bool { return true })
	p.mu.Lock()
	if p.sweep != nil && p.kept == 0 {
		p.sweep.Stop()
		p.sweep = nil
	}
	p.mu.Unlock()
	for _, w := range all {
		p.leave(w)
	}
}
