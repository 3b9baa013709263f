package http_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/ntlm"
	"github.com/seed1ea3422f/fetch/internal/ntlmtest"
	"github.com/seed1ea3422f/fetch/url"
)

// greeter greets the user of a connection.
var greeter = nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
	io.WriteString(w, "hello "+r.Header.Get("X-User"))
})

// connected returns a Fetcher that logs in by NTLM, at a server and at a proxy.
func connected() *http.Fetcher {
	return &http.Fetcher{NTLM: ntlm.Messages{}, Logins: []string{"ntlm"}, ProxyLogins: []string{"ntlm"}, TLS: &tls.Config{InsecureSkipVerify: true}}
}

// as fetches a URL as a user, and returns the body.
func as(ctx context.Context, t *testing.T, f *http.Fetcher, text, user, password string) (string, error) {
	t.Helper()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, text), Login: &fetchers.Credential{User: user, Password: password}})
	if err != nil {
		return "", err
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), err
}

// The three messages use one connection, which later requests of this user reuse, and no other
// user.
func TestNTLM(t *testing.T) {
	g := &ntlmtest.Guard{Next: greeter, Users: []string{"joe", `CORP\ann`}, Page: 100_000}
	s := httptest.NewServer(g)
	defer s.Close()
	f := connected()
	defer f.CloseIdle()
	var said []string
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: func(_ context.Context, line string) { said = append(said, line) }})
	for _, c := range []struct{ user, password, body, came string }{
		{"joe", ntlmtest.Password, "hello joe", "1,2 NEGOTIATE,2 AUTHENTICATE"},
		{"joe", ntlmtest.Password, "hello joe", "2"},
		{`CORP\ann`, ntlmtest.Password, `hello CORP\ann`, "3,4 NEGOTIATE,4 AUTHENTICATE"},
		{"joe", "wrong", "", "5,6 NEGOTIATE,6 AUTHENTICATE"},
		{"joe", ntlmtest.Password, "hello joe", "2"},
	} {
		before := len(g.Came())
		body, err := as(ctx, t, f, s.URL, c.user, c.password)
		if body != c.body || (c.body == "") != errors.Is(err, fetchers.ErrLogin) {
			t.Errorf("%s: %q, %v", c.user, body, err)
		}
		if came := strings.Join(g.Came()[before:], ","); came != c.came {
			t.Errorf("%s: the server saw %q, want %q", c.user, came, c.came)
		}
	}
	if sent := strings.Join(said, "\n"); strings.Contains(sent, "TlRM") || !strings.Contains(sent, "Authorization: NTLM ***") {
		t.Errorf("the trace shows the login: %s", sent)
	}
}

// Without permission nothing is sent, and the error gives the reason.
func TestNTLMIsNotAllowed(t *testing.T) {
	g := &ntlmtest.Guard{Next: greeter, Users: []string{"joe"}}
	s := httptest.NewServer(g)
	defer s.Close()
	for _, f := range []*http.Fetcher{{}, {NTLM: ntlm.Messages{}}, {Logins: []string{"ntlm"}}} {
		_, err := as(t.Context(), t, f, s.URL, "joe", ntlmtest.Password)
		var useless *http.LoginError
		if !errors.As(err, &useless) || !slices.Equal(useless.Offered, []string{"ntlm"}) || !errors.Is(err, fetchers.ErrLogin) {
			t.Errorf("%v", err)
		}
		f.CloseIdle()
	}
	for _, came := range g.Came() {
		if strings.Contains(came, " ") {
			t.Errorf("%q was sent", came)
		}
	}
}

// If the login of a connection has lapsed, the request logs in on a new connection.
func TestNTLMLapses(t *testing.T) {
	g := &ntlmtest.Guard{Next: greeter, Users: []string{"joe"}, Lasts: 2}
	s := httptest.NewServer(g)
	defer s.Close()
	f := connected()
	defer f.CloseIdle()
	for range 3 {
		if body, err := as(t.Context(), t, f, s.URL, "joe", ntlmtest.Password); body != "hello joe" || err != nil {
			t.Fatalf("%q, %v", body, err)
		}
	}
	want := "1,2 NEGOTIATE,2 AUTHENTICATE,2,2,3 NEGOTIATE,3 AUTHENTICATE"
	if came := strings.Join(g.Came(), ","); came != want {
		t.Errorf("the server saw %q, want %q", came, want)
	}
}

// A server that closes the connection with its challenge has refused. The request is not repeated
// endlessly.
func TestNTLMIsBrokenOff(t *testing.T) {
	g := &ntlmtest.Guard{Next: greeter, Users: []string{"joe"}, Ends: true}
	s := httptest.NewServer(g)
	defer s.Close()
	f := connected()
	defer f.CloseIdle()
	if body, err := as(t.Context(), t, f, s.URL, "joe", ntlmtest.Password); !errors.Is(err, fetchers.ErrLogin) {
		t.Errorf("%q, %v", body, err)
	}
	if came := strings.Join(g.Came(), ","); came != "1,2 NEGOTIATE" {
		t.Errorf("the server saw %q", came)
	}
}

// Concurrent requests of two users use separate connections, even if the server offers HTTP/2.
func TestNTLMOfSeveral(t *testing.T) {
	for name, protocols := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			g := &ntlmtest.Guard{Next: greeter, Users: []string{"joe", "ann"}}
			s := httptest.NewUnstartedServer(g)
			s.EnableHTTP2 = protocols
			s.StartTLS()
			defer s.Close()
			f := connected()
			defer f.CloseIdle()
			var all sync.WaitGroup
			for i := range 40 {
				user := []string{"joe", "ann"}[i%2]
				all.Go(func() {
					if body, err := as(t.Context(), t, f, s.URL, user, ntlmtest.Password); body != "hello "+user || err != nil {
						t.Errorf("%s: %q, %v", user, body, err)
					}
				})
			}
			all.Wait()
		})
	}
}

// At a proxy, the login is for the connection to the proxy, or for the tunnel. A server behind it
// can demand its own NTLM login.
func TestNTLMAtProxy(t *testing.T) {
	for name, c := range map[string]struct {
		secure, guarded bool
		came, again     string
	}{
		"a request":                    {false, false, "1,2 NEGOTIATE,2 AUTHENTICATE", "2"},
		"a tunnel":                     {true, false, "1,2 NEGOTIATE,2 AUTHENTICATE", ""},
		"a tunnel to a guarded server": {true, true, "1,2 NEGOTIATE,2 AUTHENTICATE,3 NEGOTIATE,3 AUTHENTICATE", ""},
	} {
		t.Run(name, func(t *testing.T) {
			handler := nethttp.Handler(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				io.WriteString(w, "hello "+r.Header.Get("X-User"))
				for field := range r.Header {
					if strings.Contains(field, "Authorization") {
						t.Errorf("the server sees %s", field)
					}
				}
			}))
			want := "hello joe" // the proxy answers
			if c.secure {
				want = "hello "
			}
			if c.guarded {
				handler, want = &ntlmtest.Guard{Next: handler, Users: []string{"ann"}}, "hello ann"
			}
			s := httptest.NewUnstartedServer(handler)
			if c.secure {
				s.StartTLS()
			} else {
				s.Start()
			}
			defer s.Close()
			relay := newRelay(t, false, "")
			g := &ntlmtest.Guard{Next: relay, Proxy: true, Users: []string{"joe"}, Page: 9000}
			p := httptest.NewServer(g)
			defer p.Close()
			via := parse(t, p.URL)
			via.User = &url.Userinfo{Name: "joe", Password: ntlmtest.Password, PasswordSet: true}
			f := connected()
			f.Proxy = func(*url.URL) *url.URL { return via }
			defer f.CloseIdle()
			for _, came := range []string{c.came, c.again} {
				before := len(g.Came())
				if body, err := as(t.Context(), t, f, s.URL, "ann", ntlmtest.Password); body != want || err != nil {
					t.Fatalf("%q, %v", body, err)
				}
				if got := strings.Join(g.Came()[before:], ","); got != came {
					t.Errorf("the proxy saw %q, want %q", got, came)
				}
			}
		})
	}
}

// A proxy's refusal of a password is a ProxyError, after one attempt.
func TestNTLMIsRefusedByProxy(t *testing.T) {
	for _, target := range []string{"http://127.0.0.1:1/", "https://127.0.0.1:1/"} {
		g := &ntlmtest.Guard{Next: greeter, Proxy: true}
		p := httptest.NewServer(g)
		via := parse(t, p.URL)
		via.User = &url.Userinfo{Name: "joe", Password: "wrong", PasswordSet: true}
		f := connected()
		f.Proxy = func(*url.URL) *url.URL { return via }
		if body, err := as(t.Context(), t, f, target, "ann", ntlmtest.Password); !errors.Is(err, fetchers.ErrProxy) || errors.Is(err, fetchers.ErrLogin) {
			t.Errorf("%q, %v", body, err)
		}
		if came := strings.Join(g.Came(), ","); came != "1,2 NEGOTIATE,2 AUTHENTICATE" {
			t.Errorf("%s: the proxy saw %q", target, came)
		}
		f.CloseIdle()
		p.Close()
	}
}

// A proxy and the server behind it can both demand NTLM, if the proxy ties the two connections
// together. The connection is then logged in twice.
func TestNTLMTwice(t *testing.T) {
	server := &ntlmtest.Guard{Next: greeter, Users: []string{"ann"}}
	proxy := &ntlmtest.Guard{Next: server, Proxy: true, Users: []string{"joe"}}
	p := httptest.NewServer(proxy)
	defer p.Close()
	via := parse(t, p.URL)
	via.User = &url.Userinfo{Name: "joe", Password: ntlmtest.Password, PasswordSet: true}
	f := connected()
	f.Proxy = func(*url.URL) *url.URL { return via }
	defer f.CloseIdle()
	for i := range 2 {
		body, err := as(t.Context(), t, f, "http://127.0.0.1:1/", "ann", ntlmtest.Password)
		if body != "hello ann" || err != nil {
			t.Fatalf("request %d: %q, %v", i, body, err)
		}
	}
	want := fmt.Sprint([]string{"1", "2 NEGOTIATE", "2 AUTHENTICATE", "3 NEGOTIATE", "3 AUTHENTICATE", "3", "3"})
	if came := fmt.Sprint(proxy.Came()); came != want {
		t.Errorf("the proxy saw %s, want %s", came, want)
	}
}
