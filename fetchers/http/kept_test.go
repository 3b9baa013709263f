package http_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
)

// answering returns the URL of a keeper that answers each request with the text that answer returns
// for the number of the connection and the path. For an empty text it closes the connection.
func answering(t *testing.T, config *tls.Config, answer func(n int, path string) string) string {
	base, _ := keeper(t, config, func(_ int64, c net.Conn, in *bufio.Reader) {
		for n := 0; ; n++ {
			r, err := nethttp.ReadRequest(in)
			if err != nil {
				return
			}
			text := answer(n, r.URL.Path)
			if io.WriteString(c, text); text == "" {
				return
			}
		}
	})
	return strings.TrimSuffix(base, "/")
}

// oneVersion returns the Protocols with HTTP/1.1 only.
func oneVersion() *nethttp.Protocols {
	p := new(nethttp.Protocols)
	p.SetHTTP1(true)
	return p
}

// A request that is refused as misdirected (421) is repeated over another connection.
func TestMisdirected(t *testing.T) {
	for name, streams := range map[string]uint32{"HTTP/1.1": 0, "HTTP/2": 10} {
		t.Run(name, func(t *testing.T) {
			var first atomic.Value // the connection that is not for this host
			server, f := newCounted(t, streams, func(w nethttp.ResponseWriter, r *nethttp.Request) {
				c := r.Context().Value(connectionKey{})
				if first.CompareAndSwap(nil, c); first.Load() == c && r.URL.Path == "/there" {
					w.WriteHeader(nethttp.StatusMisdirectedRequest)
				}
			})
			client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 1, Delay: 1}}
			for _, path := range []string{"/", "/there", "/there"} {
				if _, _, err := read(t, client, &fetchers.Request{URL: parse(t, server.URL+path), Multiplex: streams > 0}); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			if n := server.connections.Load(); n != 2 {
				t.Errorf("%d connections", n)
			}
			f.CloseIdle()
			if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL+"/there")}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Bytes that arrived before a request are not taken for its response, whether TLS has decrypted
// them already, and with or without a Tap.
func TestKeptConnectionWithUnexpectedBytes(t *testing.T) {
	server, client := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	base := answering(t, server, func(_ int, path string) string {
		text := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(path), path)
		if path == "/first" {
			text += "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nSTALE"
		}
		return text
	})
	tap := &fetchers.Tap{Sent: func([]byte) {}, Got: func([]byte) {}, Ended: func(error) {}, Data: func(string) *fetchers.Tap { return nil }}
	tapped := &fetchers.Trace{Tap: func(_ context.Context, _, _ string) *fetchers.Tap { return tap }}
	for name, by := range map[string]struct {
		trace    *fetchers.Trace
		versions *nethttp.Protocols
	}{
		"without a tap": {new(fetchers.Trace), oneVersion()}, "tapped": {tapped, oneVersion()},
		"any version": {new(fetchers.Trace), nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := &http.Fetcher{TLS: client, Protocols: by.versions}
			defer f.CloseIdle()
			for _, path := range []string{"/first", "/second"} {
				res, err := f.Fetch(fetchers.WithTrace(t.Context(), by.trace), &fetchers.Request{URL: parse(t, base+path)})
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(res.Body)
				res.Close()
				if string(got) != path || err != nil {
					t.Errorf("%s is %q, %v", path, got, err)
				}
				time.Sleep(20 * time.Millisecond) // the additional bytes have arrived
			}
		})
	}
}

// The same holds through a proxy for all protocols, where the client cannot see the connection.
func TestKeptConnectionWithUnexpectedBytesThroughProxy(t *testing.T) {
	base, _ := keeper(t, nil, func(n int64, c net.Conn, in *bufio.Reader) {
		for requested(in) {
			io.WriteString(c, hello)
			time.Sleep(10 * time.Millisecond) // the response is read without it
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nSTALE")
		}
	})
	for _, secure := range []bool{false, true} {
		relay := newRelay(t, secure, "")
		via := &proxy.Proxy{URL: parse(t, relay.URL)}
		if secure {
			via.TLS = trustIn(relay.Server)
		}
		f := &http.Fetcher{Network: &fetchers.Network{Dial: via.Dial}}
		for range 3 {
			if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); string(body) != "hello" || err != nil {
				t.Errorf("TLS to the proxy %v: %q, %v", secure, body, err)
			}
			time.Sleep(50 * time.Millisecond) // the additional bytes have arrived
		}
		f.CloseIdle()
	}
}

// The decoder of a body does not use the session after it was released.
func TestDecoderAfterRelease(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(bytes.Repeat([]byte("hello "), 1000))
	w.Close()
	base := answering(t, nil, func(int, string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", packed.Len(), packed.Bytes())
	})
	f := new(http.Fetcher)
	defer f.CloseIdle()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				body, _, err := read(t, f, &fetchers.Request{URL: parse(t, base+"/"), Compress: true})
				if err != nil || len(body) != 6000 {
					t.Errorf("%d octets, %v", len(body), err)
					return
				}
			}
		})
	}
	all.Wait()
}

// HSTS is learned from sessions with TLS, too.
func TestHSTSOfSession(t *testing.T) {
	server, client := certified(t, "h.example", time.Now().Add(time.Hour))
	base := answering(t, server, func(int, string) string {
		return "HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=1000\r\nContent-Length: 2\r\n\r\nok"
	})
	nw := &fetchers.Network{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(base, "https://"))
	}}
	for name, p := range map[string]*nethttp.Protocols{"any version": nil, "a session": oneVersion()} {
		f := &http.Fetcher{Network: nw, TLS: client, Protocols: p, HSTS: new(http.HSTS)}
		_, _, err := read(t, f, &fetchers.Request{URL: parse(t, "https://h.example/")})
		if err != nil || f.HSTS.Upgrade(parse(t, "http://h.example/")) == nil {
			t.Errorf("%s: %v, and nothing was learned", name, err)
		}
		f.CloseIdle()
	}
}

// If a kept connection has just ended, the error of the new connection is reported.
func TestKeptEndsAndNewFails(t *testing.T) {
	base := answering(t, nil, func(n int, _ string) string {
		if n > 0 {
			return ""
		}
		return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	})
	dials := 0
	f := &http.Fetcher{Network: &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dials++; dials > 1 {
			return nil, fmt.Errorf("%w: by policy", fetchers.ErrBlocked)
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}}
	defer f.CloseIdle()
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, base+"/")}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, base+"/")}); !errors.Is(err, fetchers.ErrBlocked) {
		t.Errorf("error = %v, want that of the new connection", err)
	}
}

// A lasting is a connection without deadlines, such as one in an SSH tunnel.
type lasting struct{ net.Conn }

var errNoDeadlines = errors.New("deadlines are not supported")

func (lasting) SetDeadline(time.Time) error      { return errNoDeadlines }
func (lasting) SetReadDeadline(time.Time) error  { return errNoDeadlines }
func (lasting) SetWriteDeadline(time.Time) error { return errNoDeadlines }

// A connection without deadlines is not tested for pending bytes, since that might block for ever.
func TestKeptWithoutDeadlines(t *testing.T) {
	server, client := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	base := answering(t, server, func(int, string) string { return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" })
	nw := &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		return lasting{c}, err
	}}
	f := &http.Fetcher{Network: nw, TLS: client, Protocols: oneVersion()}
	defer f.CloseIdle()
	for range 2 {
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, base+"/")}); string(body) != "ok" || err != nil {
			t.Fatalf("%q, %v", body, err)
		}
	}
}

// A range of a resource of unknown size is not Confirmed.
func TestRangeOfUnknownSize(t *testing.T) {
	base := answering(t, nil, func(int, string) string {
		return "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 100-149/*\r\nContent-Length: 50\r\n\r\n" + strings.Repeat("x", 50)
	})
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for length, want := range map[int64]bool{0: false, 50: true} {
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, base+"/"), Range: fetchers.Range{Offset: 100, Length: length}})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, res.Body); n != 50 || err != nil || res.Confirmed() != want {
			t.Errorf("of %d: %d octets, %v, confirmed: %v", length, n, err, res.Confirmed())
		}
		res.Close()
	}
}
