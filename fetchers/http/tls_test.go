package http_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// A TLS failure that ends a connection is reported if the message has no end of its own.
func TestEndOfTLS(t *testing.T) {
	config, trust := certified(t, "127.0.0.1", time.Now().AddDate(0, 0, 1))
	old := func(data []byte) func(*connection) { return raw("HTTP/1.0 200 OK\r\n\r\n" + string(data)) }
	notify := (*connection).notify
	for _, c := range []struct {
		fault
		body      []byte
		confirmed bool
	}{
		{fault{"whole, with its length and close_notify", then(whole(length), notify), nil}, v1, true},
		{fault{"cut without a length or close_notify", old(half), io.ErrUnexpectedEOF}, half, false},
		{fault{"whole without a length or close_notify", old(v1), io.ErrUnexpectedEOF}, v1, false},
		{fault{"cut without a length, with close_notify", then(old(half), notify), nil}, half, false},
		{fault{"whole without close_notify", whole(length), nil}, v1, true},
		{fault{"cut before its length", first(length), io.ErrUnexpectedEOF}, half, false},
		{fault{"cut before its length, with close_notify", then(first(length), notify), io.ErrUnexpectedEOF}, half, false},
		{fault{"cut between chunks", broken(""), io.ErrUnexpectedEOF}, half, false},
		{fault{"reset", then(first(length), reset), io.ErrUnexpectedEOF}, nil, false},
		{fault{"another version", raw("HTTP/2.0 200 OK\r\n\r\n" + string(half)), fetchers.ErrProtocol}, nil, false},
	} {
		t.Run(c.id, func(t *testing.T) {
			f := &http.Fetcher{TLS: trust}
			defer f.CloseIdle()
			body, confirmed, err := read(t, f, &fetchers.Request{URL: parse(t, serve(t, config, c.answer))})
			if !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if c.body != nil && !bytes.Equal(body, c.body) || confirmed != c.confirmed {
				t.Errorf("%d bytes, confirmed %v", len(body), confirmed)
			}
		})
	}
}

// A server that fails verification is distinguished from one without TLS, before any request is
// sent.
func TestCertificates(t *testing.T) {
	soon, past := time.Now().AddDate(0, 0, 1), time.Now().AddDate(0, 0, -1)
	expired, trustExpired := certified(t, "127.0.0.1", past)
	other, trustOther := certified(t, "evil.test", soon)
	mine, trustMine := certified(t, "127.0.0.1", soon)
	for _, c := range []struct {
		id             string
		server, client *tls.Config
		reason         any // for errors.As; nil means no error
	}{
		{"trusted", mine, trustMine, nil},
		{"of another host, whoever it is", other, &tls.Config{InsecureSkipVerify: true}, nil},
		{"expired", expired, trustExpired, new(x509.CertificateInvalidError)},
		{"of another host", other, trustOther, new(x509.HostnameError)},
		{"untrusted", mine, nil, new(x509.UnknownAuthorityError)},
	} {
		t.Run(c.id, func(t *testing.T) {
			var asked atomic.Bool
			server := serve(t, c.server, func(s *connection) {
				asked.Store(true)
				whole(length)(s)
			})
			f := &http.Fetcher{TLS: c.client}
			defer f.CloseIdle()
			_, _, err := read(t, f, &fetchers.Request{URL: parse(t, server)})
			var untrusted *tls.CertificateVerificationError
			switch {
			case c.reason == nil:
				if err != nil {
					t.Error(err)
				}
			case !errors.As(err, &untrusted), !errors.As(err, c.reason), asked.Load(), errors.Is(err, fetchers.ErrTemporary):
				t.Errorf("error %v, asked %v", err, asked.Load())
			}
		})
	}
}

// A server without TLS on the port of https is ErrSchemeMismatch.
func TestPlainServer(t *testing.T) {
	server := httptest.NewServer(nethttp.NotFoundHandler())
	defer server.Close()
	_, _, err := read(t, new(http.Fetcher), &fetchers.Request{URL: parse(t, strings.Replace(server.URL, "http:", "https:", 1))})
	if !errors.Is(err, nethttp.ErrSchemeMismatch) {
		t.Errorf("error %v, want ErrSchemeMismatch", err)
	}
}

// The version of HTTP is negotiated, unless the Fetcher has Protocols.
func TestProtocols(t *testing.T) {
	only := func(set func(*nethttp.Protocols, bool)) *nethttp.Protocols {
		p := new(nethttp.Protocols)
		set(p, true)
		return p
	}
	h1, h2 := only((*nethttp.Protocols).SetHTTP1), only((*nethttp.Protocols).SetHTTP2)
	for _, c := range []struct {
		name      string
		protocols *nethttp.Protocols
		serverH2  bool
		want      string // "" means no common version
	}{
		{"both by default", nil, true, "HTTP/2.0"},
		{"the server has only the old one", nil, false, "HTTP/1.1"},
		{"we want only the old one", h1, true, "HTTP/1.1"},
		{"we want only the new one", h2, true, "HTTP/2.0"},
		{"no common version", h2, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, f := overTLS(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				io.WriteString(w, r.Proto)
			}), c.serverH2)
			defer server.Close()
			f.Protocols = c.protocols
			f.TLS.NextProtos = []string{"mine"}
			f.TLS.MinVersion = tls.VersionTLS13
			defer f.CloseIdle()
			body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)})
			if string(body) != c.want || (err == nil) != (c.want != "") {
				t.Errorf("%q, error %v, want %q", body, err, c.want)
			}
			if len(f.TLS.NextProtos) != 1 || f.TLS.ServerName != "" {
				t.Error("the settings were changed")
			}
		})
	}
}

// A client certificate is presented to a server that requests one.
func TestClientCertificate(t *testing.T) {
	mine, _ := certified(t, "me", time.Now().AddDate(0, 0, 1))
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		io.WriteString(w, r.TLS.PeerCertificates[0].DNSNames[0])
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	f := &http.Fetcher{TLS: trustIn(server)}
	f.TLS.Certificates = mine.Certificates
	defer f.CloseIdle()
	if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)}); string(body) != "me" {
		t.Errorf("%q, error %v", body, err)
	}
}

// A connection with a client certificate is for URLs with Namer ByUser only, and vice versa.
func TestCertificateIsNotSharedWithStrangers(t *testing.T) {
	for _, serverH2 := range []bool{false, true} {
		var connections atomic.Int32
		server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			fmt.Fprint(w, r.Proto, " ", len(r.TLS.PeerCertificates))
		}))
		server.EnableHTTP2 = serverH2
		server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
		server.Config.ConnState = func(_ net.Conn, s nethttp.ConnState) {
			if s == nethttp.StateNew {
				connections.Add(1)
			}
		}
		server.StartTLS()
		defer server.Close()
		f := &http.Fetcher{TLS: trustIn(server)}
		defer f.CloseIdle()
		mine, _ := certified(t, "me", time.Now().AddDate(0, 0, 1))
		f.TLS.Certificates = mine.Certificates
		proto := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[serverH2]
		for _, named := range []fetchers.Namer{fetchers.ByUser, fetchers.ByServer, fetchers.ByStranger, fetchers.ByUser, fetchers.ByServer} {
			want := proto + " 0"
			if named == fetchers.ByUser {
				want = proto + " 1"
			}
			if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL), Named: named}); string(body) != want {
				t.Errorf("named by %d: %q, error %v, want %q", named, body, err, want)
			}
		}
		if n := connections.Load(); n != 3 {
			t.Errorf("%s: %d connections, want one for each", proto, n)
		}
	}
}

// The limit of the header applies to HTTP/2, too.
func TestLargeHeaderOverHTTP2(t *testing.T) {
	server, f := overTLS(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("X-A", strings.Repeat("a", 500_000))
	}), true)
	defer server.Close()
	defer f.CloseIdle()
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)}); !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("error %v, want ErrProtocol", err)
	}
}

// A silent HTTP/2 stream times out, even if its connection is not silent.
func TestSilentStream(t *testing.T) {
	server, f := overTLS(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		part(w)
		if r.URL.Path == "/stalled" {
			<-r.Context().Done()
			return
		}
		for r.Context().Err() == nil {
			w.Write(content[:10])
			w.(nethttp.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}), true)
	defer server.Close()
	f.Network = &fetchers.Network{Stall: 500 * time.Millisecond}
	defer f.CloseIdle()
	lively, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/lively")})
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, lively.Body)
	defer lively.Close()
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL+"/stalled")}); !errors.Is(err, fetchers.ErrStalled) {
		t.Errorf("error %v, want ErrStalled", err)
	}
}

// A damaged TLS record truncates a document. It is a TLS failure, and the download can be resumed.
func TestDamagedRecord(t *testing.T) {
	config, trust := certified(t, "127.0.0.1", time.Now().AddDate(0, 0, 1))
	damaged := func(c *connection) { c.tcp.Write(append([]byte{23, 3, 3, 0, 64}, make([]byte, 64)...)) }
	f := &http.Fetcher{TLS: trust}
	defer f.CloseIdle()
	body, _, err := read(t, f, &fetchers.Request{URL: parse(t, serve(t, config, then(first(length), damaged)))})
	if !errors.Is(err, fetchers.ErrTLS) || !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(v1, body) {
		t.Errorf("%d bytes, error %v", len(body), err)
	}
	_, _, err = read(t, f, &fetchers.Request{URL: parse(t, serve(t, config, then(raw("HTTP/1.1 200 OK\r\nContent-Le"), damaged)))})
	if !errors.Is(err, fetchers.ErrTLS) || errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("in the header: error %v", err)
	}
}

// In TLS 1.3, a server that requires a certificate reports that only after a request; in HTTP/2, to
// all streams.
func TestCertificateRequired(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(nil)
		server.EnableHTTP2 = h2
		server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		f := &http.Fetcher{TLS: trustIn(server)}
		_, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)})
		if !errors.Is(err, fetchers.ErrTLS) || !strings.Contains(err.Error(), "certificate required") {
			t.Errorf("HTTP/2 %v: error %v", h2, err)
		}
		f.CloseIdle()
		server.Close()
	}
}
