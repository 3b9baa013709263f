package download_test

import (
	nethttp "net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// TestRetriesOfSegments checks that the segments of a file, and its restarts, share the retries.
// With --segments 4 --retry 2, a server that cuts off each response gets at most three requests for
// each segment, or five if it does not support ranges.
func TestRetriesOfSegments(t *testing.T) {
	const segments, retries = 4, 2
	for name, serve := range map[string]nethttp.HandlerFunc{
		"10 bytes a request": func(w nethttp.ResponseWriter, r *nethttp.Request) { long.serve(&cutter{w, 10}, r) },
		"no answer":          func(nethttp.ResponseWriter, *nethttp.Request) { panic(nethttp.ErrAbortHandler) },
		"busy":               func(w nethttp.ResponseWriter, _ *nethttp.Request) { w.WriteHeader(nethttp.StatusServiceUnavailable) },
		"ranges are ignored": func(w nethttp.ResponseWriter, r *nethttp.Request) {
			r.Header.Del("Range")
			long.serve(&cutter{w, 10}, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			all := make(chan bool) // closed when all segments have started
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				n := asked.Add(1)
				if n > 100 {
					long.serve(w, r)
					return
				}
				if n > segments {
					serve(w, r)
					return
				}
				if n == segments {
					close(all)
				}
				long.serve(&waiter{ResponseWriter: w, left: 1 << 10, until: all, cut: true}, r)
			}))
			defer server.Close()
			file := filepath.Join(t.TempDir(), "f")
			client := &fetchers.Client{Fetcher: web(t), Retry: fetchers.Retry{Max: retries, Delay: time.Millisecond}}
			saver := &download.Saver{Fetcher: client, Segments: segments}
			_, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
			most := int32(segments * (retries + 1))
			if name == "ranges are ignored" { // each retry may request the rest and the whole file
				most += segments * retries
			}
			if n := asked.Load(); err == nil || n > most {
				t.Errorf("%d requests, want at most %d: %v", n, most, err)
			}
			wantNone(t, file)
		})
	}
}

// TestRetriesOfAChangingFile checks that restarts do not add retries: each version of the file is
// cut off after a large part of it has arrived.
func TestRetriesOfAChangingFile(t *testing.T) {
	for _, segments := range []int{1, 4} {
		var asked atomic.Int32
		server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			n := int(asked.Add(1))
			version{long.content, `"` + strconv.Itoa(n) + `"`, day}.serve(&cutter{w, 3 << 20}, r)
		}))
		file := filepath.Join(t.TempDir(), "f")
		client := &fetchers.Client{Fetcher: web(t), Retry: fetchers.Retry{Max: 2, Delay: time.Millisecond}}
		_, err := (&download.Saver{Fetcher: client, Segments: segments}).Save(t.Context(), request(t, server.URL), download.Target{Name: file})
		if n := int(asked.Load()); err == nil || n > segments*2*3 { // after the first 3 MiB there are two retries again
			t.Errorf("%d segments: %d requests, %v", segments, n, err)
		}
		wantNone(t, file)
		server.Close()
	}
}
