package queue

import (
	"context"
	"slices"
)

// A slot is the permission for one piece of work to run; a Queue has Most of them.
type slot struct {
	queue *Queue
	outer *slot         // of work of another Queue that this work belongs to; may be nil
	back  chan struct{} // closed when the work has the slot again; nil while it has the slot
}

type slotKey struct{}

// slotOf returns the slot of the work with the context ctx, or nil.
func slotOf(ctx context.Context) *slot {
	if ctx == nil {
		return nil
	}
	s, _ := ctx.Value(slotKey{}).(*slot)
	return s
}

// within reports whether ctx is the context of work of q.
func (q *Queue) within(ctx context.Context) bool {
	for s := slotOf(ctx); s != nil; s = s.outer {
		if s.queue == q {
			return true
		}
	}
	return false
}

// maxPaused limits the number of paused slots that other work may use.
const maxPaused = 256

// Pause gives the slot of work to other work of the Queue while the work only waits, for instance
// for a time that a server asked for. ctx is the context of the work, or derived from it. Call
// resume to end the pause: it returns when the work has a slot again, which it gets before work
// that has not started, or when ctx is done. The work still counts for its host.
//
// Pause does nothing if ctx is nil or not the context of work, if the slot is already paused, if
// Most is less than 2, or if 256 slots are paused. Several goroutines of the work may call Pause:
// the first pause gives the slot away, and the first resume takes it back.
func Pause(ctx context.Context) (resume func()) {
	s := slotOf(ctx)
	if s == nil {
		return func() {}
	}
	s.pause()
	return func() { s.resume(ctx) }
}

// pause gives the slot to other work.
func (s *slot) pause() {
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
}

// resume waits until the work has its slot again, or until ctx is done.
func (s *slot) resume(ctx context.Context) {
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

// resume gives free slots to paused work that is ready to continue.
func (q *Queue) resume() {
	for len(q.resumed) > 0 && q.busy < q.Most {
		q.take(q.resumed[0])
	}
}

// take gives a slot to paused work that is ready to continue.
func (q *Queue) take(s *slot) {
	i := slices.Index(q.resumed, s)
	q.resumed = slices.Delete(q.resumed, i, i+1)
	close(s.back)
	s.back = nil
	q.busy++
}

// release takes the slot from work that has ended, even during a pause.
func (q *Queue) release(s *slot) {
	if s.back == nil {
		q.busy--
		return
	}
	if i := slices.Index(q.resumed, s); i >= 0 {
		q.resumed = slices.Delete(q.resumed, i, i+1)
	} else {
		q.paused--
	}
	close(s.back)
	s.back = nil
}
