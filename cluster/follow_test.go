package cluster

import (
	"fmt"
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// manyLinks answers with a page of links that have 50 MB together, and names itself by a long URL.
func manyLinks(t *testing.T) (at string, w *Worker) {
	t.Helper()
	store, _ := serve(t)
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "text/html")
		for i := range maxLinks + 10 {
			fmt.Fprintf(w, "<a href=/%d%s>x</a>", i, strings.Repeat("a", 1000))
		}
	})
	w = newWorker(t, store, new(memorySink))
	w.begin()
	var err error
	if w.crawl, err = (Crawl{Roots: []string{site.url(0, "/")}}).scope(); err != nil {
		t.Fatal(err)
	}
	return site.url(0, "/"+strings.Repeat("b", 20_000)), w
}

// The links of a page become pages of the job while they are read, and the URL that led to them is cut.
func TestLinksOfOnePageAreNotAllInMemory(t *testing.T) {
	at, w := manyLinks(t)
	o, err := w.fetch(t.Context(), &Item{URL: at, Follow: true})
	if err != nil || o.class != "" {
		t.Fatal(err, o.class)
	}
	size := 0
	for _, i := range o.links.items {
		size += len(i.URL) + linkSize
	}
	if size != o.links.bytes || size > linksEach {
		t.Errorf("%d links of %d bytes are in memory, and %d are counted", len(o.links.items), size, o.links.bytes)
	}
	if err := w.addLinks(t.Context(), o.links.items); err != nil {
		t.Fatal(err)
	}
	p, links := plan.Partition(KeyOf(at)), make(map[string]bool)
	for seq := uint64(0); ; seq++ {
		var data []byte
		if seq, data, err = w.Store.page(t.Context(), p, seq); err != nil || data == nil {
			break
		}
		page, err := decodePage(data, "test", p)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Items {
			links[i.URL] = true
			if len(i.Via) != maxVia || !strings.HasPrefix(at, i.Via) {
				t.Fatalf("a link of a URL of %d bytes", len(i.Via))
			}
		}
	}
	if err != nil || len(links) != maxLinks {
		t.Errorf("%d links, %v", len(links), err)
	}
}

// When results that are not written have many links, those of the next one become pages at once.
func TestLinksOfAllResultsHaveABound(t *testing.T) {
	store, _ := serve(t)
	w := newWorker(t, store, new(memorySink))
	w.begin()
	h := &holding{worker: w, partition: 9, inflight: make(map[mark]*task)}
	w.holdings[9] = h
	o := outcome{links: found{bytes: linksEach}}
	o.links.items = []Item{{URL: "http://h.example/", Follow: true}}
	for n := range 2 * linksMost / linksEach {
		r := o
		w.hold(t.Context(), &r)
		if kept := r.links.items != nil; kept != (n < linksMost/linksEach) {
			t.Fatalf("after %d results the links are in memory: %v", n, kept)
		}
		w.finish(h, result{&task{}, r})
	}
	if h.linkBytes != linksMost {
		t.Errorf("%d bytes are counted", h.linkBytes)
	}
	counts, err := store.waiting(t.Context())
	if err != nil || counts[plan.Partition("h.example")] != 1 {
		t.Errorf("%v, %v", counts, err)
	}
}
