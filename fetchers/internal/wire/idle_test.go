package wire

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Of a key, a few sessions are kept, and none for long.
func TestIdleLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			p    Idle[string, int]
			left []int
		)
		put := func(s int) { p.Put("k", s, func() { left = append(left, s) }) }
		for s := range maxIdle + 1 {
			put(s)
			time.Sleep(time.Second)
		}
		if !slices.Equal(left, []int{0}) {
			t.Errorf("%v are left, want the oldest", left)
		}
		s, since, ok := p.Take("k", nil)
		if s != maxIdle || !ok || time.Since(since) != time.Second {
			t.Errorf("took %d, %v ago, %v; want the newest", s, time.Since(since), ok)
		}
		if s, _, ok := p.Take("other", nil); ok {
			t.Errorf("took %d for another key", s)
		}
		put(s)
		time.Sleep(maxAge - time.Millisecond)
		synctest.Wait()
		if want := []int{0, 1, 2, 3}; !slices.Equal(left, want) {
			t.Errorf("%v are left just before the newest is too old, want %v", left, want)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(left) != maxIdle+1 || len(p.kept) != 0 {
			t.Errorf("%v are left in the end", left)
		}
		put(7)
		p.Close()
		if left[len(left)-1] != 7 {
			t.Errorf("%v are left after Close", left)
		}
	})
}

// Of several sessions the cheapest is taken, and of those the newest.
func TestIdleCost(t *testing.T) {
	var p Idle[string, string]
	for _, s := range []string{"useless", "far", "near", "near too"} {
		p.Put("k", s, func() {})
	}
	defer p.Close()
	cost := func(s string) (int, bool) {
		return map[string]int{"far": 2, "near": 1, "near too": 1}[s], s != "useless"
	}
	for _, want := range []string{"near too", "near", "far", ""} {
		if got, _, ok := p.Take("k", cost); got != want || ok != (want != "") {
			t.Errorf("took %q, want %q", got, want)
		}
	}
}
