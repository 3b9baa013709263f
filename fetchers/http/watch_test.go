package http

import (
	"context"
	"testing"
	"time"
)

// A request does not count as active after it ended, even if net/http reports its header as written
// later.
func TestWatchIsReleased(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls func(w *watch)
	}{
		{"written before the end", func(w *watch) { w.begin(); w.sent(); w.end(); w.release() }},
		{"written after the end", func(w *watch) { w.begin(); w.end(); w.release(); w.sent() }},
		{"written before and after the end", func(w *watch) { w.begin(); w.sent(); w.end(); w.release(); w.sent() }},
		{"released twice", func(w *watch) { w.begin(); w.sent(); w.end(); w.release(); w.release() }},
	} {
		s := new(shared)
		_, cancel := context.WithCancelCause(t.Context())
		c.calls(&watch{shared: s, cancel: cancel, limit: time.Minute})
		if n := s.active.Load(); n != 0 {
			t.Errorf("%s: %d active requests", c.name, n)
		}
		cancel(nil)
	}
}
