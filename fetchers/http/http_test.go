package http_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/url"
)

func TestScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/http/*.txt", func() fetchers.Fetcher {
		f := new(http.Fetcher)
		t.Cleanup(f.CloseIdle)
		return f
	})
}

var (
	content = bytes.Repeat([]byte("all that glitters is not gold\n"), 10_000)
	changed = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
)

func TestConformance(t *testing.T) {
	mux := nethttp.NewServeMux()
	mux.HandleFunc("/poem.txt", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("ETag", `"1"`)
		nethttp.ServeContent(w, r, "poem.txt", changed, bytes.NewReader(content))
	})
	mux.HandleFunc("/stalled", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		part(w)
		<-r.Context().Done()
	})
	mux.HandleFunc("/cut", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		part(w)
		panic(nethttp.ErrAbortHandler)
	})
	for name, start := range map[string]func(nethttp.Handler) *httptest.Server{
		"HTTP/1.1": httptest.NewServer,
	} {
		t.Run(name, func(t *testing.T) {
			server := start(mux)
			defer server.Close()
			at := func(path string) func(*testing.T) *url.URL {
				return func(t *testing.T) *url.URL { return parse(t, server.URL+path) }
			}
			conformance.Run(t, conformance.Target{
				Fetcher:  new(http.Fetcher),
				Document: at("/poem.txt")(t),
				Content:  content,
				Missing:  at("/nope")(t),
				Stalled:  at("/stalled"),
				Cut:      at("/cut"),
			})
		})
	}
}

// part sends a part of what it announces.
func part(w nethttp.ResponseWriter) {
	w.Header().Set("Content-Length", "300000")
	w.Write(content[:100_000])
	w.(nethttp.Flusher).Flush()
}

// The library's retries are those of fetchers.Retry, and an answer that comes in
// the end is the answer.
func TestRetry(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch n := requests.Add(1); {
		case r.URL.Path == "/twice" && n <= 2, r.URL.Path == "/always":
			nethttp.Error(w, "busy", nethttp.StatusServiceUnavailable)
		case r.URL.Path == "/later":
			w.Header().Set("Retry-After", "1000000000")
			nethttp.Error(w, "busy", nethttp.StatusServiceUnavailable)
		case r.URL.Path == "/missing":
			nethttp.NotFound(w, r)
		case r.URL.Path == "/hangup" && n == 1:
			panic(nethttp.ErrAbortHandler)
		default:
			io.WriteString(w, "fine")
		}
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for _, c := range []struct {
		path     string
		requests int64
		err      string // "" if it is fine in the end
	}{
		{"/twice", 3, ""},
		{"/hangup", 2, ""},
		{"/always", 4, "503 Service Unavailable (after 4 tries)"},
		{"/later", 1, "503 Service Unavailable"},
		{"/missing", 1, "404 Not Found"},
	} {
		requests.Store(0)
		told := 0
		ctx := fetchers.WithTrace(context.Background(), &fetchers.Trace{
			Retry: func(try int, _ time.Duration, err error) {
				if told++; try != told || err == nil {
					t.Errorf("%s: told of try %d after %v, want try %d", c.path, try, err, told)
				}
			},
		})
		ctx = fetchers.WithRetry(ctx, fetchers.Retry{Max: 3, Min: time.Millisecond, Cap: time.Second})
		res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+c.path)})
		if err == nil {
			res.Close()
		}
		if n := requests.Load(); n != c.requests || int64(told) != n-1 {
			t.Errorf("%s: %d requests, told of %d more; want %d", c.path, n, told, c.requests)
		}
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.HasSuffix(err.Error(), c.err)) {
			t.Errorf("%s: error %v, want %q", c.path, err, c.err)
		}
	}
}

// What our own rules forbid, and names that do not exist, are not tried again.
func TestNoRetryOfRefusalsByUs(t *testing.T) {
	checks := 0
	f := &http.Fetcher{Network: &fetchers.Network{
		Dial: fetchers.Guarded(net.Dialer{}, func(a netip.AddrPort) error {
			checks++
			return fetchers.PublicOnly(a)
		}),
	}}
	ctx := fetchers.WithRetry(context.Background(), fetchers.Retry{Max: 3, Min: time.Millisecond})
	_, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, "http://127.0.0.1:1/")})
	if !errors.Is(err, fetchers.ErrBlocked) || checks != 1 {
		t.Errorf("error %v after %d tries, want ErrBlocked after one", err, checks)
	}
	var tried *fetchers.TriedError
	if errors.As(err, &tried) {
		t.Errorf("it was tried %d times", tried.Tries)
	}
}

// Secrets do not reach the Trace, and a query is not in an error.
func TestSecrets(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("Set-Cookie", "id=s3cret")
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	var lines []string
	ctx := fetchers.WithTrace(context.Background(), &fetchers.Trace{
		Sent: func(line string) { lines = append(lines, line) },
		Got:  func(line string) { lines = append(lines, line) },
	})
	u := parse(t, strings.Replace(server.URL, "//", "//user:s3cret@", 1))
	res, err := f.Fetch(ctx, &fetchers.Request{URL: u, Header: map[string][]string{"Cookie": {"id=s3cret"}}})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	all := strings.Join(lines, "\n")
	if strings.Contains(all, "s3cret") || strings.Contains(all, "dXNlcjpzM2NyZXQ=") {
		t.Errorf("the trace is\n%s", all)
	}
}

// A request begins the wait for its answer anew, also on a connection that has
// been idle for a while.
func TestIdleTimeIsNotSilence(t *testing.T) {
	const stall = time.Second
	server := httptest.NewServer(nethttp.HandlerFunc(func(_ nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(stall * 2 / 3)
		}
	}))
	defer server.Close()
	f := &http.Fetcher{Network: &fetchers.Network{Stall: stall}}
	defer f.CloseIdle()
	for _, path := range []string{"/", "/slow"} {
		res, err := f.Fetch(context.Background(), &fetchers.Request{URL: parse(t, server.URL+path)})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		io.Copy(io.Discard, res.Body)
		res.Close()
		time.Sleep(stall * 2 / 3)
	}
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
