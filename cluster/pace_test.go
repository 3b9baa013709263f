package cluster

import (
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/fetchers"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// paced returns a worker that leaves each host alone for a while between two requests.
func paced(t testing.TB, store *Store, least time.Duration) *Worker {
	w := newWorker(t, store, new(memorySink))
	w.Pace = &crawl.Pace{Fetcher: w.Fetcher.(*fetchers.Client).Fetcher, Least: least, Enforce: true}
	w.Courtesy = &fetchers.Courtesy{Fetcher: w.Pace}
	w.Fetcher = &fetchers.Client{Fetcher: w.Courtesy}
	w.Robots = &robots.Cache{Fetcher: w.Fetcher, Agent: "fetch"}
	return w
}

// A times is when a host was asked.
type times struct {
	mu  sync.Mutex
	all []time.Time
}

func (s *times) add() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, time.Now())
}

// apart checks how long after each other there were n requests.
func (s *times) apart(t *testing.T, n int, least time.Duration) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) != n {
		t.Errorf("%d requests, want %d", len(s.all), n)
	}
	for i := 1; i < len(s.all); i++ {
		if d := s.all[i].Sub(s.all[i-1]); d < least {
			t.Errorf("request %d came %v after the one before", i+1, d)
		}
	}
}

// Several hosts that redirect to one do not have it asked more often than by --wait.
func TestRedirectionsKeepTheRateOfTheirTarget(t *testing.T) {
	store, _ := serve(t)
	var seen times
	target := ""
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/target" {
			seen.add()
			return
		}
		nethttp.Redirect(w, r, target+"?"+r.Host, nethttp.StatusFound)
	})
	target = site.url(0, "/target")
	var urls []string
	for i := range 5 {
		urls = append(urls, site.url(i+1, "/"))
	}
	add(t, store, urls...)
	start(t, paced(t, store, 500*time.Millisecond))
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 5 })
	seen.apart(t, 5, 480*time.Millisecond)
}

// The Crawl-delay of a robots.txt holds for the first page after it.
func TestPageAfterRobotsKeepsTheRate(t *testing.T) {
	store, _ := serve(t)
	var seen times
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		seen.add()
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "User-agent: *\nCrawl-delay: 2\n")
		}
	})
	for i := range 2 {
		addItem(t, store, Item{URL: site.url(0, fmt.Sprint("/", i)), Via: "http://h.example/"})
	}
	start(t, paced(t, store, 100*time.Millisecond))
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 2 })
	seen.apart(t, 3, 1980*time.Millisecond)
}

// refusing returns a web that demands a wait of 40 seconds, and when it was asked.
func refusing(t *testing.T) (*web, *times) {
	seen := new(times)
	return newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		seen.add()
		w.Header().Set("Retry-After", "40")
		w.WriteHeader(nethttp.StatusTooManyRequests)
	}), seen
}

// A host that demands a wait is left alone by the next owner of its partition, too. URLs that are to wait for
// too long have the refusal as their record.
func TestRetryAfterHoldsForTheNextOwner(t *testing.T) {
	store, _ := serve(t)
	site, seen := refusing(t)
	for n := range 2 {
		add(t, store, site.url(0, fmt.Sprint("/", n)))
		stop := start(t, paced(t, store, 0))
		waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == int64(n+1) })
		stop()
	}
	seen.apart(t, 1, 0)
	all := records(t, store)
	first, second := all[site.url(0, "/0")].Record.Error, all[site.url(0, "/1")].Record.Error
	if first == nil || second == nil || first.Class != second.Class || !strings.Contains(second.Text, "429") {
		t.Errorf("%+v, %+v", first, second)
	}
}

// A wait is in the store before its worker gives the partition back: it may die.
func TestRetryAfterIsKeptAtOnce(t *testing.T) {
	store, _ := serve(t)
	site, _ := refusing(t)
	add(t, store, site.url(0, "/"))
	start(t, paced(t, store, 0))
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Done() && s.URLs == 1 })
	time.Sleep(waitsEvery + 500*time.Millisecond)
	next := paced(t, store, 0)
	if err := next.readWaits(t.Context(), plan.Partition("127.0.0.1")); err != nil {
		t.Fatal(err)
	}
	rests := next.Courtesy.Rests()
	if len(rests) != 1 || rests[0].Origin.Host != "127.0.0.1" || rests[0].Refusal.Code != 429 || rests[0].Refusal.Wait < 30*time.Second || rests[0].Refusal.Wait > 39*time.Second {
		t.Errorf("%+v", rests)
	}
}

// Two hosts of a partition demand waits, the second one a shorter wait: the next owner honours both.
func TestShorterWaitIsKept(t *testing.T) {
	store, _ := serve(t)
	hosts := neighbours(2)
	p := plan.Partition(hosts[0])
	w, next := paced(t, store, 0), paced(t, store, 0)
	for i, wait := range []time.Duration{time.Hour, time.Minute} {
		w.Courtesy.Add(fetchers.Rest{
			Origin:  fetchers.Origin{Scheme: "http", Host: hosts[i], Port: "80"},
			Refusal: fetchers.StatusError{Class: fetchers.Temporary(fetchers.ErrBusy), Wait: wait},
		})
		if err := w.writeWaits(t.Context(), []int{p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := next.readWaits(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if rests := next.Courtesy.Rests(); len(rests) != 2 {
		t.Errorf("the next owner knows of %+v", rests)
	}
}

// Values that no worker has written do no harm.
func TestWaitsOfStrangers(t *testing.T) {
	store, _ := serve(t)
	w := paced(t, store, 0)
	for p, value := range map[int]string{1: "no JSON", 2: `[{"host":"127.0.0.1","seconds":1000}]`, plan.Partition("127.0.0.1"): `[{"host":"127.0.0.1","seconds":-1},{"host":"127.0.0.1","seconds":1e300}]`} {
		if _, err := store.state.Put(t.Context(), keyWaits(p), []byte(value)); err != nil {
			t.Fatal(err)
		}
		if err := w.readWaits(t.Context(), p); err != nil {
			t.Error(err)
		}
	}
	for _, r := range w.Courtesy.Rests() {
		if r.Refusal.Wait > maxWait {
			t.Errorf("%+v", r)
		}
	}
}
