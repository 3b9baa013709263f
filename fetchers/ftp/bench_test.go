package ftp_test

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

// BenchmarkSmallFiles fetches 1,000 small files from one directory, and reports the number of
// logins, and of commands, which are round trips, per file.
func BenchmarkSmallFiles(b *testing.B) {
	const count, size = 1000, 4 << 10
	tree := make(fstest.MapFS)
	for i := range count {
		tree[fmt.Sprintf("pub/%d", i)] = &fstest.MapFile{Data: bytes.Repeat([]byte{byte(i)}, size)}
	}
	for _, c := range []struct {
		name    string
		workers int
		noReuse bool
	}{{"one at a time", 1, false}, {"four at a time", 4, false}, {"without reuse", 1, true}} {
		b.Run(c.name, func(b *testing.B) {
			server := ftptest.NewServer(tree)
			defer server.Close()
			var urls []*url.URL
			for i := range count {
				u, err := url.Parse(fmt.Sprintf("%s/pub/%d", server.URL, i))
				if err != nil {
					b.Fatal(err)
				}
				urls = append(urls, u)
			}
			b.SetBytes(count * size)
			for b.Loop() {
				f := &ftp.Fetcher{NoReuse: c.noReuse}
				todo := make(chan *url.URL)
				var wg sync.WaitGroup
				for range c.workers {
					wg.Go(func() {
						for u := range todo {
							if err := drain(b, f, u); err != nil {
								b.Errorf("%s: %v", u, err)
							}
						}
					})
				}
				for _, u := range urls {
					todo <- u
				}
				close(todo)
				wg.Wait()
				f.CloseIdle()
			}
			b.ReportMetric(float64(server.Logins())/float64(b.N), "logins/op")
			b.ReportMetric(float64(len(server.Transcript()))/float64(b.N)/count, "commands/file")
		})
	}
}

func drain(b *testing.B, f *ftp.Fetcher, u *url.URL) error {
	res, err := f.Fetch(b.Context(), &fetchers.Request{URL: u})
	if err != nil {
		return err
	}
	defer res.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}
