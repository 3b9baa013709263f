package http_test

import (
	"context"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// A fetch makes no more requests and connections than needed, as its Trace shows.
func TestNumberOfRequests(t *testing.T) {
	mux := nethttp.NewServeMux()
	mux.HandleFunc("/{$}", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		nethttp.ServeContent(w, r, "poem.txt", changed, strings.NewReader(string(content)))
	})
	mux.HandleFunc("GET /headless", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Method == "HEAD" {
			w.WriteHeader(nethttp.StatusMethodNotAllowed)
		}
	})
	mux.HandleFunc("/guarded/", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if _, password, _ := r.BasicAuth(); password != "p" {
			w.Header().Set("WWW-Authenticate", "Basic realm=r")
			nethttp.Error(w, "who are you?", nethttp.StatusUnauthorized)
		}
	})
	mux.HandleFunc("/moved", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		nethttp.Redirect(w, r, "/", nethttp.StatusFound)
	})
	var busy atomic.Int64
	mux.HandleFunc("/busy", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		if busy.Add(1)%2 == 1 {
			nethttp.Error(w, "not now", nethttp.StatusServiceUnavailable)
		}
	})

	for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
		server, f := overTLS(mux, version == "HTTP/2")
		defer server.Close()
		defer f.CloseIdle()
		client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 2, Min: time.Millisecond}}
		for _, c := range []struct {
			name        string
			path        string
			req         fetchers.Request
			requests    int
			connections int
		}{
			{"the first", "/", fetchers.Request{}, 1, 1},
			{"the next", "/", fetchers.Request{}, 1, 0},
			{"a part", "/", fetchers.Request{Range: fetchers.Range{Offset: 10}}, 1, 0},
			{"with a copy at hand", "/", fetchers.Request{Have: fetchers.Validator{ModTime: changed}}, 1, 0},
			{"when the partial file is complete", "/", fetchers.Request{Range: fetchers.Range{Offset: int64(len(content))}}, 1, 0},
			{"describing", "/", fetchers.Request{Describe: true}, 1, 0},
			{"describing without HEAD", "/headless", fetchers.Request{Describe: true}, 2, 0},
			{"a login", "/guarded/", fetchers.Request{Login: &fetchers.Credential{User: "u", Password: "p"}}, 2, 0},
			{"a second request with the login", "/guarded/x", fetchers.Request{Login: &fetchers.Credential{User: "u", Password: "p"}}, 1, 0},
			{"a login that is refused", "/guarded/", fetchers.Request{Login: &fetchers.Credential{User: "u", Password: "q"}}, 2, 0},
			{"a retry", "/busy", fetchers.Request{}, 2, 0},
			{"a redirection", "/moved", fetchers.Request{}, 2, 0},
			{"not found", "/nothing", fetchers.Request{}, 1, 0},
		} {
			t.Run(version+"/"+c.name, func(t *testing.T) {
				requests, connections := tally(t, client, server.URL+c.path, c.req)
				if requests != c.requests || connections != c.connections {
					t.Errorf("%d requests and %d connections, want %d and %d", requests, connections, c.requests, c.connections)
				}
				if strings.HasPrefix(c.name, "a login that") || strings.HasPrefix(c.name, "when all") || c.path == "/nothing" {
					f.CloseIdle() // their bodies are not read
					tally(t, client, server.URL, fetchers.Request{})
				}
			})
		}
	}
}

// tally fetches a document and returns the numbers of requests and connections.
func tally(t *testing.T, f fetchers.Fetcher, at string, req fetchers.Request) (requests, connections int) {
	t.Helper()
	var mu sync.Mutex
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{
		Sent: func(_ context.Context, line string) {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasPrefix(line, "GET ") || strings.HasPrefix(line, "HEAD ") {
				requests++
			}
		},
		ConnectDone: func(context.Context, string, string, error) {
			mu.Lock()
			defer mu.Unlock()
			connections++
		},
	})
	req.URL = parse(t, at)
	if res, err := f.Fetch(ctx, &req); err == nil {
		io.Copy(io.Discard, res.Body)
		res.Close()
		time.Sleep(5 * time.Millisecond) // the connection returns to the pool
	}
	return requests, connections
}

// A login and the caller's fields are not sent to another port, nor after a downgrade to http.
func TestLoginStaysAtItsOrigin(t *testing.T) {
	got := make(chan string, 10)
	other := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		got <- r.Header.Get("Authorization") + r.Header.Get("Cookie")
		w.Header().Set("WWW-Authenticate", "Basic realm=r")
		w.WriteHeader(nethttp.StatusUnauthorized)
	}))
	defer other.Close()
	guard := nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", "Basic realm=r")
			w.WriteHeader(nethttp.StatusUnauthorized)
			return
		}
		nethttp.Redirect(w, r, other.URL, nethttp.StatusFound)
	})
	for _, start := range []func(nethttp.Handler) (*httptest.Server, *http.Fetcher){
		overTCP,
		func(h nethttp.Handler) (*httptest.Server, *http.Fetcher) { return overTLS(h, true) },
	} {
		server, f := start(guard)
		defer server.Close()
		defer f.CloseIdle()
		client := &fetchers.Client{Fetcher: f}
		login := fetchers.Request{Login: &fetchers.Credential{User: "u", Password: "p"}}
		header := fetchers.Request{Header: map[string][]string{"Authorization": {"Bearer x"}, "Cookie": {"a=b"}}}
		for _, req := range []fetchers.Request{login, header} {
			req.URL = parse(t, server.URL)
			_, _, err := read(t, client, &req)
			if !errors.Is(err, fetchers.ErrLogin) || len(got) != 1 {
				t.Fatalf("the other server was asked %d times, error %v", len(got), err)
			}
			if secrets := <-got; secrets != "" {
				t.Errorf("the other server got %q", secrets)
			}
		}
	}
}

// With NoFail, a Client repeats a request after a temporary refusal, over the same connection.
func TestNoFailIsRepeated(t *testing.T) {
	var requests, connections atomic.Int64
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		if requests.Add(1)%3 != 0 {
			nethttp.Error(w, "busy", nethttp.StatusServiceUnavailable)
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state nethttp.ConnState) {
		if state == nethttp.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for _, c := range []struct {
		most     int
		requests int64
		code     int
	}{{1, 2, 503}, {3, 3, 200}} {
		requests.Store(0)
		client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: c.most, Min: time.Millisecond}}
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL), NoFail: true})
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(res.Body); err != nil || requests.Load() != c.requests || res.Reply.Code != c.code || (len(body) > 0) != (c.code == 503) {
			t.Errorf("%d requests, %d, %q, %v", requests.Load(), res.Reply.Code, body, err)
		}
		res.Close()
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// With NoFail, the Retry-After of a refusal is reported too.
func TestNoFailWait(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Retry-After", "60")
		if r.URL.Path == "/busy" {
			w.WriteHeader(nethttp.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for path, want := range map[string]time.Duration{"/busy": time.Minute, "/fine": 0} {
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+path), NoFail: true})
		if err != nil {
			t.Fatal(err)
		}
		if refused := res.Refusal; (refused != nil) != (want > 0) || refused != nil && (refused.Wait != want || refused.Reply != res.Reply) {
			t.Errorf("%s: %d, refused: %#v, want a wait of %v", path, res.Reply.Code, refused, want)
		}
		res.Close()
	}
}
