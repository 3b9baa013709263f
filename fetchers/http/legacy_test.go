package http_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// A connection with an HTTP/1.0 request is kept only if the server says so.
func TestHTTP10(t *testing.T) {
	for field, kept := range map[string]bool{"": false, "Connection: keep-alive\r\n": true, "Connection: close\r\n": false} {
		for _, version := range []string{"HTTP/1.0", "HTTP/1.1"} {
			base, opened := keeper(t, nil, func(_ int64, c net.Conn, in *bufio.Reader) {
				for {
					r, err := nethttp.ReadRequest(in)
					if err != nil {
						return
					}
					io.WriteString(c, version+" 200 OK\r\n"+field+"Content-Length: 8\r\n\r\n"+r.Proto)
				}
			})
			f := &http.Fetcher{HTTP10: true}
			for range 2 {
				if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); string(body) != "HTTP/1.0" || err != nil {
					t.Errorf("%q, %v", body, err)
				}
			}
			if got := opened.Load() == 1; got != kept {
				t.Errorf("%s %q: %d connections", version, field, opened.Load())
			}
			f.CloseIdle()
		}
	}
}

// With IgnoreLength, a body ends with its connection or its last chunk. TLS reveals a truncation.
func TestIgnoreLength(t *testing.T) {
	config, trust := certified(t, "127.0.0.1", time.Now().AddDate(0, 0, 1))
	for name, c := range map[string]struct {
		answer    func(*connection)
		body      string
		confirmed bool
		tls       bool
		err       error
	}{
		"a length too short":   {answer: raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello"), body: "hello"},
		"a length too long":    {answer: raw("HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\nhello"), body: "hello"},
		"a length below 0":     {answer: raw("HTTP/1.1 200 OK\r\nContent-Length: -2147483648\r\n\r\nhello"), body: "hello"},
		"two lengths":          {answer: raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhello"), body: "hello"},
		"chunks with a length": {answer: raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), body: "hello", confirmed: true},
		"TLS that ends":        {answer: then(raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello"), (*connection).notify), body: "hello", tls: true},
		"TLS that is cut":      {answer: raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello"), body: "hello", tls: true, err: io.ErrUnexpectedEOF},
	} {
		f := &http.Fetcher{IgnoreLength: true, TLS: trust}
		server := serve(t, nil, c.answer)
		if c.tls {
			server = serve(t, config, c.answer)
		}
		body, confirmed, err := read(t, f, &fetchers.Request{URL: parse(t, server)})
		if string(body) != c.body || confirmed != c.confirmed || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, confirmed %v, %v", name, body, confirmed, err)
		}
		f.CloseIdle()
	}
}

// An ignored length beside chunks still closes the connection.
func TestIgnoreLengthBesideChunks(t *testing.T) {
	base, opened := keeper(t, nil, func(_ int64, c net.Conn, in *bufio.Reader) {
		for {
			if _, err := nethttp.ReadRequest(in); err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
		}
	})
	f := &http.Fetcher{IgnoreLength: true}
	defer f.CloseIdle()
	for range 2 {
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); string(body) != "hello" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
	}
	if opened.Load() != 2 {
		t.Errorf("%d connections for two answers", opened.Load())
	}
}

// A proxy receives CONNECT by HTTP/1.0, and the server in the tunnel HTTP/1.1.
func TestProxyHTTP10(t *testing.T) {
	asked := make(chan string, 1)
	via := parse(t, serve(t, nil, func(c *connection) {
		asked <- c.request[:strings.Index(c.request, "\r\n")]
		c.say("HTTP/1.0 403 No\r\n\r\n")
	}))
	f := &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }, ProxyHTTP10: true}
	defer f.CloseIdle()
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, "https://h.example/")}); !errors.Is(err, fetchers.ErrProxy) {
		t.Error(err)
	}
	if got := <-asked; got != "CONNECT h.example:443 HTTP/1.0" {
		t.Errorf("the proxy is asked %q", got)
	}
}
