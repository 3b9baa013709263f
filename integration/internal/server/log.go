package server

import (
	"slices"
	"sync"
)

// A Log has the requests that clients have sent, of all connections in order of arrival.
// Its methods may be called from any goroutine.
type Log[R any] struct {
	mu  sync.Mutex
	all []R
}

// Add adds a request and returns its place.
func (l *Log[R]) Add(r R) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, r)
	return len(l.all) - 1
}

// Set changes the request at a place.
func (l *Log[R]) Set(place int, r R) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[place] = r
}

// All returns the requests so far.
func (l *Log[R]) All() []R {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// Lines returns a line for each request so far.
func (l *Log[R]) Lines(line func(R) string) []string {
	var lines []string
	for _, r := range l.All() {
		lines = append(lines, line(r))
	}
	return lines
}
