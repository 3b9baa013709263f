package transport_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// Evict ends the kept sessions with a key, and leaves the others and those in use.
func TestEvict(t *testing.T) {
	var s server
	var p pool
	ctx := cancellable(t)
	for _, k := range []string{"k", "other"} {
		e := s.errand()
		e.Key = k
		p.Fetch(ctx, e)
	}
	one := &session{number: 3}
	l := p.Add(ctx, "k", transport.Terms{}, one)
	if !p.Evict("k") || p.Evict("k") || p.Evict("none") {
		t.Error("Evict reports other sessions than those that were kept")
	}
	want := []string{"talk unbind quit close", "talk unbind"}
	for i, opened := range s.sessions {
		if got := opened.called(); got != want[i] {
			t.Errorf("session %d: %q, want %q", i+1, got, want[i])
		}
	}
	if n := p.Count("k"); n != 1 || one.called() != "" {
		t.Errorf("%d sessions are open, and that in use has seen %q", n, one.called())
	}
	l.Close()
	p.CloseIdle()
}
