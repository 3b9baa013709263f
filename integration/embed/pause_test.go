package embed

import (
	"io"
	"log"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// Workers that pause between fetches from one host need one connection each at most, with the
// default settings.
func TestPausingWorkers(t *testing.T) {
	const workers, each = 32, 20
	for name, start := range map[string]func(*httptest.Server){"http": (*httptest.Server).Start, "https": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			var connections atomic.Int32
			s := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.WriteString(w, "hello") }))
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.Config.ConnState = func(_ net.Conn, state nethttp.ConnState) {
				if state == nethttp.StateNew {
					connections.Add(1)
				}
			}
			start(s)
			defer s.Close()
			f := new(http.Fetcher)
			if s.TLS != nil {
				f.TLS = s.Client().Transport.(*nethttp.Transport).TLSClientConfig
			}
			defer f.CloseIdle()
			u, err := url.Parse(s.URL + "/")
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for range workers {
				all.Go(func() {
					for range each {
						res, err := f.Fetch(t.Context(), &fetchers.Request{URL: u})
						if err != nil {
							t.Error(err)
							return
						}
						io.Copy(io.Discard, res.Body)
						res.Close()
						time.Sleep(5 * time.Millisecond)
					}
				})
			}
			all.Wait()
			if n := connections.Load(); n > workers {
				t.Errorf("%d connections for %d workers", n, workers)
			}
		})
	}
}
