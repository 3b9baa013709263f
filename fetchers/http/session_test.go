package http_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// A talk is the behaviour of a server on its n-th connection, counted from 1.
type talk func(n int64, c net.Conn, in *bufio.Reader)

// keeper starts a server that may answer several requests on a connection. It returns the URL and
// the number of connections.
func keeper(t *testing.T, config *tls.Config, talk talk) (string, *atomic.Int64) {
	var connections atomic.Int64
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	scheme := "http"
	if config != nil {
		scheme, listener = "https", tls.NewListener(listener, config)
	}
	done := make(chan struct{})
	t.Cleanup(func() { listener.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			n := connections.Add(1)
			go func() {
				defer c.Close()
				talk(n, c, bufio.NewReader(c))
			}()
		}
	}()
	return scheme + "://" + listener.Addr().String() + "/", &connections
}

// requested reads a request, and reports whether there was one.
func requested(in *bufio.Reader) bool {
	_, err := nethttp.ReadRequest(in)
	return err == nil
}

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

// A connection serves successive requests until the server sends extra bytes or closes it. Then the
// next request uses another connection, without an error.
func TestSession(t *testing.T) {
	trusted, trusting := certified(t, "127.0.0.1", time.Now().AddDate(1, 0, 0))
	for _, c := range []struct {
		name        string
		answer      func(c net.Conn) (again bool)
		connections int64
	}{
		{"it is kept", func(c net.Conn) bool { io.WriteString(c, hello); return true }, 1},
		{"the server leaves", func(c net.Conn) bool { io.WriteString(c, hello); return false }, 5},
		{"the server says that it leaves", func(c net.Conn) bool {
			io.WriteString(c, strings.Replace(hello, "\r\n", "\r\nConnection: close\r\n", 1))
			return true
		}, 5},
		{"more follows at once", func(c net.Conn) bool { io.WriteString(c, hello+hello); return true }, 5},
		{"more follows later", func(c net.Conn) bool {
			io.WriteString(c, hello)
			io.WriteString(c, hello)
			return true
		}, 5},
		{"until the connection ends", func(c net.Conn) bool { io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nhello"); return false }, 5},
		{"in chunks", func(c net.Conn) bool {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
			return true
		}, 1},
		{"after hints", func(c net.Conn) bool { io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\n"+hello); return true }, 1},
	} {
		for name, by := range map[string]struct {
			config   *tls.Config
			versions *nethttp.Protocols
		}{"http": {nil, nil}, "https": {trusted, oneVersion()}, "https without HTTP/2": {trusted, nil}} {
			t.Run(c.name+", "+name, func(t *testing.T) {
				said := make(chan struct{}, 8) // a response was sent, with the bytes after it
				f := &http.Fetcher{TLS: trusting, Protocols: by.versions}
				defer f.CloseIdle()
				url, connections := keeper(t, by.config, func(_ int64, conn net.Conn, in *bufio.Reader) {
					for again := true; again && requested(in); {
						if again = c.answer(conn); !again {
							conn.Close()
						}
						said <- struct{}{}
					}
				})
				for range 5 {
					body, _, err := read(t, f, &fetchers.Request{URL: parse(t, url)})
					if err != nil || string(body) != "hello" {
						t.Fatalf("%q, error %v", body, err)
					}
					<-said
				}
				if got := connections.Load(); got != c.connections {
					t.Errorf("%d connections, want %d", got, c.connections)
				}
			})
		}
	}
}

// If a server closes a kept connection when the next request arrives, the request is repeated, once
// for each kept connection, but never after a response has begun.
func TestKeptConnectionEnds(t *testing.T) {
	url, connections := keeper(t, nil, func(n int64, c net.Conn, in *bufio.Reader) {
		for requests := 0; requested(in); requests++ {
			if requests > 0 {
				return
			}
			io.WriteString(c, hello)
		}
	})
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for range 3 {
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, url)}); err != nil || string(body) != "hello" {
			t.Fatalf("%q, error %v", body, err)
		}
	}
	if connections.Load() != 3 {
		t.Errorf("%d connections, want 3", connections.Load())
	}

	url, connections = keeper(t, nil, func(n int64, c net.Conn, in *bufio.Reader) {
		requested(in)
		io.WriteString(c, hello)
		requested(in)
		io.WriteString(c, "HTTP/1.1 2")
	})
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, url)}); err != nil {
		t.Fatal(err)
	}
	_, _, err := read(t, f, &fetchers.Request{URL: parse(t, url)})
	if !errors.Is(err, fetchers.ErrTemporary) || connections.Load() != 1 {
		t.Errorf("error %v, %d connections", err, connections.Load())
	}
}

// A fetch that is cancelled at the end of its body does not break the kept connection.
func TestCancelledAtItsEnd(t *testing.T) {
	url, _ := keeper(t, nil, func(_ int64, c net.Conn, in *bufio.Reader) {
		for requested(in) {
			io.WriteString(c, hello)
		}
	})
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, url)})
		if err != nil {
			t.Fatal(err)
		}
		go cancel()
		io.ReadAll(res.Body) // an error is allowed
		res.Close()
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, url)}); err != nil || string(body) != "hello" {
			t.Fatalf("%q, error %v", body, err)
		}
	}
}

// A header that never ends times out, even if bytes keep arriving.
func TestHeaderByteByByte(t *testing.T) {
	url, _ := keeper(t, nil, func(_ int64, c net.Conn, in *bufio.Reader) {
		requested(in)
		for _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nX: "); err == nil; _, err = io.WriteString(c, "x") {
			time.Sleep(10 * time.Millisecond)
		}
	})
	f := &http.Fetcher{Network: &fetchers.Network{Stall: 100 * time.Millisecond}}
	defer f.CloseIdle()
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, url)}); !errors.Is(err, fetchers.ErrStalled) {
		t.Errorf("error %v, want ErrStalled", err)
	}
}

// A caller's field that could be a line of its own, or is no field, is not sent. The error does not
// blame the server. The same holds for HTTP/2 and for proxies.
func TestFieldsOfTheCaller(t *testing.T) {
	base, connections := keeper(t, nil, func(_ int64, c net.Conn, in *bufio.Reader) {})
	proxied := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return parse(t, base) }}
	for _, f := range []*http.Fetcher{new(http.Fetcher), proxied} {
		for key, value := range map[string]string{
			"X": "a\r\nY: b", "X Y": "a", "Z": "a\x00b", "Y\n": "a", "Host": "a/b", "host": "a\r\nb", "Cookie": "a\n=b",
		} {
			_, _, err := read(t, f, &fetchers.Request{URL: parse(t, base), Header: map[string][]string{key: {value}}})
			if err == nil || connections.Load() != 0 || errors.Is(err, fetchers.ErrProtocol) || !strings.Contains(err.Error(), "the request cannot be sent") {
				t.Errorf("%q: %q: error %v, %d connections", key, value, err, connections.Load())
			}
		}
		f.CloseIdle()
	}
}
