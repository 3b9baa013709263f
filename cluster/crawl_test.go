package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A worker that began before the crawl was set gets pages of found links only: it follows their links.
func TestWorkerBeforeTheCrawl(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<a href="/next">next</a>`)
	})
	start(t, newWorker(t, store, new(memorySink)))
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Free == 0 })
	root, found := site.url(0, "/"), site.url(1, "/found")
	if _, _, err := store.swap(t.Context(), keyCrawl, Crawl{Roots: []string{root}, SpanHosts: true}, 0); err != nil {
		t.Fatal(err)
	}
	a := NewAdder(store)
	if err := errors.Join(a.Add(t.Context(), Item{URL: found, Follow: true, Depth: 1, Via: root}), a.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 2 })
}

// A page whose links are to be followed stays until the crawl can be read.
func TestPageWaitsForTheCrawl(t *testing.T) {
	store, _ := serve(t)
	w := newWorker(t, store, new(memorySink))
	partition := plan.Partition(KeyOf("http://h.example/"))
	h := hold(t, w, partition)
	a := &pageWriter{job: store.job}
	if _, err := a.add(&Item{URL: "http://h.example/", Follow: true, Via: "http://other.example/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.js.Publish(t.Context(), store.pageSubject(partition), a.flush()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.state.Put(t.Context(), keyCrawl, []byte("no JSON")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.openNext(t.Context(), h); err == nil || len(h.pages) > 0 {
			t.Errorf("%d pages are open, %v", len(h.pages), err)
		}
	}
	if err := store.put(t.Context(), keyCrawl, Crawl{}); err != nil {
		t.Fatal(err)
	}
	if err := w.openNext(t.Context(), h); err != nil || len(h.pages) != 1 {
		t.Errorf("%d pages are open, %v", len(h.pages), err)
	}
}

// The crawl is set before a page with its roots is there. A root with a secret sets nothing.
func TestCrawlIsSetBeforeItsRoots(t *testing.T) {
	store, _ := serve(t)
	var roots []string
	for i := range plan.PageItems + 10 { // the first ones are a full page
		roots = append(roots, fmt.Sprintf("http://h.example/%d", i))
	}
	if err := store.AddCrawl(t.Context(), Crawl{Roots: append(roots, "http://joe:hunter2@h.example/")}); !errors.Is(err, ErrSecret) {
		t.Errorf("a root with a secret: %v", err)
	}
	var c Crawl
	if revision, err := store.get(t.Context(), keyCrawl, &c); revision != 0 || err != nil {
		t.Errorf("the crawl is %+v, %v", c, err)
	}
	if s, err := store.Status(t.Context()); err != nil || s.Waiting != 0 {
		t.Errorf("the status is %+v, %v", s, err)
	}
	if err := store.AddCrawl(t.Context(), Crawl{Roots: roots}); err != nil {
		t.Fatal(err)
	}
	page, err := store.pages.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set, err := store.state.Get(t.Context(), keyCrawl)
	if err != nil {
		t.Fatal(err)
	}
	if first := page.State.FirstTime; first.Before(set.Created()) {
		t.Errorf("the first page is there %v before the crawl", set.Created().Sub(first))
	}
}

// hold returns a partition that a worker has taken.
func hold(t *testing.T, w *Worker, partition int) *holding {
	t.Helper()
	w.begin()
	w.taken(t.Context(), []plan.Taking{{Partition: partition, Token: 1}})
	w.tasks.Wait()
	t.Cleanup(func() {
		w.lost([]int{partition})
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		w.queue.Wait(ended)
		w.tasks.Wait()
	})
	return w.holdings[partition]
}
