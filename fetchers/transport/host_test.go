package transport_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// limited returns Terms for a host with a maximum number of connections.
func limited(most int) transport.Terms {
	return transport.Terms{Network: &fetchers.Network{MaxConnsPerHost: most}, Host: "h:1"}
}

// inUse returns how many sessions of s are open.
func (s *server) inUse() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		if one.closed.Load() == 0 {
			n++
		}
	}
	return n
}

// A host never has more sessions than the Network allows, with one login or with many, and every
// fetch gets one in the end.
func TestHostLimit(t *testing.T) {
	for name, test := range map[string]struct{ logins, most, sessions int }{
		"one login":            {logins: 1, most: 3, sessions: 3},
		"one session":          {logins: 1, most: 1, sessions: 1},
		"a login each":         {logins: 50, most: 3, sessions: 50},
		"some logins":          {logins: 4, most: 2},
		"more places than are": {logins: 1, most: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s server
				var p pool
				var all sync.WaitGroup
				for i := range 50 {
					all.Go(func() {
						e := s.errand()
						e.Key, e.Terms = fmt.Sprint(i%test.logins), limited(test.most)
						talk := e.Talk
						e.Talk = func(l *lease) (*fetchers.Resource, error) {
							if n := s.inUse(); n > test.most {
								t.Errorf("%d sessions at once", n)
							}
							time.Sleep(time.Second)
							return talk(l)
						}
						if _, err := p.Fetch(t.Context(), e); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if n := len(s.sessions); test.sessions > 0 && n != test.sessions {
					t.Errorf("%d sessions were opened, want %d", n, test.sessions)
				}
				p.CloseIdle()
				if n := s.inUse(); n != 0 {
					t.Errorf("%d sessions are left", n)
				}
			})
		})
	}
}

// If the limit is reached, an idle session with another login is closed, and a session in use is
// not.
func TestHostLimitEndsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s server
		var p pool
		acquire := func(ctx context.Context, k string) (*lease, error) {
			return p.Acquire(ctx, k, limited(2), false, s.open)
		}
		first, _ := acquire(t.Context(), "a")
		second, _ := acquire(t.Context(), "b")
		first.Done()
		third, err := acquire(t.Context(), "c")
		if err != nil || s.sessions[0].called() != "unbind quit close" {
			t.Fatalf("%v; the idle session: %q", err, s.sessions[0].called())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := acquire(ctx, "b"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the end of the context", err)
		}
		second.Done()
		third.Close()
		if l, err := acquire(t.Context(), "b"); err != nil || !l.Kept() {
			t.Errorf("%v: the kept session is not used", err)
		} else {
			l.Close()
		}
	})
}

// Waiting fetches get connections in their order. A cancelled fetch passes its connection to the
// next, even if it was about to get it.
func TestHostLimitOrder(t *testing.T) {
	for name, end := range map[string]func(*lease){"kept": (*lease).Done, "closed": func(l *lease) { l.Close() }} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s server
				var p pool
				defer p.CloseIdle()
				held, _ := p.Acquire(t.Context(), "k", limited(1), false, s.open)
				var (
					got    []int
					cancel []context.CancelFunc
				)
				for i := range 6 {
					ctx, stop := context.WithCancel(t.Context())
					cancel = append(cancel, stop)
					go func() {
						l, err := p.Acquire(ctx, "k", limited(1), false, s.open)
						if err != nil {
							return
						}
						got = append(got, i)
						end(l)
					}()
					synctest.Wait()
				}
				cancel[2]()
				end(held)
				cancel[0]()
				synctest.Wait()
				if want := []int{1, 3, 4, 5}; !slices.Equal(got, want) && !slices.Equal(got, append([]int{0}, want...)) {
					t.Errorf("%v got a connection", got)
				}
				for _, stop := range cancel {
					stop()
				}
			})
		})
	}
}

// A session that could not be opened does not count.
func TestHostLimitAfterFailure(t *testing.T) {
	var s server
	var p pool
	for range 3 {
		_, err := p.Acquire(t.Context(), "k", limited(1), false, func(context.Context) (*session, error) { return nil, errTest })
		if !errors.Is(err, errTest) {
			t.Fatal(err)
		}
		func() {
			defer func() { recover() }()
			p.Acquire(t.Context(), "k", limited(1), false, func(context.Context) (*session, error) { panic("of a caller") })
		}()
	}
	l, err := p.Acquire(t.Context(), "k", limited(1), true, s.open)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if n := p.Count("k"); n != 0 {
		t.Errorf("%d sessions are counted", n)
	}
}

// The new session of a fetch takes the place of its stale one.
func TestHostLimitOfStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s server
		var p pool
		defer p.CloseIdle()
		first, second := s.errand(), s.errand(transport.Stale)
		first.Terms, second.Terms = limited(1), limited(1)
		p.Fetch(t.Context(), first)
		if _, err := p.Fetch(t.Context(), second); err != nil || len(s.sessions) != 2 {
			t.Errorf("%v, %d sessions", err, len(s.sessions))
		}
	})
}

// Fetches that end, fail and are cancelled at random leave no session counted.
func TestHostLimitRandom(t *testing.T) {
	var s server
	var p pool
	var all sync.WaitGroup
	for worker := range 100 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(2, uint64(worker)))
			for range 30 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(2000))*time.Microsecond)
				l, err := p.Acquire(ctx, fmt.Sprint(random.IntN(3)), limited(2), random.IntN(4) == 0, func(context.Context) (*session, error) {
					if random.IntN(5) == 0 {
						return nil, errTest
					}
					return s.open(ctx)
				})
				if err == nil {
					if n := s.inUse(); n > 2 {
						t.Errorf("%d sessions at once", n)
					}
					if random.IntN(2) == 0 {
						l.Close()
					}
					l.Done()
				}
				cancel()
			}
		})
	}
	all.Wait()
	p.CloseIdle()
	for k := range 3 {
		if n := p.Count(fmt.Sprint(k)); n != 0 {
			t.Errorf("%d sessions are counted at the end", n)
		}
	}
	for i := range 2 { // both connections are available
		l, err := p.Acquire(t.Context(), "k", limited(2), true, s.open)
		if err != nil {
			t.Fatalf("place %d: %v", i, err)
		}
		defer l.Close()
	}
	if n := s.inUse(); n != 2 {
		t.Errorf("%d sessions are left", n)
	}
}
