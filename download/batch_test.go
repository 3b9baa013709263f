package download_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/download"
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
