package transport

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Of a key, a few sessions are kept, and none for long.
func TestIdleLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			p    idle[string, int]
			mu   sync.Mutex
			left []int
		)
		put := func(s int) {
			p.put(maxIdle, "k", s, func() {
				mu.Lock()
				defer mu.Unlock()
				left = append(left, s)
			})
		}
		gone := func() []int {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(left)
		}
		for s := range maxIdle + 1 {
			put(s)
			time.Sleep(time.Second)
		}
		if got := gone(); !slices.Equal(got, []int{0}) {
			t.Errorf("%v are left, want the oldest", got)
		}
		s, since, ok := p.take("k", nil)
		if s != maxIdle || !ok || time.Since(since) != time.Second {
			t.Errorf("took %d, %v ago, %v; want the newest", s, time.Since(since), ok)
		}
		if s, _, ok := p.take("other", nil); ok {
			t.Errorf("took %d for another key", s)
		}
		put(s)
		time.Sleep(maxAge - time.Millisecond)
		synctest.Wait()
		if got, want := gone(), []int{0, 1, 2, 3}; !slices.Equal(got, want) {
			t.Errorf("%v are left just before the newest is too old, want %v", got, want)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := gone(); len(got) != maxIdle+1 {
			t.Errorf("%v are left in the end", got)
		}
		for s := range 2 * maxIdle {
			p.put(2*maxIdle, "many", s, func() { t.Errorf("%d is left", s) })
		}
		for range 2 * maxIdle {
			if _, _, ok := p.take("many", nil); !ok {
				t.Error("one of those that may be kept is not")
			}
		}
		put(7)
		p.close()
		if got := gone(); got[len(got)-1] != 7 {
			t.Errorf("%v are left after Close", got)
		}
	})
}

// Of several sessions the cheapest is taken, and of those the newest.
func TestIdleCost(t *testing.T) {
	var p idle[string, string]
	for _, s := range []string{"useless", "far", "near", "near too"} {
		p.put(maxIdle, "k", s, func() {})
	}
	defer p.close()
	cost := func(s string) (int, bool) {
		return map[string]int{"far": 2, "near": 1, "near too": 1}[s], s != "useless"
	}
	for _, want := range []string{"near too", "near", "far", ""} {
		if got, _, ok := p.take("k", cost); got != want || ok != (want != "") {
			t.Errorf("took %q, want %q", got, want)
		}
	}
}

// Of many servers the one that was left alone longest is given up.
func TestIdleInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			p    idle[int, int]
			left []int
		)
		for s := range maxKept + 2 {
			p.put(maxIdle, s, s, func() { left = append(left, s) })
			time.Sleep(time.Millisecond)
		}
		if !slices.Equal(left, []int{0, 1}) {
			t.Errorf("%v are left, want the two oldest", left)
		}
		if _, _, ok := p.take(2, nil); !ok {
			t.Error("the third is not kept")
		}
		p.put(maxIdle, 0, 0, func() {})
		if len(left) != 2 {
			t.Errorf("%v are left, though there was room", left)
		}
		p.close()
	})
}
