package cluster

import (
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// addItem adds one item to a job.
func addItem(t testing.TB, s *Store, i Item) {
	t.Helper()
	a := NewAdder(s)
	if err := a.Add(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// retried has one URL of a class fetched again, and returns its final record.
func retried(t testing.TB, s *Store, class record.Class) *record.Record {
	t.Helper()
	waitFor(t, s, 20*time.Second, func(s Status) bool { return s.Done() && s.Failures[string(class)] == 1 })
	if queued, hidden, err := s.Retry(t.Context(), class); queued != 1 || hidden != 0 || err != nil {
		t.Fatal(queued, hidden, err)
	}
	waitFor(t, s, 20*time.Second, Status.Done)
	for _, r := range records(t, s) {
		if r.Generation == 1 {
			return r.Record
		}
	}
	t.Fatal("no record of the second generation")
	return nil
}

func TestRetryObeysRobots(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "User-agent: *\nDisallow: /\n")
			return
		}
		t.Errorf("%s was asked for", r.URL)
	})
	w := newWorker(t, store, new(memorySink))
	w.Robots = &robots.Cache{Fetcher: w.Fetcher, Agent: "fetch"}
	addItem(t, store, Item{URL: site.url(0, "/secret"), Follow: true, Depth: 1, Via: "http://h.example/" + strings.Repeat("%22", 10_000)})
	start(t, w)
	if r := retried(t, store, record.ClassBlocked); r.Error == nil || r.Error.Class != record.ClassBlocked {
		t.Errorf("the record is %+v", r)
	}
}

func TestRetryComparesSum(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, hello)
	addItem(t, store, Item{URL: site.url(0, "/x"), SHA256: strings.Repeat("0", 64)})
	start(t, newWorker(t, store, new(memorySink)))
	if r := retried(t, store, record.ClassChecksum); r.Error == nil || r.Error.Class != record.ClassChecksum {
		t.Errorf("the record is %+v", r)
	}
}

func TestRetryFollowsLinks(t *testing.T) {
	store, _ := serve(t)
	var well atomic.Bool
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "text/html")
		if !well.Load() {
			w.WriteHeader(500)
		}
		if r.URL.Path == "/" {
			io.WriteString(w, `<a href="/next">next</a>`)
		}
	})
	if err := store.AddCrawl(t.Context(), Crawl{Roots: []string{site.url(0, "/")}}); err != nil {
		t.Fatal(err)
	}
	start(t, newWorker(t, store, new(memorySink)))
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 1 })
	well.Store(true)
	if r := retried(t, store, record.ClassProtocol); r.Error != nil {
		t.Errorf("the record is %+v", r)
	}
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 2 })
}

// A URL that is fetched again while the final records are read has one of them.
func TestFinalRecordsWhileAURLIsFetchedAgain(t *testing.T) {
	store, _ := serve(t)
	w := newWorker(t, store, new(memorySink))
	w.begin()
	const u = "http://h.example/"
	p := plan.Partition(KeyOf(u))
	w.taken(t.Context(), []plan.Taking{{Partition: p, Token: 1}})
	w.tasks.Wait()
	h := w.holdings[p]
	t.Cleanup(func() { w.lost([]int{p}); w.tasks.Wait() })
	write := func(path string, generation uint8) {
		v, err := (&Item{URL: u + path}).parse()
		if err != nil {
			t.Fatal(err)
		}
		o, err := (&visit{rec: record.New(v, time.Now())}).outcome()
		if err != nil {
			t.Fatal(err)
		}
		w.finish(h, result{&task{page: &openPage{holding: h, left: 1}, hash: hashOfURL(v, u+path), generation: generation}, o})
		w.commit(t.Context(), []*holding{h})
	}
	const count = 40 // more than one request for messages has
	for i := range count {
		write(fmt.Sprint(i), 0)
	}
	seen := make(map[string]int)
	for r, err := range store.Records(t.Context(), Records{Final: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) == 0 {
			write(fmt.Sprint(count-1), 1)
		}
		if seen[r.Record.URL]++; seen[r.Record.URL] > 1 {
			t.Errorf("%s has %d final records", r.Record.URL, seen[r.Record.URL])
		}
	}
	if len(seen) != count {
		t.Errorf("%d URLs have records", len(seen))
	}
	if final := records(t, store)[u+fmt.Sprint(count-1)]; final.Generation != 1 {
		t.Errorf("the record is %+v", final)
	}
}
