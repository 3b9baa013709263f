package cluster

import (
	"context"
	"fmt"
	nethttp "net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"

	"github.com/seed1ea3422f/fetch/cluster/engine"
	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// The last records come after the first reading, as from a copy that is behind: the set of done URLs is whole when
// it has the message by which the partition was taken.
func TestSetWaitsForTheLastRecords(t *testing.T) {
	store, conn := serve(t)
	w := newWorker(t, store, new(memorySink))
	h := hold(t, w, 9)
	h.last++ // acknowledged, and not shown yet
	ended := make(chan struct{})
	go func() { w.catchUp([]*holding{h}); close(ended) }()
	select {
	case <-ended:
		t.Fatalf("the set is said to be whole at message %d, and the last one is message %d", h.done.last, h.last)
	case <-time.After(time.Second):
	}
	late := head{token: 1, marks: []mark{{hashOf("x"), 0}}}
	fields, err := late.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.PublishMsg(&nats.Msg{Subject: store.recordSubject(9), Header: fields}); err != nil {
		t.Fatal(err)
	}
	<-ended
	if done, err := h.done.has(late.marks); err != nil || !done[0] {
		t.Errorf("%v, %v", done, err)
	}
}

// A URL is queued again while its record is in the store and not acknowledged yet: the page of the second
// generation stays until that has a record.
func TestGenerationsAreFetchedApart(t *testing.T) {
	store, _ := serve(t)
	w := newWorker(t, store, new(memorySink))
	h := hold(t, w, 9)
	const text = "http://h.example/"
	u, err := (&Item{URL: text}).parse()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.openPage(t.Context(), h, 1, &Page{Items: []Item{{URL: text}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.openPage(t.Context(), h, 2, &Page{Items: []Item{{URL: text, Generation: 1, Was: "timeout"}}}); err != nil {
		t.Fatal(err)
	}
	w.finish(h, result{h.inflight[mark{hashOfURL(u, text), 0}], failed(t, u)})
	w.commit(t.Context(), []*holding{h})
	if len(w.finished) != 1 || w.finished[0].seq != 1 {
		t.Errorf("%d pages are done", len(w.finished))
	}
	if second := h.inflight[mark{hashOfURL(u, text), 1}]; second == nil || second.page.seq != 2 {
		t.Errorf("the second generation is %+v", second)
	}
}

// A record is written while another page with the URL is being opened: the URL is not fetched again.
func TestPageIsOpenedWhileARecordIsWritten(t *testing.T) {
	store, _ := serve(t)
	w := newWorker(t, store, new(memorySink))
	h := hold(t, w, 9)
	for n := range 100 {
		text := fmt.Sprintf("http://h.example/%d", n)
		u, err := (&Item{URL: text}).parse()
		if err != nil {
			t.Fatal(err)
		}
		m := mark{hashOfURL(u, text), 0}
		items := slices.Repeat([]Item{{URL: text}}, plan.PageItems)
		seq := uint64(1)
		opened := func() {
			if err := w.openPage(t.Context(), h, seq, &Page{Items: slices.Clone(items)}); err != nil {
				t.Fatal(err)
			}
			seq++
		}
		opened()
		w.finish(h, result{h.inflight[m], failed(t, u)})
		written := make(chan struct{})
		go func() { w.commit(t.Context(), []*holding{h}); close(written) }()
		for open := true; open; {
			select {
			case <-written:
				open = false
			default:
				opened()
			}
		}
		opened()
		if h.inflight[m] != nil {
			t.Fatalf("%s has a record, and is fetched again", text)
		}
		if len(w.finished) != int(seq-1) {
			t.Fatalf("%d of %d pages are done", len(w.finished), seq-1)
		}
		w.finished, h.pages = nil, nil
	}
}

// A page that cannot be read has its record, and its worker was killed before it removed the page: the next
// owner writes no other record.
func TestUnreadablePageHasOneRecord(t *testing.T) {
	store, _ := serve(t)
	w := newWorker(t, store, new(memorySink))
	h := hold(t, w, 9)
	for range 2 {
		w.unreadable(h, 7, fmt.Errorf("no JSON"))
		w.commit(t.Context(), []*holding{h})
	}
	if h.counts.URLs != 1 || len(w.finished) != 2 {
		t.Errorf("%d records, and %d pages are done", h.counts.URLs, len(w.finished))
	}
}

// failed returns the outcome of a fetch that has failed.
func failed(t *testing.T, u *url.URL) outcome {
	t.Helper()
	rec := record.New(u, time.Now())
	rec.Fill(nil, fmt.Errorf("x: %w", fetchers.ErrStalled))
	o, err := (&visit{rec: rec}).outcome()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A second worker comes while the first one has a long fetch in one partition: it gets the others.
func TestLongFetchKeepsItsPartitionOnly(t *testing.T) {
	store, _ := serve(t)
	began, over := make(chan struct{}, 1), make(chan struct{})
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/slow" {
			began <- struct{}{}
			<-over
		}
		hello(w, r)
	})
	t.Cleanup(sync.OnceFunc(func() { close(over) }))
	host := 0
	for plan.Partition(KeyOf(site.url(host, "/"))) < plan.Partitions/2 { // the first worker gives these back
		host++
	}
	add(t, store, site.url(host, "/slow"))
	start(t, newWorker(t, store, new(memorySink)))
	<-began
	start(t, newWorker(t, store, new(memorySink)))
	waitFor(t, store, 20*time.Second, func(s Status) bool {
		return len(s.Workers) == 2 && min(s.Workers[0].Partitions, s.Workers[1].Partitions) == plan.Partitions/2-1
	})
	var urls []string
	for i := range 100 {
		if plan.Partition(KeyOf(site.url(i, "/"))) != plan.Partition(KeyOf(site.url(host, "/"))) {
			urls = append(urls, site.url(i, "/quick"))
		}
	}
	add(t, store, urls...)
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.URLs == int64(len(urls)) })
}

// A worker loses its connection to the store: before another one may have its partitions, it interrupts the
// fetches that have begun.
func TestIsolatedWorkerAsksForNothing(t *testing.T) {
	_, conn := serve(t)
	own := connect(t, conn.ConnectedUrl())
	store := open(t, own, "test")
	asked := make(chan time.Time, 1000)
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		asked <- time.Now()
		w.WriteHeader(503)
	})
	add(t, store, site.url(0, "/"))
	w := newWorker(t, store, new(memorySink))
	w.Fetcher = &fetchers.Client{Fetcher: w.Fetcher.(*fetchers.Client).Fetcher, Retry: fetchers.Retry{Max: 40, Delay: time.Second}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { w.Run(ctx); close(ended) }()
	<-asked
	own.Close()
	lost := time.Now()
	time.Sleep(deadAfter + 4*time.Second)
	cancel()
	<-ended
	late := 0
	for len(asked) > 0 {
		if at := <-asked; at.Sub(lost) > deadAfter {
			late++
		}
	}
	if late > 0 {
		t.Errorf("%d requests more than %v after the connection was lost: another worker may have the partition", late, deadAfter)
	}
}

// The store is away for longer than a lease: a fetch that has begun is interrupted, and the URL has a record when
// the store is back.
func TestFetchGoesOnAfterTheLease(t *testing.T) {
	address, dir := freeAddress(t), t.TempDir()
	serve := func() *engine.Server {
		s, err := engine.Start(engine.Options{Dir: dir, Listen: address})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	server := serve()
	t.Cleanup(func() { server.Stop() })
	store := open(t, connect(t, server.URL()), "test")
	began, over := make(chan struct{}, 10), make(chan struct{}, 10)
	w := newWorker(t, store, new(memorySink))
	site := new(echo)
	w.Fetcher = fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		began <- struct{}{}
		if len(began) == 1 {
			<-ctx.Done()
			over <- struct{}{}
			return nil, ctx.Err()
		}
		return site.Fetch(ctx, req)
	})
	add(t, store, "http://h.example/")
	start(t, w)
	for len(began) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	server.Stop()
	select {
	case <-over:
	case <-time.After(deadAfter):
		t.Error("the fetch was not interrupted")
	}
	server = serve()
	waitFor(t, store, 2*time.Minute, func(s Status) bool { return s.Done() && s.URLs == 1 })
	site.checkOnce(t, store, []string{"http://h.example/"})
}

// A page that cannot be read is being read while its partition is lost.
func TestUnreadablePageOfALostPartition(t *testing.T) {
	store, _ := serve(t)
	w := newWorker(t, store, new(memorySink))
	h := hold(t, w, 9)
	w.lost([]int{9}) // while openNext waits for the server
	w.unreadable(h, 7, fmt.Errorf("no JSON"))
}
