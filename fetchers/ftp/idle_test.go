package ftp

import (
	"testing"
	"testing/synctest"
	"time"
)

// Of a login, a few connections are kept, and none for long.
func TestIdleLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, k := new(Fetcher), key{addr: "h.dom:21"}
		keep := func(at ...string) *session {
			f.pool.opened(k)
			s := &session{f: f, key: k, at: at}
			f.pool.put(s)
			return s
		}
		count := func() (idle, open int) {
			f.pool.mu.Lock()
			defer f.pool.mu.Unlock()
			return len(f.pool.idle[k]), f.pool.open[k]
		}
		oldest := keep("oldest")
		for range maxIdle - 1 {
			keep()
			time.Sleep(time.Second)
		}
		newest := keep()
		if idle, open := count(); idle != maxIdle || open != maxIdle {
			t.Errorf("%d of %d are kept, want %d", idle, open, maxIdle)
		}
		if f.pool.remove(oldest) {
			t.Error("the oldest is kept")
		}
		if s := f.pool.get(k, nil); s != newest {
			t.Errorf("got %v, want the newest", s)
		}
		if s := f.pool.get(key{addr: "i.dom:21"}, nil); s != nil {
			t.Errorf("got %v for another server", s)
		}
		f.pool.put(newest)
		time.Sleep(maxAge - time.Millisecond)
		synctest.Wait()
		if idle, _ := count(); idle != 1 {
			t.Errorf("%d are kept just before the newest is too old, want 1", idle)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if idle, open := count(); idle != 0 || open != 0 {
			t.Errorf("%d of %d are kept in the end", idle, open)
		}
	})
}

// Of several connections the nearest is taken, and none that cannot get there.
func TestNearest(t *testing.T) {
	f, k := new(Fetcher), key{}
	for name, s := range map[string]*session{
		"lost":  {at: []string{"x"}},
		"home":  {at: []string{"x"}, home: "/"},
		"a":     {at: []string{"a"}},
		"login": {},
	} {
		s.f, s.host = f, name
		f.pool.opened(k)
		f.pool.put(s)
	}
	for _, c := range []struct {
		dirs []string
		want string
	}{
		{[]string{"a", "b"}, "a"},
		{[]string{"b"}, "login"},
		{[]string{"b"}, "home"},
		{[]string{"b"}, ""},
		{[]string{"x", "y"}, "lost"},
	} {
		got := ""
		if s := f.pool.get(k, c.dirs); s != nil {
			got = s.host
		}
		if got != c.want {
			t.Errorf("to %q by %q, want %q", c.dirs, got, c.want)
		}
	}
}
