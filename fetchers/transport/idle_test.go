package transport

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// An idleTest is an idle whose sessions are numbers. It records closed ones.
type idleTest struct {
	idle[string, int]
	same, all int
	age       time.Duration

	mu   sync.Mutex
	left []int
}

func newIdleTest(same, all int, age time.Duration) *idleTest {
	p := &idleTest{same: same, all: all, age: age}
	p.leave = func(w *waiting[string, int]) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.left = append(p.left, w.session)
	}
	return p
}

func (p *idleTest) keep(k string, s int) {
	if over := p.put(&waiting[string, int]{key: k, session: s, host: k, age: p.age}, p.same, p.all); over != nil {
		p.leave(over)
	}
}

func (p *idleTest) gone() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.left)
}

// The number of sessions of a key and their age are limited.
func TestIdleLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newIdleTest(4, 100, time.Minute)
		for s := range 5 {
			p.keep("k", s)
			time.Sleep(time.Second)
		}
		if got := p.gone(); !slices.Equal(got, []int{0}) {
			t.Errorf("%v are left, want the oldest", got)
		}
		if w := p.take("k", nil); w == nil || w.session != 4 || time.Since(w.since) != time.Second {
			t.Errorf("took %+v, want the newest, of a second ago", w)
		}
		if w := p.take("other", nil); w != nil {
			t.Errorf("took %+v for another key", w)
		}
		p.keep("k", 4)
		time.Sleep(time.Minute - time.Millisecond)
		synctest.Wait()
		if got, want := p.gone(), []int{0, 1, 2, 3}; !slices.Equal(got, want) {
			t.Errorf("%v are left just before the newest is too old, want %v", got, want)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := p.gone(); len(got) != 5 {
			t.Errorf("%v are left in the end", got)
		}
		p.keep("k", 7)
		p.close()
		if got := p.gone(); got[len(got)-1] != 7 {
			t.Errorf("%v are left after close", got)
		}
	})
}

// An age of 0 keeps a session until close.
func TestIdleWithoutAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newIdleTest(4, 100, 0)
		p.keep("k", 1)
		time.Sleep(1000 * time.Hour)
		if w := p.take("k", nil); w == nil {
			t.Errorf("%v are left", p.gone())
		}
	})
}

// A limit of 0 keeps no session.
func TestIdleOfNone(t *testing.T) {
	for _, p := range []*idleTest{newIdleTest(0, 100, time.Minute), newIdleTest(4, 0, time.Minute)} {
		p.keep("k", 1)
		if got := p.gone(); !slices.Equal(got, []int{1}) || p.take("k", nil) != nil {
			t.Errorf("%d of a key and %d in all: %v are left", p.same, p.all, got)
		}
	}
}

// The session with the lowest cost is taken, and of equals the newest.
func TestIdleCost(t *testing.T) {
	const useless, far, near, nearToo = 1, 2, 3, 4
	p := newIdleTest(4, 100, 0)
	for _, s := range []int{useless, far, near, nearToo} {
		p.keep("k", s)
	}
	cost := func(s int) (int, bool) {
		return map[int]int{far: 2, near: 1, nearToo: 1}[s], s != useless
	}
	for _, want := range []int{nearToo, near, far} {
		if w := p.take("k", cost); w == nil || w.session != want {
			t.Errorf("took %+v, want %d", w, want)
		}
	}
	if w := p.take("k", cost); w != nil {
		t.Errorf("took %+v, which is of no use", w)
	}
}

// Over the total limit, the oldest session is closed, whatever its key.
func TestIdleInAll(t *testing.T) {
	p := newIdleTest(4, 3, 0)
	for s, k := range []string{"a", "b", "c", "d", "e"} {
		p.keep(k, s)
	}
	if got := p.gone(); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("%v are left, want the two oldest", got)
	}
	if w := p.take("c", nil); w == nil || w.session != 2 {
		t.Errorf("took %+v, want the third", w)
	}
	p.keep("a", 5)
	if got := p.gone(); len(got) != 2 {
		t.Errorf("%v are left, though there was room", got)
	}
}

// The two lists stay consistent, in whatever order sessions are taken.
func TestIdleOrder(t *testing.T) {
	p := newIdleTest(3, 5, 0)
	for s, k := range []string{"a", "b", "a", "c", "a", "b"} { // 0 is closed
		p.keep(k, s)
	}
	if w := p.takeOf("b"); w == nil || w.session != 1 {
		t.Errorf("took %+v of a host, want the oldest", w)
	}
	p.keep("a", 6)
	p.keep("a", 7) // 2 is closed
	for _, want := range []int{7, 6, 4} {
		if w := p.take("a", nil); w == nil || w.session != want {
			t.Errorf("took %+v, want %d", w, want)
		}
	}
	var rest []int
	for _, w := range p.takeAll(func(string, int) bool { return true }) {
		rest = append(rest, w.session)
	}
	if !slices.Equal(rest, []int{3, 5}) || !slices.Equal(p.gone(), []int{0, 2}) || p.kept != 0 || p.first != nil || p.last != nil || len(p.of) != 0 {
		t.Errorf("%v are kept and %v are left; %d of %d keys stay", rest, p.gone(), p.kept, len(p.of))
	}
}
