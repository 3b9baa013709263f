package main

import (
	"testing"
	"time"
)

// A time of 0 is no bound, and not that of a Network that says nothing.
func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		args           []string
		connect, stall time.Duration // less than 0 is no bound
	}{
		{nil, 30 * time.Second, time.Minute},
		{[]string{"--connect-timeout=0", "--stall-timeout=0"}, -1, -1},
		{[]string{"--connect-timeout=2", "--stall-timeout=1.5"}, 2 * time.Second, 1500 * time.Millisecond},
	} {
		a := new(app)
		if err := a.command().ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		nw, err := a.route.network()
		if err != nil {
			t.Fatal(err)
		}
		if nw.Connect != c.connect || nw.Stall != c.stall {
			t.Errorf("%q: %v and %v, want %v and %v", c.args, nw.Connect, nw.Stall, c.connect, c.stall)
		}
	}
}
