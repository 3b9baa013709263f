package http_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// resuming is a server that answers whether the connection resumed a TLS session, and how many
// client certificates it has. Each response ends its connection.
func resuming(t *testing.T, h2 bool, set func(*tls.Config)) (*httptest.Server, *http.Fetcher) {
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Connection", "close")
		fmt.Fprintf(w, "%s %v %d", r.Proto, r.TLS.DidResume, len(r.TLS.PeerCertificates))
	}))
	server.EnableHTTP2 = h2
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	if set != nil {
		set(server.TLS)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	f := &http.Fetcher{TLS: trustIn(server)}
	t.Cleanup(f.CloseIdle)
	return server, f
}

// A later connection resumes the TLS session of the first, in all versions of TLS and HTTP.
func TestTLSSessionIsResumed(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for proto, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
			server, f := resuming(t, h2, func(c *tls.Config) { c.MaxVersion = version })
			for i := range 3 {
				want := fmt.Sprintf("%s %v 0", proto, i > 0)
				if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)}); string(body) != want || err != nil {
					t.Errorf("%s, connection %d: %q, %v, want %q", tls.VersionName(version), i, body, err, want)
				}
				f.CloseIdle()
			}
		}
	}
}

// A session with a client certificate is resumed only for URLs with Namer ByUser. Namers, proxies
// and Fetchers do not share sessions.
func TestTLSSessionIsNotShared(t *testing.T) {
	server, f := resuming(t, false, nil)
	mine, _ := certified(t, "me", time.Now().AddDate(0, 0, 1))
	f.TLS.Certificates = mine.Certificates
	other := &http.Fetcher{TLS: f.TLS, Proxy: func(*url.URL) *url.URL { return nil }}
	via := parse(t, newRelay(t, false, "").URL)
	for _, c := range []struct {
		name  string
		f     *http.Fetcher
		named fetchers.Namer
		proxy *url.URL
		want  string
	}{
		{"the user, first", f, fetchers.ByUser, nil, "HTTP/1.1 false 1"},
		{"the user, again", f, fetchers.ByUser, nil, "HTTP/1.1 true 1"},
		{"a stranger, first", f, fetchers.ByStranger, nil, "HTTP/1.1 false 0"},
		{"a stranger, again", f, fetchers.ByStranger, nil, "HTTP/1.1 true 0"},
		{"a server, first", f, fetchers.ByServer, nil, "HTTP/1.1 false 0"},
		{"the user through a proxy", f, fetchers.ByUser, via, "HTTP/1.1 false 1"},
		{"the user through it again", f, fetchers.ByUser, via, "HTTP/1.1 true 1"},
		{"another Fetcher", other, fetchers.ByUser, nil, "HTTP/1.1 false 1"},
	} {
		c.f.Proxy = func(*url.URL) *url.URL { return c.proxy }
		body, _, err := read(t, c.f, &fetchers.Request{URL: parse(t, server.URL), Named: c.named})
		if string(body) != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, body, err, c.want)
		}
		c.f.CloseIdle()
	}
}

// Verification callbacks also apply to resumed sessions: VerifyConnection is called each time. With
// VerifyPeerCertificate, which crypto/tls does not call again, sessions are not resumed.
func TestTLSSessionIsVerified(t *testing.T) {
	server, f := resuming(t, false, nil)
	pinned := errors.New("not the certificate that was pinned")
	var refuse bool
	f.TLS.VerifyConnection = func(tls.ConnectionState) error {
		if refuse {
			return pinned
		}
		return nil
	}
	for _, refuse = range []bool{false, true} {
		if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)}); errors.Is(err, pinned) != refuse {
			t.Errorf("error %v, want a refusal: %v", err, refuse)
		}
		f.CloseIdle()
	}

	server, f = resuming(t, false, nil)
	calls := 0
	f.TLS.InsecureSkipVerify = true
	for _, want := range []string{"HTTP/1.1 false 0", "HTTP/1.1 true 0"} {
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)}); string(body) != want || err != nil {
			t.Errorf("%q, %v, want %q", body, err, want)
		}
		f.CloseIdle()
	}
	strict := &http.Fetcher{TLS: trustIn(server)}
	strict.TLS.VerifyPeerCertificate = verifier(&calls)
	for range 2 {
		if body, _, err := read(t, strict, &fetchers.Request{URL: parse(t, server.URL)}); string(body) != "HTTP/1.1 false 0" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
		strict.CloseIdle()
	}
	if calls != 2 {
		t.Errorf("%d calls of VerifyPeerCertificate", calls)
	}
}

// A session is not used for another host name, and a session without verification is not used with
// it.
func TestTLSSessionOfAnotherName(t *testing.T) {
	server, f := resuming(t, false, nil)
	unverified := &http.Fetcher{TLS: &tls.Config{InsecureSkipVerify: true}}
	if _, _, err := read(t, unverified, &fetchers.Request{URL: parse(t, server.URL)}); err != nil {
		t.Fatal(err)
	}
	unverified.CloseIdle()
	if _, _, err := read(t, new(http.Fetcher), &fetchers.Request{URL: parse(t, server.URL)}); !errors.Is(err, fetchers.ErrTLS) {
		t.Errorf("without trust: %v", err)
	}
	f.Network = redirected(server.Listener.Addr().String())
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, "https://example.com/")}); err != nil { // a name of the certificate of httptest
		t.Fatal(err)
	}
	f.CloseIdle()
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, "https://other.example/")}); !errors.Is(err, fetchers.ErrTLS) {
		t.Errorf("another name: %v", err)
	}
}

// Two hosts share no session, even if the configuration gives both the same ServerName.
func TestTLSSessionOfAnotherHost(t *testing.T) {
	server, f := resuming(t, false, nil)
	f.TLS.ServerName = "example.com"
	f.Network = redirected(server.Listener.Addr().String())
	for _, c := range []struct{ url, want string }{
		{"https://a.example/", "HTTP/1.1 false 0"},
		{"https://a.example/", "HTTP/1.1 true 0"},
		{"https://b.example/", "HTTP/1.1 false 0"},
	} {
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, c.url)}); string(body) != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.url, body, err, c.want)
		}
		f.CloseIdle()
	}
}

// verifier counts its calls.
func verifier(calls *int) func([][]byte, [][]*x509.Certificate) error {
	return func([][]byte, [][]*x509.Certificate) error { *calls++; return nil }
}

// redirected is a Network that connects to one address for every server.
func redirected(addr string) *fetchers.Network {
	return &fetchers.Network{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
}
