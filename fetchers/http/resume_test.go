package http_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// A body that breaks off at any place, by a close or by a reset, arrives exactly,
// and no byte of it is asked for twice; if the document changes in between, what
// arrives is refused and never mixed.
func TestBodyIsCutAnywhere(t *testing.T) {
	old, changed := content, bytes.ToUpper(content)
	for percent := range 100 {
		for _, reset := range []bool{false, true} {
			for _, change := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d%% reset=%v change=%v", percent, reset, change), func(t *testing.T) {
					t.Parallel()
					cut := len(old) * percent / 100
					var requests, sent atomic.Int64
					server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
						n := requests.Add(1)
						body, tag := old, `"old"`
						if change && n > 1 {
							body, tag = changed, `"new"`
						}
						w.Header().Set("ETag", tag)
						if n == 1 {
							sent.Add(int64(cut))
							breakOff(w, body, cut, reset)
							return
						}
						counted := &counter{ResponseWriter: w, n: &sent}
						nethttp.ServeContent(counted, r, "", time.Time{}, bytes.NewReader(body))
					}))
					defer server.Close()
					f := new(http.Fetcher)
					defer f.CloseIdle()
					client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 3, Min: time.Millisecond}}
					res, err := client.Get(t.Context(), server.URL)
					if err != nil {
						t.Fatal(err)
					}
					defer res.Close()
					got, err := io.ReadAll(res.Body)
					switch {
					case change && !errors.Is(err, fetchers.ErrChanged):
						t.Errorf("error %v, want ErrChanged", err)
					case !change && (err != nil || !bytes.Equal(got, old)):
						t.Errorf("%d of %d bytes, error %v", len(got), len(old), err)
					case !bytes.HasPrefix(old, got):
						t.Errorf("%d bytes that are mixed", len(got))
					}
					// A reset may throw away what was sent before it.
					if extra := sent.Load() - int64(len(old)); !change && !reset && extra > 0 {
						t.Errorf("%d bytes were sent twice", extra)
					}
				})
			}
		}
	}
}

// breakOff announces body, sends a part of it and ends the connection.
func breakOff(w nethttp.ResponseWriter, body []byte, cut int, reset bool) {
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.Header().Set("Accept-Ranges", "bytes")
	w.WriteHeader(nethttp.StatusOK)
	w.Write(body[:cut])
	w.(nethttp.Flusher).Flush()
	conn, _, err := w.(nethttp.Hijacker).Hijack()
	if err != nil {
		return
	}
	if reset {
		conn.(*net.TCPConn).SetLinger(0)
	}
	conn.Close()
}

// A counter counts the bytes of a body.
type counter struct {
	nethttp.ResponseWriter
	n *atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n.Add(int64(n))
	return n, err
}
