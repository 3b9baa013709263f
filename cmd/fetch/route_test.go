package main

import (
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A --stall-timeout of 0 is none, and not that of a Network that says nothing.
func TestStallTimeout(t *testing.T) {
	for _, c := range []struct {
		flag string
		want time.Duration
	}{{"", time.Minute}, {"0", 0}, {"1.5", 1500 * time.Millisecond}} {
		a := new(app)
		root := a.command()
		if c.flag != "" {
			if err := root.Flags().Set("stall-timeout", c.flag); err != nil {
				t.Fatal(err)
			}
		}
		if got := (&fetchers.Network{Stall: a.route.silence()}).StallLimit(); got != c.want {
			t.Errorf("--stall-timeout %q: %v, want %v", c.flag, got, c.want)
		}
	}
}
