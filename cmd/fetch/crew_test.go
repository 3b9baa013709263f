package main

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Work is done at the same time, within the limits, and all of it.
func TestCrew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(3, 2)
		var busy, done atomic.Int64
		perHost := map[string]*atomic.Int64{"a": new(atomic.Int64), "b": new(atomic.Int64)}
		begin := time.Now()
		for _, host := range []string{"a", "a", "b", "a", "b", "b"} {
			c.do(host, func() {
				if n := busy.Add(1); n > 3 {
					t.Errorf("%d at the same time", n)
				}
				if n := perHost[host].Add(1); n > 2 {
					t.Errorf("%d for %s at the same time", n, host)
				}
				time.Sleep(time.Second)
				perHost[host].Add(-1)
				busy.Add(-1)
				done.Add(1)
			})
		}
		c.wait()
		if done.Load() != 6 || time.Since(begin) != 2*time.Second || len(c.hosts) != 0 {
			t.Errorf("%d done in %v, %d hosts left", done.Load(), time.Since(begin), len(c.hosts))
		}
	})
}
