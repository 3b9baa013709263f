package queue_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/download/queue"
)

// Hosts take turns: the second host does not wait for all work of the first.
func ExampleQueue() {
	ctx := context.Background()
	q := queue.Queue{Most: 1} // and one piece of work of a host, without Room
	for _, name := range []string{"a/1", "a/2", "a/3", "b/1"} {
		err := q.Do(ctx, name[:1], func(context.Context) { fmt.Println(name) })
		if err != nil {
			fmt.Println(err)
		}
	}
	if err := q.Wait(ctx); err != nil {
		fmt.Println(err)
	}
	// Unordered output:
	// a/1
	// a/2
	// a/3
	// b/1
}

// Work adds work, as a crawler does with the links of a page.
func ExampleQueue_Do() {
	ctx := context.Background()
	q := queue.Queue{Most: 4, Room: func(string) int { return 2 }}
	var visited atomic.Int64
	var visit func(ctx context.Context, depth int)
	visit = func(ctx context.Context, depth int) {
		visited.Add(1)
		for range depth {
			err := q.Do(ctx, "host", func(ctx context.Context) { visit(ctx, depth-1) })
			if err != nil {
				fmt.Println(err) // queue.ErrFull, if far too much work waits
			}
		}
	}
	if err := q.Do(ctx, "host", func(ctx context.Context) { visit(ctx, 4) }); err != nil {
		fmt.Println(err)
	}
	if err := q.Wait(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(visited.Load(), "pages")
	// Output: 65 pages
}

// Work that only waits gives up its slot. fetchers.WithPause(ctx, queue.Pause) does so for
// fetches that a server asked to wait.
func ExamplePause() {
	ctx := context.Background()
	q := queue.Queue{Most: 2}
	other := make(chan struct{})
	for _, host := range []string{"a", "b"} {
		q.Do(ctx, host, func(ctx context.Context) {
			resume := queue.Pause(ctx)
			<-other // two pieces of work wait for the third, and there are two slots
			resume()
			fmt.Println("goes on")
		})
	}
	q.Do(ctx, "c", func(context.Context) { fmt.Println("begins"); close(other) })
	q.Wait(ctx)
	// Output:
	// begins
	// goes on
	// goes on
}

// Room and Delay may differ from host to host.
func ExampleQueue_delay() {
	ctx := context.Background()
	q := queue.Queue{
		Most: 10,
		Delay: func(host string) time.Duration {
			if host == "slow.example" {
				return 20 * time.Millisecond
			}
			return 0
		},
	}
	began := time.Now()
	for range 3 {
		q.Do(ctx, "slow.example", func(context.Context) {})
	}
	q.Wait(ctx)
	fmt.Println(time.Since(began) >= 40*time.Millisecond)
	// Output: true
}
