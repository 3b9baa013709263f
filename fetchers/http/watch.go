package http

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A watch ends a request on a shared connection that waits for too long: for a stream while
// no other request has one, or for the header of its answer. Its connection, which other
// requests share, cannot see to that.
type watch struct {
	shared *shared
	cancel context.CancelCauseFunc
	limit  time.Duration // 0 means for ever
	pace   *fetchers.Pace

	mu     sync.Mutex
	timer  *time.Timer // nil if there is no limit
	late   bool        // the timer has ended the request
	over   bool        // the wait has ended
	stream bool        // the request has a stream
	// released says that the request has ended. net/http may still be writing its header then,
	// and calls sent afterwards.
	released bool
}

// begin begins the wait for a stream.
func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limit > 0 {
		w.timer = time.AfterFunc(w.limit, w.streamless)
	}
}

// streamless ends the request if it has no stream yet, and no other request has one.
func (w *watch) streamless() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over || w.stream:
	case w.shared.active.Load() > 0 && !w.shared.left.Load():
		w.timer.Reset(w.limit)
	default:
		w.late = true
		w.cancel(fmt.Errorf("%w: no stream in %v", fetchers.ErrStalled, w.limit))
	}
}

// sent begins the wait for the header of the answer.
func (w *watch) sent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stream || w.released {
		return
	}
	w.stream = true
	w.shared.active.Add(1)
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	if w.over || w.late {
		return
	}
	left := w.pace.Left()
	cause := func() error { return w.pace.Expired(left) }
	if w.limit > 0 && w.limit < left {
		left, cause = w.limit, func() error { return fmt.Errorf("%w: no whole header in %v", fetchers.ErrStalled, w.limit) }
	}
	if left < fetchers.Unpaced {
		w.timer = time.AfterFunc(left, func() { w.expire(cause) })
	}
}

func (w *watch) expire(cause func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.late = true
		w.cancel(cause())
	}
}

// end ends the wait, and reports whether the watch has ended the request.
func (w *watch) end() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.timer != nil {
		w.timer.Stop()
	}
	return w.late
}

// release gives back the stream of the request, and reports whether it had one.
func (w *watch) release() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.released = true
	had := w.stream
	if had {
		w.stream = false
		w.shared.active.Add(-1)
	}
	return had
}
