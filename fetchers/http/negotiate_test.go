package http_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// If a server without HTTP/2 sends bytes after a response, they are not taken for the response to a
// concurrent request.
func TestNegotiatedConnectionWithUnexpectedBytes(t *testing.T) {
	server, client := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	base := answering(t, server, func(_ int, path string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(path), path) +
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nSTALE"
	})
	f := &http.Fetcher{TLS: client}
	defer f.CloseIdle()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 50 {
				path := fmt.Sprintf("/%d/%d", i, n)
				body, _, err := read(t, f, &fetchers.Request{URL: parse(t, base+path)})
				if string(body) != path || err != nil {
					t.Errorf("%s is %q, %v", path, body, err)
				}
			}
		})
	}
	all.Wait()
}

// Negotiation uses a single connection, whatever version results, and the next request uses it too.
func TestNegotiatedOnce(t *testing.T) {
	server, client := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	for name, offered := range map[string][]string{"no ALPN": nil, "HTTP/1.1": {"http/1.1"}} {
		config := server.Clone()
		config.NextProtos = offered
		base, connections := keeper(t, config, func(_ int64, c net.Conn, in *bufio.Reader) {
			for requested(in) {
				io.WriteString(c, hello)
			}
		})
		f := &http.Fetcher{TLS: client}
		for range 3 {
			if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); string(body) != "hello" || err != nil {
				t.Errorf("%s: %q, %v", name, body, err)
			}
		}
		f.CloseIdle()
		if n := connections.Load(); n != 1 {
			t.Errorf("%s: %d connections", name, n)
		}
	}
}

// A Fetcher of HTTP/2 only accepts no other version, and closes the connection.
func TestOnlyHTTP2(t *testing.T) {
	server, client := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	base := answering(t, server, func(int, string) string { return hello })
	f := &http.Fetcher{TLS: client, Protocols: new(nethttp.Protocols)}
	f.Protocols.SetHTTP2(true)
	defer f.CloseIdle()
	closed := tellsClose(f)
	_, _, err := read(t, f, &fetchers.Request{URL: parse(t, base+"/")})
	if !errors.Is(err, fetchers.ErrProtocol) || !strings.Contains(err.Error(), "the server does not support HTTP/2") {
		t.Errorf("error = %v", err)
	}
	awaitClose(t, closed)
}

// If a header exceeds the server's limit, net/http does not send the request, which fails at once:
// the connection works, and no alert follows.
func TestRequestTooLongForTheServer(t *testing.T) {
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.WriteString(w, "here") }))
	server.EnableHTTP2 = true
	server.Config.MaxHeaderBytes = 1000 // HTTP/2 adds some
	server.StartTLS()
	defer server.Close()
	f := &http.Fetcher{TLS: trustIn(server)}
	defer f.CloseIdle()
	fastest := time.Hour
	for range 3 {
		if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)}); string(body) != "here" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
		begun := time.Now()
		_, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL), Header: textproto.MIMEHeader{"X-Long": {strings.Repeat("x", 2000)}}})
		fastest = min(fastest, time.Since(begun))
		if err == nil || !strings.Contains(err.Error(), "larger than peer's advertised limit") {
			t.Errorf("error %v", err)
		}
	}
	if fastest >= time.Second {
		t.Errorf("the fastest of three errors took %v", fastest)
	}
}
