package queue_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// All work is done, with the maximum concurrency of the limits.
func TestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Most: 3, Room: room(2)}
		var busy, done atomic.Int64
		perHost := map[string]*atomic.Int64{"a": new(atomic.Int64), "b": new(atomic.Int64)}
		begin := time.Now()
		for _, host := range []string{"a", "a", "b", "a", "b", "b"} {
			do(t, &q, host, func(ctx context.Context) {
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
		wait(t, &q)
		if done.Load() != 6 || time.Since(begin) != 2*time.Second {
			t.Errorf("%d done in %v", done.Load(), time.Since(begin))
		}
	})
}

// do adds work to a queue.
func do(t *testing.T, q *queue.Queue, host string, work func(context.Context)) {
	t.Helper()
	if err := q.Do(t.Context(), host, work); err != nil {
		t.Error(err)
	}
}

// wait waits until all work of a queue is done.
func wait(t *testing.T, q *queue.Queue) {
	t.Helper()
	if err := q.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// room returns the same room for each host.
func room(n int) func(string) int { return func(string) int { return n } }

func request(t *testing.T, text string) *fetchers.Request {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &fetchers.Request{URL: u}
}

// A gauge counts concurrent work.
type gauge struct {
	mu         sync.Mutex
	busy, most int
}

// takes is work with a duration of d.
func (c *gauge) takes(d time.Duration) {
	c.mu.Lock()
	c.busy++
	c.most = max(c.most, c.busy)
	c.mu.Unlock()
	time.Sleep(d)
	c.mu.Lock()
	c.busy--
	c.mu.Unlock()
}

// Other hosts get their turn while one has much work or is slow.
func TestHostsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Most: 4, Room: room(3)}
		var mu sync.Mutex
		ended := map[string]time.Duration{}
		begin := time.Now()
		give := func(host string, n int, takes time.Duration) {
			for range n {
				do(t, &q, host, func(ctx context.Context) {
					time.Sleep(takes)
					mu.Lock()
					defer mu.Unlock()
					ended[host] = time.Since(begin)
				})
			}
		}
		give("large", 300, time.Second)
		give("small", 3, time.Second)
		give("other", 3, time.Second)
		wait(t, &q)
		if ended["small"] > 5*time.Second || ended["other"] > 5*time.Second || ended["large"] < 100*time.Second {
			t.Errorf("the hosts ended after %v", ended)
		}
	})
}

// Without Most, work of one host is done in its order.
func TestOrderOfHost(t *testing.T) {
	q := queue.Queue{Room: room(5)}
	var got, want []int
	for n := range 5000 {
		want = append(want, n)
		do(t, &q, "", func(context.Context) { got = append(got, n) })
	}
	wait(t, &q)
	if !slices.Equal(got, want) {
		t.Error("out of order")
	}
}

// resting returns a client of a server that refuses each URL once, for 4.5 seconds.
func resting(t *testing.T, asked func(u string)) *fetchers.Client {
	var refused sync.Map
	return &fetchers.Client{
		Retry: fetchers.Retry{Max: 3},
		Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			u := req.URL.String()
			asked(u)
			if _, again := refused.LoadOrStore(u, true); !again {
				return nil, &fetchers.StatusError{Reply: fetchers.Reply{Code: 429}, Class: fetchers.ErrTemporary, Wait: 4500 * time.Millisecond}
			}
			res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document}
			res.SetBody(io.NopCloser(strings.NewReader("")))
			return res, nil
		}),
	}
}

// Work that waits before a retry gives its slot to other work, and continues before work that has
// not started. The limits hold at any time.
func TestPauseFreesSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Most: 2, Room: room(2)}
		begin := time.Now()
		var mu sync.Mutex
		ended := map[string]time.Duration{}
		asked := map[string]int{}
		client := resting(t, func(u string) {
			mu.Lock()
			defer mu.Unlock()
			asked[u]++
		})
		var all gauge
		for n := range 4 {
			do(t, &q, "rests", func(ctx context.Context) {
				res, err := client.Fetch(fetchers.WithPause(ctx, queue.Pause), request(t, fmt.Sprintf("http://rests/%d", n)))
				if err != nil {
					t.Error(err)
					return
				}
				res.Close()
				all.takes(time.Second)
				mu.Lock()
				defer mu.Unlock()
				ended[fmt.Sprint("rests ", n)] = time.Since(begin)
			})
		}
		for n := range 20 {
			do(t, &q, "other", func(ctx context.Context) {
				all.takes(time.Second)
				mu.Lock()
				defer mu.Unlock()
				ended[fmt.Sprint("other ", n)] = time.Since(begin)
			})
		}
		wait(t, &q)
		if all.most > 2 {
			t.Errorf("%d at the same time", all.most)
		}
		for name, want := range map[string]time.Duration{
			"other 0": 1 * time.Second, "other 9": 5 * time.Second,
			"rests 0": 6 * time.Second, "rests 1": 6 * time.Second,
			"other 19": 13 * time.Second,
		} {
			if ended[name] > want {
				t.Errorf("%s ended after %v, want %v", name, ended[name], want)
			}
		}
		for u, n := range asked {
			if n != 2 {
				t.Errorf("%s was asked for %d times", u, n)
			}
		}
	})
}

// The only slot stays with its work during a pause.
func TestPauseOfTheOnlySlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Most: 1, Room: room(1)}
		client := resting(t, func(string) {})
		var order []string
		do(t, &q, "rests", func(ctx context.Context) {
			if _, err := client.Fetch(fetchers.WithPause(ctx, queue.Pause), request(t, "http://rests/")); err != nil {
				t.Error(err)
			}
			order = append(order, "rests")
		})
		do(t, &q, "other", func(context.Context) { order = append(order, "other") })
		wait(t, &q)
		if !slices.Equal(order, []string{"rests", "other"}) {
			t.Error(order)
		}
	})
}

// Work continues at once when its context ends, during the pause or while it waits for a slot.
func TestPauseEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Most: 2, Room: room(2)}
		client := resting(t, func(string) {})
		begin := time.Now()
		for _, limit := range []time.Duration{3 * time.Second, 8 * time.Second} {
			do(t, &q, "rests", func(ctx context.Context) {
				ctx, cancel := context.WithTimeout(fetchers.WithPause(ctx, queue.Pause), limit)
				defer cancel()
				client.Fetch(ctx, request(t, fmt.Sprintf("http://rests/%v", limit)))
				if spent := time.Since(begin); spent != limit {
					t.Errorf("it goes on after %v, want %v", spent, limit)
				}
			})
		}
		var all gauge
		for range 6 {
			do(t, &q, "other", func(context.Context) { all.takes(10 * time.Second) })
		}
		wait(t, &q)
		if all.most != 2 || time.Since(begin) != 30*time.Second {
			t.Errorf("%d at the same time, and %v for all", all.most, time.Since(begin))
		}
	})
}

// refusing returns a client of a server that refuses a number of requests, for wait each.
func refusing(times int, wait time.Duration) *fetchers.Client {
	return &fetchers.Client{
		Retry: fetchers.Retry{Max: times},
		Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			if times--; times >= 0 {
				return nil, &fetchers.StatusError{Class: fetchers.ErrTemporary, Wait: wait}
			}
			res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document}
			res.SetBody(nil)
			return res, nil
		}),
	}
}

// Work has one slot, however many of its fetches pause. The first pause gives it away, and the
// first resume takes it back.
func TestPausesOfOneSlot(t *testing.T) {
	const ms = time.Millisecond
	type fetch struct {
		after   time.Duration
		refused int           // number of refusals
		wait    time.Duration // after each refusal
	}
	for name, fetches := range map[string][]fetch{
		"they go on one after the other": {
			{0, 1, 4500 * ms}, {100 * ms, 1, 4500 * ms}, {200 * ms, 1, 4500 * ms},
			{300 * ms, 1, 4500 * ms}, {400 * ms, 1, 4500 * ms}, {500 * ms, 1, 4500 * ms},
		},
		"one pauses again while another one still does": {{0, 1, 8500 * ms}, {0, 3, 1500 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := queue.Queue{Most: 2, Room: room(10)}
				begin := time.Now()
				var all gauge
				do(t, &q, "rests", func(ctx context.Context) {
					ctx = fetchers.WithPause(ctx, queue.Pause)
					var running sync.WaitGroup
					for _, f := range fetches {
						running.Go(func() {
							time.Sleep(f.after)
							if _, err := refusing(f.refused, f.wait).Fetch(ctx, request(t, "http://rests/")); err != nil {
								t.Error(err)
							}
						})
					}
					running.Wait()
					all.takes(time.Second)
				})
				for range 20 {
					do(t, &q, "other", func(context.Context) { all.takes(time.Second) })
				}
				wait(t, &q)
				if all.most != 2 {
					t.Errorf("%d at the same time", all.most)
				}
				if spent := time.Since(begin); spent > 12*time.Second {
					t.Errorf("it took %v", spent)
				}
			})
		})
	}
}

// The Queue calls Room when work of the host ends: if it has grown, more work starts at once, and
// if it has shrunk, less does.
func TestRoomChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var room atomic.Int64
		room.Store(1)
		q := queue.Queue{Most: 100, Room: func(string) int { return int(room.Load()) }}
		var mu sync.Mutex
		var at []int // starts in each second
		began := time.Now()
		for range 20 {
			do(t, &q, "h", func(ctx context.Context) {
				mu.Lock()
				second := int(time.Since(began) / time.Second)
				for len(at) <= second {
					at = append(at, 0)
				}
				at[second]++
				mu.Unlock()
				time.Sleep(time.Second)
			})
		}
		for _, n := range []int64{8, 2, 0, 100} {
			time.Sleep(time.Second - time.Millisecond)
			room.Store(n)
			time.Sleep(time.Millisecond)
		}
		wait(t, &q)
		if want := []int{1, 8, 2, 1, 8}; !slices.Equal(at, want) {
			t.Errorf("%d began in each second, want %d", at, want)
		}
	})
}

// Without Room, a host has one running piece of work.
func TestNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Most: 10}
		began := time.Now()
		for n := range 6 {
			do(t, &q, fmt.Sprint(n%2), func(ctx context.Context) { time.Sleep(time.Second) })
		}
		wait(t, &q)
		if spent := time.Since(began); spent != 3*time.Second {
			t.Errorf("it took %v", spent)
		}
	})
}
