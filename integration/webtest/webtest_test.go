package webtest_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/webtest"
)

var files = fstest.MapFS{
	"hello.txt":    {Data: []byte("hello\n")},
	"pub/long.bin": {Data: make([]byte, 16<<20)}, // more than two sockets hold
}

// dial opens a connection to a server, in TLS if the server uses it.
func dial(t *testing.T, server *webtest.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Addr)
	if server.Certificate() != nil && err == nil {
		conn = tls.Client(conn, &tls.Config{RootCAs: server.Roots(), ServerName: "127.0.0.1"})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// A connection carries one request after another, and the transcript has each head.
func TestTwoRequestsOnAConnection(t *testing.T) {
	for _, opts := range [][]webtest.Option{nil, {webtest.TLS()}} {
		server := webtest.NewServer(files, opts...)
		defer server.Close()
		conn := dial(t, server)
		in := bufio.NewReader(conn)
		for _, c := range []struct{ request, body string }{
			{"GET /hello.txt HTTP/1.1\r\nHost: h\r\nX-B: 2\r\nRange: bytes=1-2\r\n\r\n", "el"},
			{"GET / HTTP/1.1\r\nHost: h\r\n\r\n", `<a href="pub/">pub/</a>`},
		} {
			io.WriteString(conn, c.request)
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil || !strings.Contains(string(body), c.body) {
				t.Errorf("%q is answered by %q (%v), want %q", c.request, body, err, c.body)
			}
		}
		want := []string{"GET /hello.txt HTTP/1.1\r\nHost: h\r\nRange: bytes=1-2\r\nX-B: 2\r\n", "GET / HTTP/1.1\r\nHost: h\r\n"}
		if got := server.Transcript(); !slices.Equal(got, want) {
			t.Errorf("the transcript is %q, want %q", got, want)
		}
		if n := server.Connections(); n != 1 {
			t.Errorf("%d connections", n)
		}
	}
}

// Close does not wait for a client that keeps its connection, or that reads no further.
func TestCloseEndsConnections(t *testing.T) {
	for name, opts := range map[string][]webtest.Option{"plain": nil, "TLS": {webtest.TLS()}} {
		for _, request := range []string{"", "GET /", "GET /pub/long.bin HTTP/1.1\r\nHost: h\r\n\r\n"} {
			server := webtest.NewServer(files, opts...)
			conn := dial(t, server)
			if secured, ok := conn.(*tls.Conn); ok {
				if err := secured.Handshake(); err != nil {
					t.Fatal(err)
				}
			}
			io.WriteString(conn, request)
			if strings.HasSuffix(request, "\r\n\r\n") {
				if _, err := conn.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
			}
			server.Close()
			server.Close()
			if n, err := io.Copy(io.Discard, conn); n >= 16<<20 {
				t.Errorf("%s: after %q and Close the client gets %d octets more, %v", name, request, n, err)
			}
		}
	}
}

// A client that does not trust the certificate gets an error, and the server serves the next one.
func TestServerGoesOnAfterARefusedCertificate(t *testing.T) {
	server := webtest.NewServer(files, webtest.TLS())
	defer server.Close()
	if conn, err := tls.Dial("tcp", server.Addr, &tls.Config{}); err == nil {
		conn.Close()
		t.Error("the certificate is good without being trusted")
	}
	conn := dial(t, server)
	io.WriteString(conn, "GET /hello.txt HTTP/1.0\r\n\r\n")
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasSuffix(string(answer), "\r\n\r\nhello\n") {
		t.Errorf("the next client gets %q, %v", answer, err)
	}
}
