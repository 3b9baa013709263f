package http_test

import (
	"context"
	"crypto/md5"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// A choosy is a proxy that demands a login of joe, by Basic or Digest or both.
type choosy struct {
	relay   *relay
	schemes []string

	mu   sync.Mutex
	came []string // scheme of each request, or "" for none
}

func (p *choosy) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	field := r.Header.Get("Proxy-Authorization")
	scheme, _, _ := strings.Cut(strings.ToLower(field), " ")
	p.mu.Lock()
	p.came = append(p.came, scheme)
	p.mu.Unlock()
	right := field == "Basic am9lOnMzY3JldA==" || digested(field, r.Method, r.RequestURI)
	if !right || !slices.Contains(p.schemes, scheme) {
		for _, s := range p.schemes {
			w.Header().Add("Proxy-Authenticate", map[string]string{"basic": `Basic realm="p"`, "digest": `Digest realm="p", nonce="n1", qop="auth"`}[s])
		}
		w.WriteHeader(nethttp.StatusProxyAuthRequired)
		return
	}
	r.Header.Del("Proxy-Authorization")
	p.relay.ServeHTTP(w, r)
}

var param = regexp.MustCompile(`(\w+)="?([^",]*)"?`)

// digested reports whether field is joe's valid answer to the challenge (RFC 7616).
func digested(field, method, target string) bool {
	h := func(parts ...string) string { return fmt.Sprintf("%x", md5.Sum([]byte(strings.Join(parts, ":")))) }
	of := make(map[string]string)
	for _, m := range param.FindAllStringSubmatch(field, -1) {
		of[m[1]] = m[2]
	}
	want := h(h("joe", "p", "s3cret"), "n1", of["nc"], of["cnonce"], "auth", h(method, target))
	return strings.HasPrefix(field, "Digest ") && of["uri"] == target && of["response"] == want
}

// The logins presented to a proxy, with and without tunnels.
func TestProxyLogins(t *testing.T) {
	hello := nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("a server sees the login for the proxy")
		}
		io.WriteString(w, "hello")
	})
	plain, secure := httptest.NewServer(hello), httptest.NewTLSServer(hello)
	defer plain.Close()
	defer secure.Close()
	for name, test := range map[string]struct {
		logins []string
		takes  []string
		came   string // for the first request; a scheme that succeeded before is used at once
		again  string // for a later request
		err    error
	}{
		"basic, unasked":              {nil, []string{"basic"}, "basic", "basic", nil},
		"the strongest":               {[]string{"digest", "basic"}, []string{"basic", "digest"}, ",digest", "digest", nil},
		"the strongest common scheme": {[]string{"digest", "basic"}, []string{"basic"}, ",basic", "basic", nil},
		"digest only":                 {[]string{"digest"}, []string{"basic", "digest"}, ",digest", "digest", nil},
		"digest only, never basic":    {[]string{"digest"}, []string{"basic"}, "", "", fetchers.ErrProxy},
		"basic, which is not taken":   {nil, []string{"digest"}, "basic", "basic", fetchers.ErrProxy},
	} {
		for _, target := range []string{plain.URL, secure.URL} {
			t.Run(name+" "+target[:5], func(t *testing.T) {
				p := &choosy{relay: newRelay(t, false, ""), schemes: test.takes}
				server := httptest.NewServer(p)
				defer server.Close()
				via := parse(t, server.URL)
				via.User = &url.Userinfo{Name: "joe", Password: "s3cret", PasswordSet: true}
				f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }, ProxyLogins: test.logins, TLS: &tls.Config{InsecureSkipVerify: true}}
				for i, want := range []string{test.came, test.again} {
					var said []string
					ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: func(_ context.Context, line string) { said = append(said, line) }})
					res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, target+"/")})
					if err == nil {
						res.Close()
					}
					if !errors.Is(err, test.err) {
						t.Fatalf("error %v, want %v", err, test.err)
					}
					if came := strings.Join(p.came, ","); came != want {
						t.Errorf("request %d: the proxy saw %q, want %q", i, came, want)
					}
					if sent := strings.Join(said, "\n"); strings.Contains(sent, "am9lOnMzY3JldA") || strings.Contains(sent, "response=") {
						t.Errorf("the trace shows the login: %s", sent)
					}
					p.came = nil
					f.CloseIdle() // else the tunnel would be kept
				}
			})
		}
	}
}

// TestProxyLoginOfTwoRequests: a proxy demands a login from two concurrent requests, and each
// answers its challenge. Later they share one tunnel.
func TestProxyLoginOfTwoRequests(t *testing.T) {
	secure := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(nethttp.ResponseWriter, *nethttp.Request) {}))
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	p := &choosy{relay: newRelay(t, false, ""), schemes: []string{"digest"}}
	var tunnels atomic.Int32
	begun, goOn := make(chan bool), make(chan bool)
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if tunnels.Add(1) == 1 {
			close(begun)
			<-goOn
		}
		p.ServeHTTP(w, r)
	}))
	defer server.Close()
	via := parse(t, server.URL)
	via.User = &url.Userinfo{Name: "joe", Password: "s3cret", PasswordSet: true}
	f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }, ProxyLogins: []string{"digest"}, TLS: trusting(secure)}
	defer f.CloseIdle()
	fetch := func(path string) error {
		_, _, err := read(t, f, &fetchers.Request{URL: parse(t, secure.URL+path)})
		return err
	}
	held := make(chan error, 1)
	go func() { held <- fetch("/held") }()
	<-begun
	close(goOn)
	if err := errors.Join(fetch("/"), <-held); err != nil {
		t.Error(err)
	}
	if n := tunnels.Load(); n > 4 {
		t.Errorf("there were %d tunnels, want a challenge for each request and one that is shared", n)
	}
}

// TestHostThroughProxy: the URL decides which server the proxy contacts, and which server gets the
// login. The caller's Host is only a field (RFC 9112, section 3.2.2).
func TestHostThroughProxy(t *testing.T) {
	var asked []string
	p := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		asked = append(asked, r.RequestURI+" "+r.Header.Get("Authorization"))
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
		}
	}))
	defer p.Close()
	via := parse(t, p.URL)
	f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }}
	defer f.CloseIdle()
	hosts := 0
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: func(_ context.Context, line string) {
		if line == "Host: b.test" {
			hosts++
		}
	}})
	_, err := f.Fetch(ctx, &fetchers.Request{
		URL:    parse(t, "http://joe:s3cret@a.test/x"),
		Header: map[string][]string{"Host": {"b.test"}},
	})
	want := []string{"http://a.test/x ", "http://a.test/x Basic am9lOnMzY3JldA=="}
	if err != nil || !slices.Equal(asked, want) || hosts != 2 {
		t.Errorf("the proxy was asked for %q, %d times with the Host of the caller, %v", asked, hosts, err)
	}
}

// TestProxyFieldThatCannotBeSent: a caller's field that would split the header is not sent with
// CONNECT. The error is no ProxyError.
func TestProxyFieldThatCannotBeSent(t *testing.T) {
	p := newRelay(t, false, "")
	f := &http.Fetcher{Proxy: through(t, p)}
	defer f.CloseIdle()
	for _, target := range []string{"http://127.0.0.1:1/", "https://127.0.0.1:1/"} {
		_, err := f.Fetch(t.Context(), &fetchers.Request{
			URL: parse(t, target), Header: map[string][]string{"Proxy-Authorization": {"Basic x\r\nX: y"}},
		})
		if err == nil || errors.Is(err, fetchers.ErrProxy) || !strings.Contains(err.Error(), "the request cannot be sent") {
			t.Errorf("%s: %v", target, err)
		}
	}
	if seen := p.requests(); len(seen) > 0 {
		t.Errorf("the proxy saw %q", seen)
	}
}

// A 407 through a tunnel is from the server: it gets one request without the proxy's login, and the
// error is no ProxyError.
func TestServerAsksForProxyLogin(t *testing.T) {
	for _, logins := range [][]string{nil, {"digest", "basic"}} {
		for _, h2 := range []bool{false, true} {
			var asked atomic.Int32
			server, f := overTLS(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				if n := asked.Add(1); n > 10 || r.Header.Get("Proxy-Authorization") != "" {
					return // else the test would not end
				}
				w.Header().Set("Proxy-Authenticate", `Basic realm="p"`)
				w.WriteHeader(nethttp.StatusProxyAuthRequired)
			}), h2)
			p := newRelay(t, false, "joe:s3cret")
			via := parse(t, p.URL)
			via.User = &url.Userinfo{Name: "joe", Password: "s3cret", PasswordSet: true}
			f.Proxy, f.ProxyLogins = func(*url.URL) *url.URL { return via }, logins
			if logins != nil {
				p.user = "" // no login demanded
			}
			_, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL)})
			var refused *fetchers.StatusError
			if !errors.As(err, &refused) || refused.Code != nethttp.StatusProxyAuthRequired || errors.Is(err, fetchers.ErrProxy) {
				t.Errorf("HTTP/2: %v, logins %q: error %v", h2, logins, err)
			}
			if n, seen := asked.Load(), p.requests(); n != 1 || len(seen) != 1 {
				t.Errorf("HTTP/2: %v, logins %q: the server was asked %d times, the proxy for %q", h2, logins, n, seen)
			}
			f.CloseIdle()
			server.Close()
		}
	}
}
