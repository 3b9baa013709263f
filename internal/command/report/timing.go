package report

import (
	"sync"
	"time"
)

// A timing has when what happened in one fetch, from its beginning up to its answer: segments of a
// file and the rest of a body count no more. A nil *timing notes nothing.
type timing struct {
	began time.Time

	mu       sync.Mutex
	times    map[moment]time.Duration
	noted    map[moment]bool // since the last request was made
	answered bool
	connects int
}

// A moment is one that a timing notes.
type moment int

const (
	resolved moment = iota
	connected
	secured
	redirected
	begun // the answer
)

// note notes a moment. For each request the first one counts: the next connection is for the data of
// FTP.
func (t *timing) note(what moment) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if what == connected {
		t.connects++
	}
	if t.answered || t.noted[what] {
		return
	}
	if t.times == nil {
		t.times, t.noted = make(map[moment]time.Duration), make(map[moment]bool)
	}
	t.times[what], t.noted[what] = time.Since(t.began), true
}

// again is told that another request is made, for a redirection or since the last one failed.
func (t *timing) again() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.noted)
}

// answer is told of an answer that is no redirection.
func (t *timing) answer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answered = true
}

// at returns when a moment was, or 0 if there was none.
func (t *timing) at(what moment) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.times[what]
}

// connections returns how many were made.
func (t *timing) connections() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.connects
}
