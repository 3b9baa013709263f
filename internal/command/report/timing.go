package report

import (
	"sync"
	"time"
)

// A timing has the times of the events in one fetch, from its beginning to its answer. Segments of
// a file and the rest of a body do not count. A nil *timing notes nothing.
type timing struct {
	began time.Time

	mu       sync.Mutex
	times    map[moment]time.Duration
	noted    map[moment]bool // since the last request was made
	answered bool
	connects int
}

// A moment is an event whose time a timing notes.
type moment int

const (
	resolved moment = iota
	connected
	secured
	redirected
	begun // the answer has begun
)

// note notes the time of a moment. In each request only the first counts: a second connection is
// for the data of FTP.
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

// again notes that another request begins, after a redirection or a failure.
func (t *timing) again() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.noted)
}

// answer notes an answer that is no redirection.
func (t *timing) answer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answered = true
}

// at returns the time of a moment, or 0 if it has not happened.
func (t *timing) at(what moment) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.times[what]
}

// connections returns how many connections were made.
func (t *timing) connections() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.connects
}
