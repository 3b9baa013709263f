// Package queue does work for many hosts at once. Hosts take turns, and each has a bound of
// its own. The package knows nothing of the work, and opens no connection.
//
//	q := queue.Queue{Most: 100, Room: func(host string) int { return 4 }}
//	for _, u := range urls {
//		q.Do(u.Host, func(slot *queue.Slot) {
//			fetch(fetchers.WithPause(ctx, slot.Pause), u)
//		})
//	}
//	q.Wait()
package queue

import (
	"context"
	"slices"
	"sync"
)

// A Queue does work for many hosts, as much at once as its limits allow. It holds little of
// the work to come, so the work may be endless. Its fields must not change in use. One
// goroutine at a time may call Do and Wait.
type Queue struct {
	// Most is how much work is done at once; less than 1 is 1.
	Most int

	// Room returns how much of it may be done at once for a host; less than 1 is 1, and so
	// is a nil Room. The Queue calls Room whenever work of the host comes or ends, while
	// it holds a lock: Room must not call the Queue. The result may differ from call to
	// call. If it shrinks, work that has begun goes on.
	Room func(host string) int

	mu      sync.Mutex
	space   sync.Cond // there is space for more waiting work
	busy    int
	paused  int
	resumed []*Slot // they wait for their turn to go on
	waiting int     // work of all hosts that has not begun
	hosts   map[string]*host
	ready   []*host // they have waiting work, and room for it
	working sync.WaitGroup
}

// window is how much work waits at most. While the work of one host waits, that of another
// one behind it may begin. In a list the window is this many lines.
const window = 1000

// refill is how much of the window is free before Do goes on, so that the goroutine that
// calls Do is not woken for each piece of work.
const refill = 32

// maxPaused is how many slots may be free for other work while their own is paused.
const maxPaused = 256

// A host has work that waits or is done.
type host struct {
	name    string
	busy    int
	waiting []func(*Slot)
	ready   bool // it is in Queue.ready
}

// Do has the queue do work for a host. Work of one host begins in the order in which it came,
// and hosts take turns. Do returns before the work is done. If too much work waits, Do waits
// until less does.
func (q *Queue) Do(name string, work func(*Slot)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.space.L = &q.mu
	if q.waiting >= window {
		for q.waiting > window-refill {
			q.space.Wait()
		}
	}
	if q.hosts == nil {
		q.hosts = make(map[string]*host)
	}
	h := q.hosts[name]
	if h == nil {
		h = &host{name: name}
		q.hosts[name] = h
	}
	h.waiting = append(h.waiting, work)
	q.waiting++
	q.line(h)
	q.start()
}

// Wait waits until all work is done.
func (q *Queue) Wait() { q.working.Wait() }

// room returns how much work may be done at once for a host.
func (q *Queue) room(h *host) int {
	if q.Room == nil {
		return 1
	}
	return max(q.Room(h.name), 1)
}

// line puts h at the end of the hosts that are ready, if it is.
func (q *Queue) line(h *host) {
	if !h.ready && len(h.waiting) > 0 && h.busy < q.room(h) {
		h.ready = true
		q.ready = append(q.ready, h)
	}
}

// start begins the work that may begin.
func (q *Queue) start() {
	for h, work := q.next(); work != nil; h, work = q.next() {
		q.working.Go(func() { q.work(h, work) })
	}
	if q.space.L != nil && q.waiting <= window-refill {
		q.space.Signal()
	}
}

// work does work for h, and then other work: a new goroutine would have to grow its stack
// again.
func (q *Queue) work(h *host, work func(*Slot)) {
	for work != nil {
		work(&Slot{queue: q})
		h, work = q.done(h)
	}
}

// next takes the next work, if it may begin. A host whose room has shrunk since it became
// ready waits until some of its work ends.
func (q *Queue) next() (*host, func(*Slot)) {
	for q.busy < max(q.Most, 1) && len(q.ready) > 0 {
		h := q.ready[0]
		q.ready[0], q.ready, h.ready = nil, q.ready[1:], false
		if h.busy > 0 && h.busy >= q.room(h) {
			continue
		}
		work := h.waiting[0]
		h.waiting[0], h.waiting = nil, h.waiting[1:]
		q.waiting--
		q.busy++
		h.busy++
		q.line(h)
		return h, work
	}
	return nil, nil
}

// done ends work for h, and returns the work that takes its place.
func (q *Queue) done(h *host) (*host, func(*Slot)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	h.busy--
	if h.busy == 0 && len(h.waiting) == 0 {
		delete(q.hosts, h.name)
	}
	q.line(h)
	q.resume()
	next, work := q.next()
	q.start()
	return next, work
}

// A Slot is one of the Most of a Queue, and belongs to a piece of work. It is valid while
// that is done.
type Slot struct {
	queue *Queue
	back  chan struct{} // closed when the work has the slot again; nil while it has it
}

// Pause gives the slot to other work while its own waits, for a time that a server asked for,
// say. The result ends the pause: it returns when the work has a slot again, before work that
// has not begun, or when ctx is done. Pause does nothing if the slot is paused already, if
// Most is less than 2, or if too many slots are paused. For its host the work still counts.
// Several goroutines of the work may call Pause: the first that pauses gives the slot away,
// and the first that goes on takes it back.
func (s *Slot) Pause(ctx context.Context) (resume func()) {
	q := s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.Most > 1 && s.back == nil && q.paused < maxPaused {
		s.back = make(chan struct{})
		q.paused++
		q.busy--
		q.resume()
		q.start()
	}
	return func() { s.resume(ctx) }
}

// resume waits until the work has its slot again, or until ctx is done.
func (s *Slot) resume(ctx context.Context) {
	q := s.queue
	q.mu.Lock()
	back := s.back
	if back != nil && !slices.Contains(q.resumed, s) {
		q.paused--
		q.resumed = append(q.resumed, s)
		q.resume()
	}
	q.mu.Unlock()
	if back == nil {
		return
	}
	select {
	case <-back:
		return
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.back == back {
		q.take(s)
	}
}

// resume gives free slots to work that goes on after a pause.
func (q *Queue) resume() {
	for len(q.resumed) > 0 && q.busy < q.Most {
		q.take(q.resumed[0])
	}
}

// take gives a slot to work that goes on after a pause.
func (q *Queue) take(s *Slot) {
	i := slices.Index(q.resumed, s)
	q.resumed = slices.Delete(q.resumed, i, i+1)
	close(s.back)
	s.back = nil
	q.busy++
}
