// Package queue runs work for many hosts concurrently. Hosts take turns, and each has its own
// limit. The package does not know the work, and opens no connections.
//
//	q := queue.Queue{Most: 100, Room: func(host string) int { return 4 }}
//	for _, u := range urls {
//		err := q.Do(ctx, u.Host, func(ctx context.Context) {
//			fetch(fetchers.WithPause(ctx, queue.Pause), u)
//		})
//		if err != nil {
//			break
//		}
//	}
//	err := q.Wait(ctx)
//
// File queue.go has the methods for programs, turns.go chooses the next work, and pause.go lends
// the slot of waiting work to other work.
package queue

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrFull means that work has added more work than a Queue can hold.
var ErrFull = errors.New("too much work waits in the queue")

// A Queue runs work for many hosts, concurrently within its limits. It holds a limited amount of
// work, so that the total amount may be endless. The fields must not change in use. A Queue is safe
// for concurrent use. The zero Queue runs one piece of work at a time.
type Queue struct {
	// Most limits how much work runs concurrently; a value below 1 means 1.
	Most int

	// Room returns how much work may run concurrently for a host; a value below 1 means 1, and so
	// does a nil Room. The Queue calls Room whenever work of the host is added or ends, while it
	// holds a lock: Room must not call the Queue. The result may change. If it shrinks, running
	// work continues.
	Room func(host string) int

	// Delay returns the minimum time between two pieces of work of a host, measured from the start
	// and from the end of the first. A nil Delay means none. The Queue calls Delay under the same
	// conditions as Room.
	Delay func(host string) time.Duration

	// Window limits how much work of one host may wait; a value below 1 means 10,000. The limit for
	// all hosts together is twice as much. While the work of one host waits, work of another host
	// that was added later may start.
	Window int

	mu      sync.Mutex
	busy    int // slots in use
	waiting int // waiting work of all hosts
	begun   int // running work, including paused work
	paused  int
	resumed []*slot // waiting for a slot after a pause
	hosts   map[string]*host
	ready   []*host       // hosts with waiting work and room for it
	space   chan struct{} // closed when less work waits; nil if no call of Do waits
	done    chan struct{} // closed when all work is done; nil if no call of Wait waits
}

// usual is the default Window.
const usual = 10_000

var errNoContext = errors.New("the context is nil")

// Do adds work for a host, and returns before the work is done. Work of one host starts in the
// order of the calls, and hosts take turns.
//
// The context of the work is ctx, with a slot of the Queue for [Pause]. If ctx ends before the work
// starts, the work is dropped.
//
// If too much work waits, Do blocks until there is space, or returns the error of ctx if ctx ends
// first. Work may add work: with a ctx derived from the context of work, Do never blocks. The total
// limit is then twice as high, and beyond it the error is ErrFull. A nil ctx is an error.
func (q *Queue) Do(ctx context.Context, name string, work func(context.Context)) error {
	if ctx == nil {
		return errNoContext
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.admit(ctx, name); err != nil {
		return err
	}
	if q.hosts == nil {
		q.hosts = make(map[string]*host)
	}
	h := q.hosts[name]
	if h == nil {
		h = &host{name: name}
		q.hosts[name] = h
	}
	h.waiting = append(h.waiting, task{ctx, work})
	q.waiting++
	q.line(h)
	q.start()
	return nil
}

// admit waits until there is space for one more piece of work of a host.
func (q *Queue) admit(ctx context.Context, name string) error {
	if q.within(ctx) {
		if q.waiting >= 4*q.window() {
			return ErrFull
		}
		return ctx.Err()
	}
	for need := 1; !q.hasSpace(name, need); need = q.refill() {
		if q.space == nil {
			q.space = make(chan struct{})
		}
		space := q.space
		q.mu.Unlock()
		select {
		case <-space:
		case <-ctx.Done():
		}
		q.mu.Lock()
		if ctx.Err() != nil {
			break
		}
	}
	return ctx.Err()
}

// hasSpace reports whether n more pieces of work of a host may wait.
func (q *Queue) hasSpace(name string, n int) bool {
	h := q.hosts[name]
	return q.waiting+n <= 2*q.window() && (h == nil || len(h.waiting)+n <= q.window())
}

func (q *Queue) window() int {
	if q.Window < 1 {
		return usual
	}
	return q.Window
}

// refill is the free part of the window at which a blocked Do continues, so that its goroutine is
// not woken for each piece of work.
func (q *Queue) refill() int { return max(q.window()/32, 1) }

// Wait waits until all work is done. It first drops work whose context has ended. If ctx ends
// first, Wait returns its error: running work then continues, and another Wait may wait for it. A
// nil ctx is an error.
func (q *Queue) Wait(ctx context.Context) error {
	if ctx == nil {
		return errNoContext
	}
	q.mu.Lock()
	q.sweep()
	if q.begun+q.waiting == 0 {
		q.mu.Unlock()
		return nil
	}
	if q.done == nil {
		q.done = make(chan struct{})
	}
	done := q.done
	q.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
