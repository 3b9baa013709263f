package cluster

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// BenchmarkWorker measures the cost of a URL without a network and without files: pages, records, the set of
// done URLs and the server of the job.
func BenchmarkWorker(b *testing.B) {
	store, _ := serve(b)
	a := NewAdder(store)
	for i := range b.N {
		if err := a.Add(b.Context(), Item{URL: fmt.Sprintf("http://host%d.example/dir/file%d.html", i%1000, i/1000)}); err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
	w := newWorker(b, store, new(memorySink))
	w.Flush = time.Second
	w.Fetcher = fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1, MediaType: "text/plain"}
		res.SetBody(io.NopCloser(strings.NewReader(req.URL.Path)))
		return res, nil
	})
	b.ResetTimer()
	start(b, w)
	for {
		waiting, err := store.Waiting(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if waiting == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
