package cluster

import (
	"context"
	"sync"
	"time"
)

// A gate lets work pass until some of it fails. Then all work waits, and one piece at a time tries
// whether it goes again, after longer and longer waits.
type gate struct {
	mu      sync.Mutex
	pause   backoff
	trouble string
	until   time.Time     // when a piece of work may try again
	open    chan struct{} // closed when the gate opens; nil if it is open
}

// pass waits until work may begin, or returns the error of ctx.
func (g *gate) pass(ctx context.Context) error {
	for {
		g.mu.Lock()
		opened, left := g.open, time.Until(g.until)
		if opened != nil && left <= 0 {
			g.until = time.Now().Add(maxBackoff) // others wait for this one
		}
		g.mu.Unlock()
		if opened == nil || left <= 0 {
			return ctx.Err()
		}
		timer := time.NewTimer(left)
		select {
		case <-opened:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// failed closes the gate.
func (g *gate) failed(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open, g.pause = make(chan struct{}), backoff{}
	}
	g.trouble = err.Error()
	g.pause.next = min(max(2*g.pause.next, firstBackoff), maxBackoff)
	g.until = time.Now().Add(g.pause.next)
}

// worked opens the gate.
func (g *gate) worked() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open != nil {
		close(g.open)
		g.open, g.trouble = nil, ""
	}
}

// left is how long the gate is closed at least.
func (g *gate) left() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until)
}

// why returns why the gate is closed, or "".
func (g *gate) why() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.trouble
}
