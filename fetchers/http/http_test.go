package http_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
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
	for dir, logins := range map[string][]string{
		"": nil, "answer": nil, "coding": nil, "list": nil, "login": nil, "odd": nil, "part": nil, "basic-only": {"basic"},
	} {
		t.Run(dir, func(t *testing.T) {
			conformance.Scripts(t, "../../testdata/wire/http/"+dir+"/*.txt", func() fetchers.Fetcher {
				f := &http.Fetcher{Logins: logins}
				f.SetNonce("NONCENONCE")
				t.Cleanup(f.CloseIdle)
				return f
			})
		})
	}
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
	for name, start := range map[string]func(nethttp.Handler) (*httptest.Server, *http.Fetcher){
		"HTTP/1.1":          overTCP,
		"HTTP/1.1 over TLS": func(h nethttp.Handler) (*httptest.Server, *http.Fetcher) { return overTLS(h, false) },
		"HTTP/2":            func(h nethttp.Handler) (*httptest.Server, *http.Fetcher) { return overTLS(h, true) },
	} {
		for _, compress := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s compress=%v", name, compress), func(t *testing.T) {
				server, f := start(compressing(mux))
				defer server.Close()
				at := func(path string) func(*testing.T) *url.URL {
					return func(t *testing.T) *url.URL { return parse(t, server.URL+path) }
				}
				conformance.Run(t, conformance.Target{
					Fetcher:  &asking{f, compress},
					Document: at("/poem.txt")(t),
					Content:  content,
					Missing:  at("/nope")(t),
					Stalled:  at("/stalled"),
					Cut:      at("/cut"),
				})
			})
		}
	}
}

func overTCP(h nethttp.Handler) (*httptest.Server, *http.Fetcher) {
	return httptest.NewServer(h), new(http.Fetcher)
}

// overTLS starts a server that speaks TLS, and returns a Fetcher that trusts it.
func overTLS(h nethttp.Handler, h2 bool) (*httptest.Server, *http.Fetcher) {
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = h2
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	return server, &http.Fetcher{TLS: trustIn(server)}
}

func trustIn(server *httptest.Server) *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return &tls.Config{RootCAs: roots}
}

// An asking is a Fetcher that sets Compress or not, whatever the request has.
type asking struct {
	*http.Fetcher
	compress bool
}

func (a *asking) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	r := *req
	r.Compress = a.compress
	return a.Fetcher.Fetch(ctx, &r)
}

// compressing compresses with gzip if the client accepts it, and stops where h does.
func compressing(h nethttp.Handler) nethttp.Handler {
	return nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.ServeHTTP(w, r)
			return
		}
		z := &zipped{ResponseWriter: w}
		h.ServeHTTP(z, r)
		if z.gz != nil {
			z.gz.Close()
		}
	})
}

// A zipped compresses the body of a 200.
type zipped struct {
	nethttp.ResponseWriter
	gz *gzip.Writer
}

func (z *zipped) WriteHeader(code int) {
	if code == nethttp.StatusOK {
		z.Header().Del("Content-Length")
		z.Header().Set("Content-Encoding", "gzip")
		z.gz = gzip.NewWriter(z.ResponseWriter)
	}
	z.ResponseWriter.WriteHeader(code)
}

func (z *zipped) Write(p []byte) (int, error) {
	if z.gz == nil {
		return z.ResponseWriter.Write(p)
	}
	return z.gz.Write(p)
}

func (z *zipped) Flush() {
	if z.gz != nil {
		z.gz.Flush()
	}
	z.ResponseWriter.(nethttp.Flusher).Flush()
}

// part sends a part of the announced body.
func part(w nethttp.ResponseWriter) {
	w.Header().Set("Content-Length", "300000")
	w.WriteHeader(nethttp.StatusOK)
	w.Write(content[:100_000])
	w.(nethttp.Flusher).Flush()
}

// A Client repeats an HTTP request after a temporary failure, and returns the final response.
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
		err      string // "" means no error
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
			Retry: func(_ context.Context, try int, _ time.Duration, err error) {
				if told++; try != told || err == nil {
					t.Errorf("%s: told of try %d after %v, want try %d", c.path, try, err, told)
				}
			},
		})
		client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 3, Min: time.Millisecond, Cap: time.Second}}
		res, err := client.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+c.path)})
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

// Requests that the Network forbids, and names that do not exist, are not repeated.
func TestNoRetryOfForbiddenAddresses(t *testing.T) {
	checks := 0
	f := &http.Fetcher{Network: &fetchers.Network{
		Dial: fetchers.Guarded(net.Dialer{}, func(a netip.AddrPort) error {
			checks++
			return fetchers.PublicOnly(a)
		}),
	}}
	client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 3, Min: time.Millisecond}}
	_, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://127.0.0.1:1/")})
	if !errors.Is(err, fetchers.ErrBlocked) || checks != 1 {
		t.Errorf("error %v after %d tries, want ErrBlocked after one", err, checks)
	}
	var tried *fetchers.TriedError
	if errors.As(err, &tried) {
		t.Errorf("it was tried %d times", tried.Tries)
	}
}

// Secrets do not reach the Trace, and errors contain no query.
func TestSecrets(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Set-Cookie", "id=s3cret")
		w.Header().Set("Content-Location", "http://user:s3cret@h.example/")
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", "Basic realm=r")
			w.WriteHeader(nethttp.StatusUnauthorized)
		}
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	var lines []string
	ctx := fetchers.WithTrace(context.Background(), &fetchers.Trace{
		Sent: func(_ context.Context, line string) { lines = append(lines, line) },
		Got:  func(_ context.Context, line string) { lines = append(lines, line) },
	})
	u := parse(t, strings.Replace(server.URL, "//", "//user:s3cret@", 1))
	res, err := f.Fetch(ctx, &fetchers.Request{URL: u, Header: map[string][]string{"Cookie": {"id=s3cret"}}})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	all := strings.Join(lines, "\n")
	if strings.Contains(all, "s3cret") || strings.Contains(all, "dXNlcjpzM2NyZXQ=") || !strings.Contains(all, "Authorization: Basic ***") {
		t.Errorf("the trace is\n%s", all)
	}
}

// The secret of a field is masked even without a scheme.
func TestBareAuthorization(t *testing.T) {
	server := httptest.NewServer(nethttp.NotFoundHandler())
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	var sent []string
	ctx := fetchers.WithTrace(context.Background(), &fetchers.Trace{Sent: func(_ context.Context, line string) { sent = append(sent, line) }})
	f.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL), Header: map[string][]string{"Authorization": {"s3cret"}}})
	if all := strings.Join(sent, "\n"); strings.Contains(all, "s3cret") || !strings.Contains(all, "Authorization: ***") {
		t.Errorf("the trace is\n%s", all)
	}
}

// A Trace and a Tap show a header field of the caller only if it is harmless, in each version of
// HTTP.
func TestOwnFieldsAreMasked(t *testing.T) {
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(nethttp.ResponseWriter, *nethttp.Request) {}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	const secret = "s3cret"
	masked := map[string]string{
		"Ocp-Apim-Subscription-Key": secret, "DD-APPLICATION-KEY": secret, "X-Access-Key": secret, "X-JWT": secret, "X-Functions-Key": secret, "X": secret,
		"If": "(<opaquelocktoken:" + secret + ">)", "Authorization": "Bearer " + secret, "Cookie": "a=" + secret, "Referer": "https://me:" + secret + "@h/x?code=" + secret,
	}
	shown := map[string]string{"Accept": "text/plain", "Accept-Language": "la", "Cache-Control": "no-cache", "If-None-Match": `"x"`, "User-Agent": "me/1"}
	for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
		f := &http.Fetcher{TLS: server.Client().Transport.(*nethttp.Transport).TLSClientConfig}
		if version == "HTTP/1.1" {
			f.Protocols = new(nethttp.Protocols)
			f.Protocols.SetHTTP1(true)
		}
		header := map[string][]string{}
		for name, value := range masked {
			header[name] = []string{value}
		}
		for name, value := range shown {
			header[name] = []string{value}
		}
		for _, tapped := range []bool{false, true} {
			var lines, wire strings.Builder
			trace := &fetchers.Trace{Sent: func(_ context.Context, line string) { lines.WriteString(line + "\n") }}
			if tapped {
				trace.Tap = func(context.Context, string, string) *fetchers.Tap {
					return &fetchers.Tap{Sent: func(p []byte) { wire.Write(p) }, Got: func([]byte) {}, Ended: func(error) {}}
				}
			}
			res, err := f.Fetch(fetchers.WithTrace(t.Context(), trace), &fetchers.Request{URL: parse(t, server.URL), Header: header})
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
			all := lines.String() + wire.String()
			if strings.Contains(all, secret) {
				t.Errorf("%s, tap %v: told\n%s", version, tapped, all)
			}
			for name, value := range shown {
				if !strings.Contains(strings.ToLower(all), strings.ToLower(name+": "+value)) {
					t.Errorf("%s, tap %v: %s is not shown:\n%s", version, tapped, name, all)
				}
			}
			if !strings.Contains(strings.ToLower(all), "referer: https://me:***@h/x?***") {
				t.Errorf("%s, tap %v: told\n%s", version, tapped, all)
			}
		}
		f.CloseIdle()
	}
}

// A password in a Location is masked, even if the Location is no URL.
func TestMaskedLocation(t *testing.T) {
	for value, want := range map[string]string{
		"http://me:s3cret@h/x": "http://me:***@h/x",
		"me:s3cret@h/x":        "me:***@h/x",
		"http:/me:s3cret@h":    "http:***@h",
		"/a?b=c":               "/a?b=c",
	} {
		if got := http.Masked("Location", value); got != want {
			t.Errorf("%s is told as %s, want %s", value, got, want)
		}
	}
}

// The response timeout starts with a request, even on a connection that was idle before. If a busy
// machine lets the timeout pass, the test proves nothing.
func TestIdleTimeIsNotSilence(t *testing.T) {
	const stall = time.Second
	server := httptest.NewServer(nethttp.HandlerFunc(func(_ nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(stall * 2 / 3)
		}
	}))
	defer server.Close()
	// get reports whether the response arrived, or the timeout was too early.
	get := func(f *http.Fetcher, path string) (shown bool) {
		begun := time.Now()
		res, err := f.Fetch(context.Background(), &fetchers.Request{URL: parse(t, server.URL+path)})
		switch took := time.Since(begun); {
		case err == nil:
			io.Copy(io.Discard, res.Body)
			res.Close()
		case errors.Is(err, fetchers.ErrStalled) && took >= stall:
			return false
		default:
			t.Errorf("%s: %v after %v", path, err, took)
		}
		return true
	}
	for shown := false; !shown; {
		f := &http.Fetcher{Network: &fetchers.Network{Stall: stall}}
		if get(f, "/") {
			time.Sleep(stall * 2 / 3)
			shown = get(f, "/slow")
		}
		f.CloseIdle()
	}
}

// The bodies of refusals do not cost a connection. Those of redirections do: the next request must
// not receive bytes that the server sent after them.
func TestSmallPages(t *testing.T) {
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/redirect" {
			nethttp.Redirect(w, r, "/missing", nethttp.StatusFound)
			return
		}
		nethttp.Error(w, "a page", nethttp.StatusNotFound)
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
	client := &fetchers.Client{Fetcher: f}
	for path, want := range map[string]int64{"/missing": 1, "/redirect": 4} {
		f.CloseIdle()
		connections.Store(0)
		for range 3 {
			if _, err := client.Get(t.Context(), server.URL+path); !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
		if got := connections.Load(); got > want {
			t.Errorf("%s: %d connections, want %d", path, got, want)
		}
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
