// Package queue does work for many hosts at once. Hosts take turns, and each has a bound of
// its own. The package knows nothing of the work, and opens no connection.
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
// The file queue.go has the methods for programs, turns.go decides which work begins next, and
// pause.go lends the slot of work that only waits to other work.
package queue

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrFull says that work added more work than a Queue holds.
var ErrFull = errors.New("too much work waits in the queue")

// A Queue does work for many hosts, as much at once as its limits allow. A Queue holds a
// bounded amount of the work to come, so the work may be endless. The fields must not change in
// use. Several goroutines may call the methods at once. The zero Queue does one piece of work
// at a time.
type Queue struct {
	// Most is how much work is done at once; less than 1 is 1.
	Most int

	// Room returns how much of it may be done at once for a host; less than 1 is 1, and so
	// is a nil Room. The Queue calls Room whenever work of the host comes or ends, while
	// the Queue holds a lock: Room must not call the Queue. The result may differ from call
	// to call. If the result shrinks, work that has begun goes on.
	Room func(host string) int

	// Delay returns how long a host is left alone: no work of the host begins in this time
	// after other work of the host has begun, or has ended. A nil Delay is none. The Queue
	// calls Delay as it calls Room.
	Delay func(host string) time.Duration

	// Window is how much work of one host waits at most; less than 1 is 10,000. All hosts
	// together have twice as much. While the work of one host waits, work of another host
	// that was added later may begin.
	Window int

	mu      sync.Mutex
	busy    int // slots that are taken
	waiting int // work of all hosts that has not begun
	begun   int // work that has begun and not ended; some of it may be paused
	paused  int
	resumed []*slot // they wait for their turn to go on
	hosts   map[string]*host
	ready   []*host       // they have waiting work, and room for it
	space   chan struct{} // closed when less work waits; nil if no call of Do waits for that
	done    chan struct{} // closed when all work is done; nil if no call of Wait waits for that
}

// usual is the Window of a Queue that has none.
const usual = 10_000

var errNoContext = errors.New("the context is nil")

// Do has the queue do work for a host, once, and returns before the work is done. Work of one
// host begins in the order in which it came, and hosts take turns.
//
// The context of the work is ctx, with a slot of the Queue that [Pause] finds. Work is left out
// if ctx ends before the work has begun.
//
// If too much work waits, Do waits until less does, or returns the error of ctx if that ends
// first. Work may add work: with a ctx that is from the context of work, Do never waits. The
// work that waits may then be twice that of all hosts, and beyond that the error is ErrFull. A nil
// ctx is an error.
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

// hasSpace reports whether a host may have n more pieces of work that wait.
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

// refill is how much of the window is free before a Do that waits goes on, so that its
// goroutine is not woken for each piece of work.
func (q *Queue) refill() int { return max(q.window()/32, 1) }

// Wait waits until all work is done, and first removes work whose context has ended. Wait
// returns the error of ctx if that ends before the work: work that has begun then goes on, and
// another Wait may wait for it. A nil ctx is an error.
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
