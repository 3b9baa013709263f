package queue_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/download/queue"
)

// Do blocks while the window of the host, or twice the window for all hosts, is full.
func TestDoWaits(t *testing.T) {
	for name, test := range map[string]struct {
		window int
		hosts  []string // the hosts of the work, in turn
		given  int64    // pieces of work before Do blocks
	}{
		"of a host":           {100, []string{"a"}, 102},
		"of all hosts":        {100, []string{"a", "b", "c"}, 202},
		"of one":              {1, []string{"a"}, 3},
		"if there is no size": {0, []string{"a"}, 10_002},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := queue.Queue{Most: 2, Room: room(2), Window: test.window}
				var given, done atomic.Int64
				const all = 12_000
				go func() {
					for n := range all {
						do(t, &q, test.hosts[n%len(test.hosts)], func(context.Context) { time.Sleep(time.Second); done.Add(1) })
						given.Add(1)
					}
				}()
				synctest.Wait()
				if n := given.Load(); n > test.given || n < test.given-1 {
					t.Errorf("%d given at once, want %d", n, test.given)
				}
				time.Sleep(4 * time.Hour)
				if done.Load() != all {
					t.Errorf("%d done", done.Load())
				}
			})
		})
	}
}

// A slow host with much work does not block work of another host.
func TestSlowHostHoldsNothingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Most: 10, Room: room(4)}
		began := time.Now()
		ctx, stop := context.WithCancel(t.Context())
		for range 5000 {
			if err := q.Do(ctx, "slow", func(context.Context) { time.Sleep(time.Minute) }); err != nil {
				t.Fatal(err)
			}
		}
		var quick time.Duration
		do(t, &q, "quick", func(context.Context) { quick = time.Since(began); stop() })
		wait(t, &q)
		if quick > 0 {
			t.Errorf("the work of the quick host began after %v", quick)
		}
	})
}

// Do returns when its context ends, and the work is not done.
func TestDoEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Window: 1}
		for range 2 {
			do(t, &q, "a", func(context.Context) { time.Sleep(time.Hour) })
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		for range 2 { // while there is no space, and after ctx has ended
			err := q.Do(ctx, "a", func(context.Context) { t.Error("the work was done") })
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		}
		wait(t, &q)
	})
}

// Work adds more work than there are slots, and never blocks.
func TestWorkAddsWork(t *testing.T) {
	q := queue.Queue{Most: 2, Room: room(1)}
	var done atomic.Int64
	do(t, &q, "a", func(ctx context.Context) {
		for range 2000 {
			if err := q.Do(ctx, "a", func(context.Context) { done.Add(1) }); err != nil {
				t.Error(err)
			}
		}
	})
	wait(t, &q)
	if done.Load() != 2000 {
		t.Errorf("%d done", done.Load())
	}
}

// Work gets ErrFull where another Do would block forever, also from work of another queue within
// it.
func TestWorkFillsTheQueue(t *testing.T) {
	for name, inside := range map[string]func(ctx context.Context, work func(context.Context)){
		"work itself": func(ctx context.Context, work func(context.Context)) { work(ctx) },
		"work of a queue in it": func(ctx context.Context, work func(context.Context)) {
			var inner queue.Queue
			do(t, &inner, "b", func(context.Context) {})
			inner.Do(ctx, "b", work)
			wait(t, &inner)
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := queue.Queue{Window: 5}
			added, done := 0, 0
			var full error
			do(t, &q, "a", func(ctx context.Context) {
				inside(ctx, func(ctx context.Context) {
					for full == nil {
						if full = q.Do(ctx, "a", func(context.Context) { done++ }); full == nil {
							added++
						}
					}
				})
			})
			wait(t, &q)
			if added != 20 || done != 20 || !errors.Is(full, queue.ErrFull) {
				t.Errorf("%d added, %d done: %v", added, done, full)
			}
		})
	}
}

// All work that many goroutines add is done.
func TestManyAdd(t *testing.T) {
	q := queue.Queue{Most: 3, Room: room(2), Window: 4}
	var done atomic.Int64
	var adding sync.WaitGroup
	for _, host := range []string{"a", "a", "b", "c", "d", "e"} {
		adding.Go(func() {
			for range 500 {
				do(t, &q, host, func(context.Context) { done.Add(1) })
			}
		})
	}
	adding.Wait()
	wait(t, &q)
	if done.Load() != 3000 {
		t.Errorf("%d done", done.Load())
	}
}

// Wait ends with its context, and another Wait waits for the running work. Work whose context has
// ended is dropped, also for a host during its Delay.
func TestWaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Most: 2, Delay: func(string) time.Duration { return time.Hour }}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		var done []int
		for n := range 3 {
			err := q.Do(ctx, "a", func(context.Context) {
				time.Sleep(time.Minute)
				done = append(done, n)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := q.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		wait(t, &q)
		if !slices.Equal(done, []int{0}) || time.Since(began) != time.Minute {
			t.Errorf("%v done after %v", done, time.Since(began))
		}
		wait(t, &q) // returns at once
	})
}

// Work whose context has ended is dropped when its turn comes.
func TestLeftOutInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue.Queue
		ctx, cancel := context.WithCancel(t.Context())
		var done []string
		do(t, &q, "a", func(context.Context) { time.Sleep(time.Second); cancel() })
		q.Do(ctx, "a", func(context.Context) { done = append(done, "one that has ended") })
		do(t, &q, "a", func(context.Context) { done = append(done, "the next") })
		wait(t, &q)
		if !slices.Equal(done, []string{"the next"}) {
			t.Error(done)
		}
	})
}

// No work of a host starts during its delay, after other work has started and after it has ended.
// Other hosts are not delayed.
func TestDelay(t *testing.T) {
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		room  int
		takes time.Duration
		want  []time.Duration // start times of the work of the host
	}{
		"one at a time":        {1, 500 * ms, []time.Duration{0, 1500 * ms, 3000 * ms}},
		"more of it at a time": {2, 2500 * ms, []time.Duration{0, 1000 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				delay := func(host string) time.Duration {
					if host == "a" {
						return time.Second
					}
					return 0
				}
				q := queue.Queue{Most: 10, Room: room(test.room), Delay: delay}
				began := time.Now()
				var mu sync.Mutex
				var at []time.Duration
				for range test.want {
					do(t, &q, "a", func(context.Context) {
						mu.Lock()
						at = append(at, time.Since(began))
						mu.Unlock()
						time.Sleep(test.takes)
					})
				}
				for range 4 {
					do(t, &q, "b", func(context.Context) {
						if time.Since(began) > 0 {
							t.Error("another host was left alone")
						}
					})
				}
				wait(t, &q)
				if !slices.Equal(at, test.want) {
					t.Errorf("work began after %v, want %v", at, test.want)
				}
			})
		})
	}
}

// Work that ends during its pause releases everything.
func TestWorkEndsDuringPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.Queue{Most: 2, Room: room(300)}
		for range 300 {
			do(t, &q, "a", func(ctx context.Context) { queue.Pause(ctx) })
		}
		wait(t, &q)
		var all gauge
		for range 4 {
			do(t, &q, "a", func(context.Context) { all.takes(time.Second) })
		}
		wait(t, &q)
		if all.most != 2 {
			t.Errorf("%d at the same time", all.most)
		}
		queue.Pause(t.Context())() // a context without work
	})
}
