package http_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/http/httputil"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/url"
)

// TestProxyScripts plays wire scripts whose server is a proxy. The section proxy has the proxy's
// URL, and url the URL to fetch.
func TestProxyScripts(t *testing.T) {
	names, err := filepath.Glob("../../testdata/wire/http-proxy/*.txt")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d scripts, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) { playProxy(t, name) })
	}
}

func playProxy(t *testing.T, name string) {
	script, err := wire.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	player := wire.Play(t, script)
	section := func(name string) string { return strings.TrimSpace(player.Expand(script.Section(name))) }
	via := parse(t, section("proxy"))
	f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }}
	defer f.CloseIdle()
	req := &fetchers.Request{URL: parse(t, section("url"))}
	for line := range strings.Lines(section("request")) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "range":
			fmt.Sscan(value, &req.Range.Offset)
		case "etag":
			req.Have.ETag = value
		case "login":
			user, password, _ := strings.Cut(value, ":")
			req.Login = &fetchers.Credential{User: user, Password: password}
		case "like":
			req.Like = append(req.Like, parse(t, value))
		default:
			t.Fatalf("unknown key %s", key)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := f.Fetch(ctx, req)
	body := ""
	if err == nil {
		var octets []byte
		octets, err = io.ReadAll(res.Body)
		body = string(octets)
		res.Close()
	}
	f.CloseIdle()
	if err := player.Wait(); err != nil {
		t.Error(err)
	}
	if want, _ := wire.Unescape(script.Section("body")); body != strings.TrimSuffix(want, "\n") && body != want {
		t.Errorf("the body is %q, want %q", body, want)
	}
	failure := false
	for line := range strings.Lines(section("want")) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		is := ""
		switch key {
		case "error":
			failure = true
			class, words, _ := strings.Cut(value, " ")
			if err == nil || !errors.Is(err, proxyClasses[class]) || !strings.Contains(err.Error(), words) {
				t.Errorf("the error is %v, want one of class %s with %q", err, class, words)
			}
			if err != nil && (errors.Is(err, fetchers.ErrLogin) || strings.Contains(err.Error(), "s3cret")) {
				t.Errorf("the error is %v", err)
			}
			continue
		case "blame":
			if !errors.Is(err, fetchers.ErrProxy) {
				t.Errorf("the error is %v, want one that is ErrProxy", err)
			}
			continue
		case "kind":
			is = res.Kind.String()
		case "range":
			is = fmt.Sprintf("%d+%d", res.Range.Offset, res.Range.Length)
		case "location":
			is = res.Location.String()
		}
		if is != value {
			t.Errorf("%s is %q, want %q", key, is, value)
		}
	}
	if err != nil && !failure {
		t.Errorf("error: %v", err)
	}
}

var proxyClasses = map[string]error{
	"denied": fs.ErrPermission, "missing": fs.ErrNotExist, "protocol": fetchers.ErrProtocol, "proxy": fetchers.ErrProxy, "temporary": fetchers.ErrTemporary,
}

// A relay is a proxy that makes tunnels and fetches URLs. It resolves every host to the loopback
// interface.
type relay struct {
	*httptest.Server
	user string // user:password; "" accepts all requests

	mu   sync.Mutex
	seen []string // "METHOD target as user:password"
}

func newRelay(t *testing.T, secure bool, user string) *relay {
	p := &relay{user: user}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	if p.EnableHTTP2 = secure; secure {
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(p.Close)
	return p
}

// requests returns the requests to the proxy since the last call.
func (p *relay) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.seen = nil }()
	return p.seen
}

func (p *relay) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	_, secret, _ := strings.Cut(r.Header.Get("Proxy-Authorization"), " ")
	who, _ := base64.StdEncoding.DecodeString(secret)
	p.mu.Lock()
	p.seen = append(p.seen, strings.TrimSuffix(r.Method+" "+r.RequestURI+" as "+string(who), " as "))
	p.mu.Unlock()
	if p.user != "" && p.user != string(who) {
		w.WriteHeader(nethttp.StatusProxyAuthRequired)
		return
	}
	_, port, _ := net.SplitHostPort(r.Host)
	target := "127.0.0.1:" + port
	if r.Method != "CONNECT" {
		forward := httputil.ReverseProxy{
			Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Host = target },
			Transport:     &nethttp.Transport{DisableKeepAlives: true, DisableCompression: true},
			FlushInterval: -1,
			ErrorLog:      p.Config.ErrorLog,
		}
		forward.ServeHTTP(w, r)
		return
	}
	c, err := net.Dial("tcp", target)
	if err != nil {
		w.WriteHeader(nethttp.StatusServiceUnavailable)
		return
	}
	defer c.Close()
	w.WriteHeader(nethttp.StatusOK)
	client, in, err := w.(nethttp.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	go func() { io.Copy(c, in); c.Close() }()
	io.Copy(client, c)
}

// Every kind of proxy carries both schemes. Neither the server nor the trace sees the proxy's
// credentials.
func TestProxy(t *testing.T) {
	for _, viaTLS := range []bool{false, true} {
		for _, user := range []string{"", "joe:s3cret"} {
			for _, scheme := range []string{"http", "https"} {
				t.Run(fmt.Sprintf("%s tls=%v user=%v", scheme, viaTLS, user != ""), func(t *testing.T) {
					p := newRelay(t, viaTLS, user)
					origin := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
						if who := r.Header.Get("Proxy-Authorization"); who != "" {
							t.Errorf("the server was told %q", who)
						}
						fmt.Fprintf(w, "%s %s", r.Proto, r.RequestURI)
					}))
					origin.EnableHTTP2 = true
					want := "HTTP/1.1 /a%2Fb?q"
					if scheme == "https" {
						origin.StartTLS()
						want = "HTTP/2.0 /a%2Fb?q"
					} else {
						origin.Start()
					}
					defer origin.Close()
					_, port, _ := net.SplitHostPort(origin.Listener.Addr().String())
					host := "example.com:" + port // the certificate of the test is for this host

					f := &http.Fetcher{Proxy: through(t, p), TLS: trusting(p.Server, origin)}
					defer f.CloseIdle()
					var lines []string
					add := func(_ context.Context, s string) { lines = append(lines, s) }
					ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: add, Got: add, Note: add})
					for range 2 {
						res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, scheme+"://"+host+"/a%2Fb?q#f")})
						if err != nil {
							t.Fatal(err)
						}
						body, err := io.ReadAll(res.Body)
						if res.Close(); string(body) != want || err != nil {
							t.Errorf("the server saw %q, %v, want %q", body, err, want)
						}
					}
					asked, times := "GET http://"+host+"/a%2Fb?q", 2
					if scheme == "https" {
						asked, times = "CONNECT "+host, 1 // one tunnel for both requests
					}
					wantSeen := slices.Repeat([]string{strings.TrimSuffix(asked+" as "+user, " as ")}, times)
					if seen := p.requests(); !slices.Equal(seen, wantSeen) {
						t.Errorf("the proxy saw %q, want %q", seen, wantSeen)
					}
					trace := strings.Join(lines, "\n")
					if strings.Contains(trace, "s3cret") || strings.Contains(trace, base64.StdEncoding.EncodeToString([]byte(user))+"\n") && user != "" ||
						!strings.Contains(trace, asked+" HTTP/1.1") || strings.Contains(trace, "Proxy-Authorization: Basic ***") != (user != "") {
						t.Errorf("the trace is\n%s", trace)
					}
				})
			}
		}
	}
}

func through(t *testing.T, p *relay) func(*url.URL) *url.URL {
	via := parse(t, p.URL)
	if user, password, ok := strings.Cut(p.user, ":"); ok {
		via.User = &url.Userinfo{Name: user, Password: password, PasswordSet: true}
	}
	return func(*url.URL) *url.URL { return via }
}

func trusting(servers ...*httptest.Server) *tls.Config {
	roots := x509.NewCertPool()
	for _, s := range servers {
		if s.Certificate() != nil {
			roots.AddCert(s.Certificate())
		}
	}
	return &tls.Config{RootCAs: roots}
}

// Through a proxy a Fetcher keeps the contract of Fetchers.
func TestProxyConformance(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("tunnel=%v", secure), func(t *testing.T) {
			origin := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				switch r.URL.Path {
				case "/poem.txt":
					w.Header().Set("ETag", `"1"`)
					nethttp.ServeContent(w, r, "poem.txt", changed, bytes.NewReader(content))
				case "/stalled":
					part(w)
					<-r.Context().Done()
				case "/cut":
					part(w)
					panic(nethttp.ErrAbortHandler)
				default:
					nethttp.NotFound(w, r)
				}
			}))
			if secure {
				origin.StartTLS()
			} else {
				origin.Start()
			}
			defer origin.Close()
			p := newRelay(t, false, "joe:s3cret")
			at := func(path string) func(*testing.T) *url.URL {
				return func(t *testing.T) *url.URL { return parse(t, origin.URL+path) }
			}
			conformance.Run(t, conformance.Target{
				Fetcher:  &http.Fetcher{Proxy: through(t, p), TLS: trusting(origin)},
				Document: at("/poem.txt")(t),
				Content:  content,
				Missing:  at("/nope")(t),
				Stalled:  at("/stalled"),
				Cut:      at("/cut"),
			})
		})
	}
}

// The proxy's credentials stay with it if a redirection leads to a URL without a proxy.
func TestProxySecretsStay(t *testing.T) {
	var told []string
	direct := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		told = append(told, r.URL.Path+r.Header.Get("Proxy-Authorization"))
		if r.URL.Path == "/away" {
			w.Header().Set("Location", "/")
			w.WriteHeader(nethttp.StatusFound)
		}
	}))
	defer direct.Close()
	p := newRelay(t, false, "joe:s3cret")
	relayed := through(t, p)
	f := &http.Fetcher{Proxy: func(u *url.URL) *url.URL {
		if u.Path == "/away" {
			return relayed(u)
		}
		return nil
	}}
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}
	for _, field := range []string{"", "Basic " + base64.StdEncoding.EncodeToString([]byte(p.user))} {
		told = nil
		req := &fetchers.Request{URL: parse(t, direct.URL+"/away")}
		if field != "" {
			req.Header = map[string][]string{"Proxy-Authorization": {field}}
		}
		res, err := client.Fetch(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
		if !slices.Equal(told, []string{"/away", "/"}) {
			t.Errorf("the server was told %q", told)
		}
		if seen := p.requests(); len(seen) != 1 || !strings.HasSuffix(seen[0], "/away as joe:s3cret") {
			t.Errorf("the proxy saw %q", seen)
		}
	}
}

// A caller's Proxy-Authorization is for the proxy, with and without a tunnel.
func TestProxyField(t *testing.T) {
	p := newRelay(t, false, "")
	p.user = "ann:s3cret"
	via := parse(t, p.URL)
	via.User = &url.Userinfo{Name: "joe", PasswordSet: true}
	plain, secure := httptest.NewServer(nil), httptest.NewTLSServer(nil)
	defer plain.Close()
	defer secure.Close()
	f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }, TLS: trusting(secure)}
	defer f.CloseIdle()
	for _, server := range []*httptest.Server{plain, secure} {
		_, err := f.Fetch(t.Context(), &fetchers.Request{
			URL:    parse(t, server.URL),
			Header: map[string][]string{"Proxy-Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(p.user))}},
		})
		if !errors.Is(err, fs.ErrNotExist) { // these servers send 404 only
			t.Error(err)
		}
		if seen := p.requests(); len(seen) != 1 || !strings.HasSuffix(seen[0], " as ann:s3cret") {
			t.Errorf("the proxy saw %q", seen)
		}
	}
}

// A Client does not take a proxy's challenge for that of a server.
func TestProxyLoginIsNotAsked(t *testing.T) {
	p := newRelay(t, false, "joe:s3cret")
	via := parse(t, p.URL)
	f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }}
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f, Keychain: keychain(func() { t.Error("the keychain was asked") }), Retry: fetchers.Retry{Max: 2, Min: 1}}
	for _, u := range []string{"http://example.com/", "https://example.com/", "ftp://example.com/"} {
		_, err := client.Get(t.Context(), u)
		if !errors.Is(err, fetchers.ErrProxy) || !errors.Is(err, fs.ErrPermission) || errors.Is(err, fetchers.ErrLogin) {
			t.Errorf("%s: %v", u, err)
		}
		if seen := p.requests(); len(seen) != 1 {
			t.Errorf("%s: the proxy saw %q, want one request", u, seen)
		}
	}
}

type keychain func()

func (k keychain) Lookup(context.Context, fetchers.Origin) (fetchers.Credential, error) {
	k()
	return fetchers.Credential{}, fetchers.ErrLogin
}

// A fault of a proxy is a ProxyError, and no request bypasses the proxy.
func TestProxyFaults(t *testing.T) {
	secure := newRelay(t, true, "")
	for _, c := range []struct {
		via, words string
		class      error
	}{
		{"http://joe:s3cret@127.0.0.1:1", "connection refused", fetchers.ErrTemporary},
		{"https://joe:s3cret@127.0.0.1:1", "connection refused", fetchers.ErrTemporary},
		{strings.Replace(secure.URL, "//", "//joe:s3cret@", 1), "certificate", fetchers.ErrProxy},
		{"http://joe:s3cret@name.invalid", "name.invalid", fetchers.ErrProxy},
		{"socks5://joe:s3cret@127.0.0.1:1", "not an HTTP proxy", fetchers.ErrProxy},
		{"http://j%3Aoe:s3cret@127.0.0.1:1", `no ":" in HTTP`, fetchers.ErrProxy},
	} {
		for _, target := range []string{"http://127.0.0.1:1/", "https://127.0.0.1:1/", "ftp://127.0.0.1:1/"} {
			via := parse(t, c.via)
			f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }}
			_, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, target)})
			f.CloseIdle()
			if err == nil {
				t.Errorf("%s through %s is fine", target, c.via)
				continue
			}
			notHTTP := strings.HasPrefix(target, "ftp") && strings.HasPrefix(c.words, "no") // this error comes first
			if !notHTTP && (!errors.Is(err, fetchers.ErrProxy) || !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.words)) {
				t.Errorf("%s through %s: %v, want %q", target, c.via, err, c.words)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%s through %s: %v", target, c.via, err)
			}
			if dns := new(net.DNSError); strings.Contains(c.via, "invalid") && !errors.As(err, &dns) {
				t.Errorf("%s: %v, want one with a DNSError", c.via, err)
			}
		}
	}
}

// A silent proxy is subject to cancellation and to the stall limit.
func TestProxySilent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, scheme := range []string{"http", "https"} {
		via := parse(t, scheme+"://"+l.Addr().String())
		for _, target := range []string{"http://127.0.0.1:1/", "https://127.0.0.1:1/", "gopher://127.0.0.1:1/"} {
			f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }, Network: &fetchers.Network{Stall: 50 * time.Millisecond}}
			if _, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, target)}); !errors.Is(err, fetchers.ErrStalled) && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s through %s: %v, want ErrStalled", target, scheme, err)
			}
			f.CloseIdle()
			f = &http.Fetcher{Proxy: f.Proxy}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			if _, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, target)}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s through %s: %v, want canceled", target, scheme, err)
			}
			f.CloseIdle()
		}
	}
}

// If a proxy sends a body after its 200 to CONNECT, in the same write, the error is a ProxyError,
// and no TLS error of the server.
func TestPageInPlaceOfTunnel(t *testing.T) {
	p := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		c, _, err := w.(nethttp.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlogin")
		io.Copy(io.Discard, c)
	}))
	defer p.Close()
	via := parse(t, p.URL)
	f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }}
	defer f.CloseIdle()
	_, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "https://h.example/")})
	if !errors.Is(err, fetchers.ErrProxy) || !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("error %v", err)
	}
}

// Without a proxy, a URL of another scheme is refused.
func TestNoProxy(t *testing.T) {
	for _, f := range []*http.Fetcher{{}, {Proxy: func(*url.URL) *url.URL { return nil }}} {
		var malformed *url.Error
		if _, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "ftp://127.0.0.1:1/")}); !errors.As(err, &malformed) {
			t.Errorf("error %v", err)
		}
	}
}
