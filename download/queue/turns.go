package queue

import (
	"context"
	"slices"
	"time"
)

// A host is a host with waiting or running work.
type host struct {
	name    string
	busy    int
	resting int // number of running delays
	waiting []task
	ready   bool // the host is in Queue.ready
}

// A task is waiting work.
type task struct {
	ctx  context.Context
	work func(context.Context)
}

// room returns how much work may run concurrently for a host.
func (q *Queue) room(h *host) int {
	if q.Room == nil {
		return 1
	}
	return max(q.Room(h.name), 1)
}

// mayBegin reports whether the limits of h allow its next work to start.
func (q *Queue) mayBegin(h *host) bool {
	return len(h.waiting) > 0 && h.resting == 0 && (h.busy == 0 || h.busy < q.room(h))
}

// line appends h to the ready hosts, if its next work may start. A host without any work is
// forgotten.
func (q *Queue) line(h *host) {
	switch {
	case !h.ready && q.mayBegin(h):
		h.ready = true
		q.ready = append(q.ready, h)
	case h.busy+h.resting+len(h.waiting) == 0:
		delete(q.hosts, h.name)
	}
}

// start starts the work that may start.
func (q *Queue) start() {
	for h, t := q.next(); t.work != nil; h, t = q.next() {
		go q.run(h, t)
	}
}

// run does work for h, and then further work in the same goroutine: a new one would have to grow
// its stack again.
func (q *Queue) run(h *host, t task) {
	for t.work != nil {
		s := &slot{queue: q, outer: slotOf(t.ctx)}
		t.work(context.WithValue(t.ctx, slotKey{}, s))
		h, t = q.ended(h, s)
	}
}

// next takes the next work that may start, if there is any.
func (q *Queue) next() (*host, task) {
	for q.busy < max(q.Most, 1) && len(q.ready) > 0 {
		h := q.ready[0]
		q.ready[0], q.ready, h.ready = nil, q.ready[1:], false
		if !q.mayBegin(h) {
			continue // its room has shrunk
		}
		t := h.waiting[0]
		h.waiting[0], h.waiting = task{}, h.waiting[1:]
		q.waiting--
		q.makeSpace(h)
		if t.ctx.Err() != nil {
			q.line(h)
			q.finish()
			continue
		}
		q.begun++
		q.busy++
		h.busy++
		q.rest(h)
		q.line(h)
		return h, t
	}
	return nil, task{}
}

// ended records the end of work for h, and returns the next work for the goroutine.
func (q *Queue) ended(h *host, s *slot) (*host, task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.release(s)
	q.begun--
	h.busy--
	q.rest(h)
	q.line(h)
	q.finish()
	q.resume()
	next, t := q.next()
	q.start()
	return next, t
}

// rest delays further work of h by its Delay.
func (q *Queue) rest(h *host) {
	if q.Delay == nil {
		return
	}
	delay := q.Delay(h.name)
	if delay <= 0 {
		return
	}
	h.resting++
	time.AfterFunc(delay, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		h.resting--
		q.line(h)
		q.start()
	})
}

// makeSpace wakes blocked calls of Do, after work of h has left the queue.
func (q *Queue) makeSpace(h *host) {
	if q.space != nil && (len(h.waiting) == q.window()-q.refill() || q.waiting == 2*q.window()-q.refill()) {
		close(q.space)
		q.space = nil
	}
}

// finish wakes the calls of Wait if all work is done.
func (q *Queue) finish() {
	if q.done != nil && q.begun+q.waiting == 0 {
		close(q.done)
		q.done = nil
	}
}

// sweep drops work whose context has ended.
func (q *Queue) sweep() {
	for _, h := range q.hosts {
		before := len(h.waiting)
		h.waiting = slices.DeleteFunc(h.waiting, func(t task) bool { return t.ctx.Err() != nil })
		q.waiting -= before - len(h.waiting)
		q.line(h)
	}
	if q.space != nil {
		close(q.space)
		q.space = nil
	}
	q.finish()
}
