package http_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/ntlm"
	"github.com/seed1ea3422f/fetch/internal/ntlmtest"
	"github.com/seed1ea3422f/fetch/url"
)

// challenge is an NTLM challenge without a target.
const challenge = "TlRMTVNTUAACAAAAAAAAAAAAAAABgggAYWJjZGVmZ2g="

// A response that follows a challenge unrequested is not taken for the response to the login.
func TestNTLMWithUnexpectedBytes(t *testing.T) {
	addr := scripted(t, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM "+challenge+"\r\nContent-Length: 1\r\n\r\n.HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly",
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")
	f := connected()
	defer f.CloseIdle()
	if body, err := as(t.Context(), t, f, "http://"+addr+"/", "joe", "s3cret"); !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("%q, %v", body, err)
	}
}

// scripted serves the answers, one for each request without a body, and returns the address.
func scripted(t *testing.T, answers ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	var next atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				for {
					if _, err := nethttp.ReadRequest(in); err != nil {
						return
					}
					if i := int(next.Add(1)) - 1; i < len(answers) {
						io.WriteString(c, answers[i])
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

// A connection with a caller's own field is used with this field only: servers keep a login by
// Negotiate or NTLM for the connection.
func TestOwnLoginOfConnection(t *testing.T) {
	for _, c := range []struct {
		field  string
		shared bool
	}{{"Negotiate YII=", false}, {"ntlm TlRM", false}, {"Basic dTpw", true}} {
		conns := make(chan string, 2)
		s := httptest.NewServer(nethttp.HandlerFunc(func(_ nethttp.ResponseWriter, r *nethttp.Request) { conns <- r.RemoteAddr }))
		f := &http.Fetcher{}
		for _, field := range []string{c.field, ""} {
			req := &fetchers.Request{URL: parse(t, s.URL)}
			if field != "" {
				req.Header = map[string][]string{"Authorization": {field}}
			}
			res, err := f.Fetch(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
		}
		first, second := <-conns, <-conns
		if shared := first == second; shared != c.shared {
			t.Errorf("%s: the connection is shared: %t", c.field, shared)
		}
		f.CloseIdle()
		s.Close()
	}
}

// A login at a proxy does not apply to a server of the same host: neither NTLM nor unsolicited
// Basic is sent to it.
func TestLoginOfProxyIsNoneOfServer(t *testing.T) {
	for _, logins := range [][]string{nil, {"ntlm"}} {
		asked := make(chan string, 9)
		g := &ntlmtest.Guard{Next: greeter, Proxy: logins != nil, Users: []string{"joe"}}
		s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			asked <- r.Header.Get("Authorization")
			if logins == nil {
				greeter(w, r)
				return
			}
			g.ServeHTTP(w, r)
		}))
		via := parse(t, s.URL)
		via.User = &url.Userinfo{Name: "joe", Password: ntlmtest.Password, PasswordSet: true}
		f := &http.Fetcher{NTLM: ntlm.Messages{}, ProxyLogins: logins, Proxy: func(u *url.URL) *url.URL {
			if u.Host == "h.example" {
				return via
			}
			return nil
		}}
		if _, err := as(t.Context(), t, f, "http://h.example/", "joe", "other"); err != nil {
			t.Fatal(err)
		}
		as(t.Context(), t, f, s.URL, "joe", ntlmtest.Password)
		f.CloseIdle()
		s.Close()
		close(asked)
		for field := range asked {
			if field != "" {
				t.Errorf("proxy logins %q: the server was shown %s", logins, field)
			}
		}
	}
}

// A Tap sees the requests of an NTLM login without the messages.
func TestNTLMIsMasked(t *testing.T) {
	g := &ntlmtest.Guard{Next: greeter, Users: []string{"joe"}, Page: 9000}
	s := httptest.NewServer(g)
	defer s.Close()
	f := connected()
	defer f.CloseIdle()
	var sent strings.Builder
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Tap: func(context.Context, string, string) *fetchers.Tap {
		return &fetchers.Tap{Sent: func(p []byte) { sent.Write(p) }, Got: func([]byte) {}}
	}})
	if body, err := as(ctx, t, f, s.URL, "joe", ntlmtest.Password); body != "hello joe" {
		t.Fatalf("%q, %v", body, err)
	}
	if strings.Contains(sent.String(), "TlRM") || strings.Count(sent.String(), "Authorization: NTLM ***") != 2 {
		t.Errorf("%s", &sent)
	}
}

// If a proxy no longer demands a login, it passes on the first message; the server behind it can
// then demand its own login.
func TestNTLMAtServerBehindOpenedProxy(t *testing.T) {
	server := &ntlmtest.Guard{Next: greeter, Users: []string{"ann"}}
	proxy := &ntlmtest.Guard{Next: greeter, Proxy: true, Users: []string{"joe"}}
	var opened atomic.Bool
	p := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if opened.Load() {
			server.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer p.Close()
	via := parse(t, p.URL)
	via.User = &url.Userinfo{Name: "joe", Password: ntlmtest.Password, PasswordSet: true}
	f := connected()
	f.Proxy = func(*url.URL) *url.URL { return via }
	defer f.CloseIdle()
	if body, err := as(t.Context(), t, f, "http://127.0.0.1:1/", "ann", ntlmtest.Password); body != "hello joe" {
		t.Fatalf("%q, %v", body, err)
	}
	opened.Store(true)
	f.CloseIdle()
	for range 2 {
		if body, err := as(t.Context(), t, f, "http://127.0.0.1:1/", "ann", ntlmtest.Password); body != "hello ann" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
	}
	if came := strings.Join(server.Came(), ","); came != "1,2,2 NEGOTIATE,2 AUTHENTICATE,2" {
		t.Errorf("the server saw %q", came)
	}
}
