package cluster

import (
	"fmt"
	"io"
	nethttp "net/http"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// paced returns a worker that leaves each host alone for a while between two requests.
func paced(t testing.TB, store *Store, least time.Duration) *Worker {
	w := newWorker(t, store, new(memorySink))
	w.Pace = &crawl.Pace{Fetcher: w.Fetcher.(*fetchers.Client).Fetcher, Least: least, Enforce: true}
	w.Fetcher = &fetchers.Client{Fetcher: &fetchers.Courtesy{Fetcher: w.Pace}}
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
