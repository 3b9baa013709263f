package cluster

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/fetchers"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// An echo answers each request with the path of its URL, and counts the requests for each URL.
type echo struct {
	mu    sync.Mutex
	asked map[string]int
}

func (e *echo) Fetch(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asked == nil {
		e.asked = make(map[string]int)
	}
	e.asked[req.URL.String()]++
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1, MediaType: "text/plain"}
	res.SetBody(io.NopCloser(strings.NewReader(req.URL.Path)))
	return res, nil
}

// count returns how many URLs of a host were asked for.
func (e *echo) count(host string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for u := range e.asked {
		if strings.HasPrefix(u, "http://"+host+"/") {
			n++
		}
	}
	return n
}

// checkOnce reports URLs that were not asked for exactly once, or have no record.
func (e *echo) checkOnce(t *testing.T, s *Store, urls []string) {
	t.Helper()
	final := records(t, s)
	for _, u := range urls {
		if n := e.asked[u]; n != 1 || final[u].Record == nil || final[u].Record.Error != nil {
			t.Fatalf("%s was asked for %d times, and its record is %+v", u, n, final[u].Record)
		}
	}
	if len(final) != len(urls) {
		t.Errorf("%d URLs have a record, want %d", len(final), len(urls))
	}
	total := 0
	for range s.Records(t.Context(), Records{}) {
		total++
	}
	if total != len(urls) {
		t.Errorf("%d records in all, want %d", total, len(urls))
	}
}

// neighbours returns hosts of the same partition.
func neighbours(n int) (hosts []string) {
	for i := 0; len(hosts) < n; i++ {
		if host := fmt.Sprintf("h%d.example", i); plan.Partition(host) == 7 {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// Two pages of a slow host come first in a partition. The pages behind them are opened even so, and in the
// end each URL was asked for once.
func TestSlowHostDoesNotHoldUpItsPartition(t *testing.T) {
	store, _ := serve(t)
	hosts := neighbours(2)
	slow, fast := hosts[0], hosts[1]
	var urls []string
	for i := range 2 * plan.PageItems {
		urls = append(urls, fmt.Sprintf("http://%s/%d", slow, i))
	}
	for i := range 2 * plan.PageItems {
		urls = append(urls, fmt.Sprintf("http://%s/%d", fast, i))
	}
	add(t, store, urls...)
	site := new(echo)
	w := newWorker(t, store, new(memorySink))
	w.Fetcher, w.Pace = site, new(crawl.Pace)
	w.Pace.AtLeast(slow, 5*time.Millisecond)
	w.patience = func(moves int) time.Duration { return plan.Patience(moves) / 50 }
	start(t, w)
	waitFor(t, store, 2*time.Minute, func(Status) bool { return site.count(fast) == 2*plan.PageItems })
	if n := site.count(slow); n >= plan.PageItems {
		t.Errorf("the fast host had to wait until %d URLs of the slow one were fetched", n)
	}
	waitFor(t, store, time.Minute, Status.Done)
	site.checkOnce(t, store, urls)
}

// A worker is killed after it has put URLs back, and before it has removed the page that had them: both
// pages are there. Each URL has one record.
func TestKilledWhilePuttingBack(t *testing.T) {
	store, _ := serve(t)
	host := neighbours(1)[0]
	var urls []string
	for i := range 50 {
		urls = append(urls, fmt.Sprintf("http://%s/%d", host, i))
	}
	add(t, store, urls...)
	w := newWorker(t, store, new(memorySink))
	w.begin()
	h := &holding{partition: plan.Partition(host)}
	page := &openPage{holding: h}
	r := &remainder{pages: []*openPage{page}, moves: 1}
	for i, u := range urls[20:] {
		page.items = append(page.items, Item{URL: u})
		r.tasks = append(r.tasks, &task{page: page, index: i})
	}
	if err := w.publish(t.Context(), h, r); err != nil {
		t.Fatal(err)
	}
	if status, err := store.Status(t.Context()); err != nil || status.Waiting != 2 {
		t.Fatalf("%+v, %v", status, err)
	}
	site := new(echo)
	next := newWorker(t, store, new(memorySink))
	next.Fetcher = site
	start(t, next)
	waitFor(t, store, 2*time.Minute, Status.Done)
	site.checkOnce(t, store, urls)
}

// A Sync fails while URLs are being put back: a URL of the old page whose body may be lost is fetched again, though
// the page has let the others go.
func TestBodyIsLostWhilePuttingBack(t *testing.T) {
	store, _ := serve(t)
	host := neighbours(1)[0]
	site, open := new(echo), make(chan struct{})
	w := newWorker(t, store, new(memorySink))
	w.patience = func(int) time.Duration { return 0 }
	w.Fetcher = fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if req.URL.Path == "/1" {
			<-open
		}
		return site.Fetch(ctx, req)
	})
	h := hold(t, w, plan.Partition(host))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.tasks.Go(func() { w.flight.run(ctx, w.trouble) })
	w.lease.last = time.Now().Add(time.Minute)
	var items []Item
	for i := range 4 {
		items = append(items, Item{URL: fmt.Sprintf("http://%s/%d", host, i)})
	}
	for i, page := range [][]Item{items[:3], items[3:]} {
		if err := w.openPage(t.Context(), h, uint64(i+1), &Page{Items: page}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, func() bool { return len(h.pending) == 1 && h.running == 1 }, w) // 0 has a result, and 1 is being fetched
	w.mu.Lock()
	h.waiting = 1
	w.mu.Unlock()
	r := w.remainder(h)
	if r == nil || len(r.tasks) != 2 {
		t.Fatalf("the remainder is %+v", r)
	}
	if err := w.publish(t.Context(), h, r); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.failedSyncs++
	w.mu.Unlock()
	w.fetchLostAgain(nil)
	w.moved(h, r)
	w.sweep()
	close(open)
	until(t, func() bool { return len(h.pending) == 2 }, w)
}

// until waits until the state of a worker is as a test wants it.
func until(t *testing.T, wanted func() bool, w *Worker) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		is := wanted()
		w.mu.Unlock()
		if is {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the worker has not come into that state in 5 seconds")
		}
	}
}
