package http

import (
	"context"
	"slices"
	"sync"
)

// refusals are the requests of a connection that the server refused while others continued. A
// server may allow fewer streams than its SETTINGS announce, and refuse the rest. Each refused
// request waits until another one ends, as if it had got no stream. The zero value is empty.
type refusals struct {
	mu      sync.Mutex
	waiting []chan struct{} // oldest first
}

// await waits until another request on c ends, or ctx does. It returns false at once if no other
// request is active.
func (c *shared) await(ctx context.Context) bool {
	q, turn := &c.refusals, make(chan struct{})
	q.mu.Lock()
	if c.active.Load() == 0 || c.left.Load() {
		q.mu.Unlock()
		return false
	}
	q.waiting = append(q.waiting, turn)
	q.mu.Unlock()
	select {
	case <-turn:
	case <-ctx.Done():
		q.mu.Lock()
		i := slices.Index(q.waiting, turn)
		if i >= 0 {
			q.waiting = slices.Delete(q.waiting, i, i+1)
		}
		q.mu.Unlock()
		if i < 0 { // resume has chosen this request already
			c.resume(1)
		}
	}
	return true
}

// resume ends the wait of the first n refused requests, or of all if no request is active.
func (c *shared) resume(n int) {
	q := &c.refusals
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.active.Load() == 0 || c.left.Load() {
		n = len(q.waiting)
	}
	n = min(n, len(q.waiting))
	for _, turn := range q.waiting[:n] {
		close(turn)
	}
	q.waiting = slices.Delete(q.waiting, 0, n)
}
