package download_test

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

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// Work is done at the same time, within the limits, and all of it.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := download.Batch{Most: 3, PerHost: 2}
		var busy, done atomic.Int64
		perHost := map[string]*atomic.Int64{"a": new(atomic.Int64), "b": new(atomic.Int64)}
		begin := time.Now()
		for _, host := range []string{"a", "a", "b", "a", "b", "b"} {
			b.Do(host, func() {
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
		b.Wait()
		if done.Load() != 6 || time.Since(begin) != 2*time.Second {
			t.Errorf("%d done in %v", done.Load(), time.Since(begin))
		}
	})
}

// A crowd counts how many do something at the same time.
type crowd struct {
	mu         sync.Mutex
	busy, most int
}

// takes does something for as long as d.
func (c *crowd) takes(d time.Duration) {
	c.mu.Lock()
	c.busy++
	c.most = max(c.most, c.busy)
	c.mu.Unlock()
	time.Sleep(d)
	c.mu.Lock()
	c.busy--
	c.mu.Unlock()
}

// A host that has much to do, or is slow, does not keep others from their turn.
func TestBatchFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := download.Batch{Most: 4, PerHost: 3}
		var mu sync.Mutex
		ended := map[string]time.Duration{}
		begin := time.Now()
		give := func(host string, n int, takes time.Duration) {
			for range n {
				b.Do(host, func() {
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
		b.Wait()
		if ended["small"] > 5*time.Second || ended["other"] > 5*time.Second || ended["large"] < 100*time.Second {
			t.Errorf("they ended after %v", ended)
		}
	})
}

// With one hand, what is for one host is done in order.
func TestBatchOrder(t *testing.T) {
	b := download.Batch{PerHost: 5}
	var got, want []int
	for n := range 5000 {
		want = append(want, n)
		b.Do("", func() { got = append(got, n) })
	}
	b.Wait()
	if !slices.Equal(got, want) {
		t.Error("out of order")
	}
}

// Who gives it work without end is made to wait.
func TestBatchBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := download.Batch{Most: 2, PerHost: 1}
		var given, done atomic.Int64
		go func() {
			for range 10_000 {
				b.Do("a", func() { time.Sleep(time.Second); done.Add(1) })
				given.Add(1)
			}
		}()
		synctest.Wait()
		if n := given.Load(); n > 1010 {
			t.Errorf("%d given at once", n)
		}
		time.Sleep(3 * time.Hour)
		if done.Load() != 10_000 {
			t.Errorf("%d done", done.Load())
		}
	})
}

// resting is what asks for a rest of 4.5 seconds, once for each URL.
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

// Who waits before a server is asked again leaves its place to other work, and gets one
// again before what has not begun. The limits hold all the time.
func TestBatchLeavesPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := download.Batch{Most: 2, PerHost: 2}
		begin := time.Now()
		var mu sync.Mutex
		ended := map[string]time.Duration{}
		asked := map[string]int{}
		client := resting(t, func(u string) {
			mu.Lock()
			defer mu.Unlock()
			asked[u]++
		})
		var all crowd
		for n := range 4 {
			b.Do("rests", func() {
				res, err := client.Fetch(b.Context(t.Context()), request(t, fmt.Sprintf("http://rests/%d", n)))
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
			b.Do("other", func() {
				all.takes(time.Second)
				mu.Lock()
				defer mu.Unlock()
				ended[fmt.Sprint("other ", n)] = time.Since(begin)
			})
		}
		b.Wait()
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

// With one hand, nothing is done while something waits.
func TestBatchOneHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := download.Batch{Most: 1, PerHost: 1}
		client := resting(t, func(string) {})
		var order []string
		b.Do("rests", func() {
			if _, err := client.Fetch(b.Context(t.Context()), request(t, "http://rests/")); err != nil {
				t.Error(err)
			}
			order = append(order, "rests")
		})
		b.Do("other", func() { order = append(order, "other") })
		b.Wait()
		if !slices.Equal(order, []string{"rests", "other"}) {
			t.Error(order)
		}
	})
}

// Work whose context ends while it waits, for the time or for its place, goes on at once.
func TestBatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := download.Batch{Most: 2, PerHost: 2}
		client := resting(t, func(string) {})
		begin := time.Now()
		for _, patience := range []time.Duration{3 * time.Second, 8 * time.Second} {
			ctx, cancel := context.WithTimeout(b.Context(t.Context()), patience)
			defer cancel()
			b.Do("rests", func() {
				client.Fetch(ctx, request(t, fmt.Sprintf("http://rests/%v", patience)))
				if spent := time.Since(begin); spent != patience {
					t.Errorf("it goes on after %v, want %v", spent, patience)
				}
			})
		}
		var all crowd
		for range 6 {
			b.Do("other", func() { all.takes(10 * time.Second) })
		}
		b.Wait()
		if all.most != 2 || time.Since(begin) != 30*time.Second {
			t.Errorf("%d at the same time, and %v for all", all.most, time.Since(begin))
		}
	})
}

// Work has one place, however many of its fetches wait: it is given away once, while any of
// them waits, and taken again once, by the first that goes on.
func TestBatchOnePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := download.Batch{Most: 2, PerHost: 10}
		begin := time.Now()
		var all crowd
		client := resting(t, func(string) {})
		b.Do("rests", func() {
			ctx := b.Context(t.Context())
			var fetches sync.WaitGroup
			for n := range 6 {
				fetches.Go(func() {
					time.Sleep(time.Duration(n) * 100 * time.Millisecond) // they go on one after the other, too
					if _, err := client.Fetch(ctx, request(t, fmt.Sprintf("http://rests/%d", n))); err != nil {
						t.Error(err)
					}
				})
			}
			fetches.Wait()
			all.takes(time.Second)
		})
		for range 20 {
			b.Do("other", func() { all.takes(time.Second) })
		}
		b.Wait()
		if all.most != 2 {
			t.Errorf("%d at the same time", all.most)
		}
		if spent := time.Since(begin); spent > 12*time.Second {
			t.Errorf("it took %v", spent)
		}
	})
}

// A fetch that waits once more gives the place of its work away once more, though another
// one still waits.
func TestBatchLeavesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := download.Batch{Most: 2, PerHost: 10}
		begin := time.Now()
		var all crowd
		refusing := func(tries int, wait time.Duration) *fetchers.Client {
			return &fetchers.Client{
				Retry: fetchers.Retry{Max: tries},
				Fetcher: fetchers.FetcherFunc(func(context.Context, *fetchers.Request) (*fetchers.Resource, error) {
					return nil, &fetchers.StatusError{Class: fetchers.ErrTemporary, Wait: wait}
				}),
			}
		}
		b.Do("rests", func() {
			ctx := b.Context(t.Context())
			var fetches sync.WaitGroup
			fetches.Go(func() { refusing(1, 8500*time.Millisecond).Fetch(ctx, request(t, "http://rests/long")) })
			fetches.Go(func() { refusing(3, 1500*time.Millisecond).Fetch(ctx, request(t, "http://rests/often")) })
			fetches.Wait()
			all.takes(time.Second)
		})
		for range 20 {
			b.Do("other", func() { all.takes(time.Second) })
		}
		b.Wait()
		if all.most != 2 {
			t.Errorf("%d at the same time", all.most)
		}
		if spent := time.Since(begin); spent > 12*time.Second {
			t.Errorf("it took %v", spent)
		}
	})
}
