package http

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A watch enforces the timeouts of a request on a shared connection: for a stream while no other
// request has one, and for the header of its response. The connection itself cannot, since other
// requests use it.
type watch struct {
	shared *shared
	cancel context.CancelCauseFunc
	limit  time.Duration // for the complete header; 0 means no limit
	stall  time.Duration // without a frame on the connection; 0 means no limit
	pace   *fetchers.Pace

	mu     sync.Mutex
	since  time.Time   // start of the wait for a stream, then of that for the header
	timer  *time.Timer // nil without a limit
	quiet  *time.Timer // nil unless stall is shorter than limit
	late   bool        // a timer has cancelled the request
	over   bool        // the wait has ended
	stream bool        // the request has a stream
	// released is set when the request has ended. net/http may still be writing the request header
	// at that time, and call sent later.
	released bool
}

// begin starts the wait for a stream.
func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = time.Now()
	if limit := w.streamLimit(); limit > 0 {
		w.timer = time.AfterFunc(limit, w.streamless)
	}
}

// streamLimit returns how long the request waits for a stream while no other request has one.
func (w *watch) streamLimit() time.Duration {
	if w.stallsFirst() {
		return w.stall
	}
	return w.limit
}

// stallsFirst reports whether the stall limit is shorter than that for the header.
func (w *watch) stallsFirst() bool { return w.stall > 0 && (w.limit <= 0 || w.stall < w.limit) }

// streamless cancels the request if neither it nor another request has a stream.
func (w *watch) streamless() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over || w.stream:
	case w.shared.active.Load() > 0 && !w.shared.left.Load():
		w.timer.Reset(w.streamLimit())
	default:
		w.fail(fmt.Errorf("%w: no stream in %v", fetchers.ErrStalled, w.streamLimit()))
	}
}

// sent starts the wait for the header of the response.
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
	w.since = time.Now()
	if w.stallsFirst() {
		w.quiet = time.AfterFunc(w.stall, w.silent)
	}
	left := w.pace.Left()
	cause := func() error { return w.pace.Expired(left) }
	if w.limit > 0 && w.limit < left {
		left, cause = w.limit, func() error { return fmt.Errorf("%w: no complete header in %v", fetchers.ErrStalled, w.limit) }
	}
	if left < fetchers.Unpaced {
		w.timer = time.AfterFunc(left, func() { w.expire(cause) })
	}
}

// silent cancels the request if the connection received no frame during the stall limit.
func (w *watch) silent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	if left := w.stall - time.Since(w.shared.frames.lastLife()); left > 0 {
		w.quiet.Reset(left)
		return
	}
	w.fail(stallError(w.stall))
}

func (w *watch) expire(cause func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.fail(cause())
	}
}

// fail cancels the request with err. The caller holds the lock.
func (w *watch) fail(err error) {
	w.late = true
	w.shared.doubt(w.since)
	w.cancel(err)
}

// stallError returns the error for a connection that stalled.
func stallError(limit time.Duration) error {
	return fmt.Errorf("%w: nothing for %v", fetchers.ErrStalled, limit)
}

// end ends the wait, and reports whether the watch has cancelled the request.
func (w *watch) end() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	for _, t := range []*time.Timer{w.timer, w.quiet} {
		if t != nil {
			t.Stop()
		}
	}
	return w.late
}

// release releases the stream of the request, and reports whether it had one.
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
