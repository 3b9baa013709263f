package cluster

import (
	"context"
	"fmt"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The pages may have so many bytes, and the links of a page do not fit. The worker says so, the other URLs have
// records, and their pages are removed.
func TestLinksThatDoNotFit(t *testing.T) {
	_, conn := serve(t)
	store, err := Open(t.Context(), conn, Options{Job: "full", MaxBytes: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "text/html")
		for i := range 1000 { // one page, which does not fit
			if r.URL.Path == "/" {
				fmt.Fprintf(w, "<a href=/%d/%s>x</a>", i, strings.Repeat("y", 50))
			}
		}
	})
	if err := store.AddCrawl(t.Context(), Crawl{Roots: []string{site.url(0, "/")}}); err != nil {
		t.Fatal(err)
	}
	start(t, newWorker(t, store, new(memorySink)))
	waitFor(t, store, 20*time.Second, func(s Status) bool { return len(s.Workers) == 1 && strings.Contains(s.Workers[0].Trouble, "links") })
	for n := range int64(3) {
		add(t, store, site.url(1+int(n), "/other"))
		s := waitFor(t, store, 20*time.Second, func(s Status) bool { return s.URLs == n+1 && s.Waiting == 1 })
		if s.Workers[0].Trouble == "" {
			t.Errorf("the status is %+v", s)
		}
	}
	for _, config := range []jetstream.StreamConfig{store.records.CachedInfo().Config, store.pages.CachedInfo().Config} {
		config.MaxBytes = -1
		if _, err := store.js.UpdateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, store, 2*time.Minute, func(s Status) bool { return s.Done() && s.URLs == 1004 && s.Workers[0].Trouble == "" })
}

// A partition is lost while the bodies of its records are made safe: a record whose links are not in the pages is
// not written either.
func TestNoRecordWithoutItsLinks(t *testing.T) {
	store, _ := serve(t)
	bodies := &slowSync{memorySink: new(memorySink), began: make(chan struct{}), over: make(chan struct{})}
	w := newWorker(t, store, bodies)
	h := hold(t, w, 9)
	u, err := (&Item{URL: "http://h.example/"}).parse()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.openPage(t.Context(), h, 1, &Page{Items: []Item{{URL: u.String()}}}); err != nil {
		t.Fatal(err)
	}
	o := failed(t, u)
	o.links.add(Item{URL: "http://h.example/2", Follow: true})
	w.finish(h, result{h.inflight[mark{hashOfURL(u, ""), 0}], o})
	written := make(chan struct{})
	go func() { w.commit(t.Context(), []*holding{h}); close(written) }()
	<-bodies.began
	w.lost([]int{9})
	close(bodies.over)
	<-written
	w.linking.Wait()
	if s, err := store.Status(t.Context()); err != nil || s.URLs != 0 && s.Waiting == 0 {
		t.Errorf("%d records, and %d pages of links: %v", s.URLs, s.Waiting, err)
	}
}

// A slowSync is a sink whose Sync takes a while.
type slowSync struct {
	*memorySink
	began, over chan struct{}
}

func (s *slowSync) Sync(context.Context) error {
	close(s.began)
	<-s.over
	return nil
}
