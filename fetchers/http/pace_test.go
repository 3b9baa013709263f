package http_test

import (
	"errors"
	"io"
	nethttp "net/http"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A least speed counts while the header is waited for, also on the shared connections of
// HTTP/2, and leaves alone what comes at once.
func TestPaceOfTheHeader(t *testing.T) {
	for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		server, f := overTLS(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if r.URL.Path == "/slow" {
				<-r.Context().Done()
			}
			io.WriteString(w, "here\n")
		}), h2)
		for path, want := range map[string]error{"/": nil, "/slow": fetchers.ErrStalled} {
			l := &fetchers.Limiter{Fetcher: f, Least: 1, Span: time.Hour}
			if want != nil {
				l.Span = 200 * time.Millisecond
			}
			res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+path)})
			if err == nil {
				_, err = io.ReadAll(res.Body)
				res.Close()
			}
			if !errors.Is(err, want) {
				t.Errorf("%s: %s: %v, want %v", name, path, err, want)
			}
		}
		f.CloseIdle()
		server.Close()
	}
}
