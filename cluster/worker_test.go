package cluster

import (
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/record"
)

// A URL that is added is fetched once, and has a record; another worker fetches nothing again.
func TestWorkerFetchesEachURLOnce(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if strings.HasPrefix(r.URL.Path, "/missing") {
			w.WriteHeader(404)
			return
		}
		hello(w, r)
	})
	var urls []string
	for h := range 20 {
		for _, path := range []string{"/a", "/b", "/missing"} {
			urls = append(urls, site.url(h, path))
		}
	}
	add(t, store, append(urls, urls[0], "no url")...)
	bodies := new(memorySink)
	stop := start(t, newWorker(t, store, bodies))
	status := waitFor(t, store, 20*time.Second, Status.Done)
	if status.URLs != 61 || status.Failures["not-found"] != 20 || status.Failures["malformed-url"] != 1 {
		t.Errorf("status: %+v", status)
	}
	all := records(t, store)
	for _, u := range urls {
		r := all[u].Record
		switch {
		case r == nil:
			t.Errorf("%s has no record", u)
		case strings.HasSuffix(u, "/missing"):
			if r.Error == nil || r.Error.Class != record.ClassNotFound {
				t.Errorf("%s: %+v", u, r.Error)
			}
		case r.Error != nil || r.SHA256 == nil || r.Complete != record.Confirmed || r.Remote == nil:
			t.Errorf("%s: %+v", u, r)
		}
	}
	stop()
	add(t, store, urls...)
	start(t, newWorker(t, store, bodies))
	waitFor(t, store, 20*time.Second, Status.Done)
	if site.total() != 60 {
		t.Errorf("the servers were asked %d times for 60 URLs", site.total())
	}
	if n := len(records(t, store)); n != 61 {
		t.Errorf("there are %d records", n)
	}
}
