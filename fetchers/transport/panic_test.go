package transport_test

import (
	"context"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A panic of a protocol, or of a callback of the caller, leaves no session open and none counted.
func TestPanic(t *testing.T) {
	for _, in := range []string{"Open", "Talk", "Judge"} {
		t.Run(in, func(t *testing.T) {
			var s server
			var p pool
			e := s.errand()
			switch in {
			case "Open":
				e.Open = func(context.Context) (*session, error) { panic(in) }
			case "Talk":
				e.Talk = func(*lease) (*fetchers.Resource, error) { panic(in) }
			case "Judge":
				e = s.errand(0)
				e.Judge = nil
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic is gone")
					}
				}()
				p.Fetch(t.Context(), e)
			}()
			if n := p.Count("k"); n != 0 {
				t.Errorf("%d sessions are counted", n)
			}
			for _, opened := range s.sessions {
				if opened.closed.Load() != 1 {
					t.Error("the session is open")
				}
			}
		})
	}
}
