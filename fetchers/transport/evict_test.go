package transport_test

import (
	"testing"
)

// Evict closes the kept sessions that match, and no others.
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
	l := lend(t, &p, one)
	with := func(k string) func(string) bool { return func(other string) bool { return other == k } }
	evict := func(k string) bool {
		return p.Evict(func(other string, _ *session) bool { return other == k }, func(one *session) { one.call("wait") })
	}
	if k, none := p.Open(with("k")), p.Open(with("none")); k != 2 || none != 0 {
		t.Errorf("%d and %d sessions are open, want 2 and 0", k, none)
	}
	if !evict("k") || evict("k") || evict("none") {
		t.Error("Evict reports other sessions than those that were kept")
	}
	want := []string{"talk unbind quit wait close", "talk unbind"}
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
