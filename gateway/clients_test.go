package gateway_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
)

// bounded returns a server of h with bounds on its clients.
func bounded(t *testing.T, h http.Handler, most int, header time.Duration) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ReadHeaderTimeout = header
	(&gateway.Clients{Max: most}).Bound(server.Config)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// dial opens a connection to a server and writes text.
func dial(t *testing.T, server *httptest.Server, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	io.WriteString(conn, text)
	return conn
}

// TestManyClients: ten thousand connections without a whole request take bounded memory, and others are
// answered meanwhile.
func TestManyClients(t *testing.T) {
	const most, many = 100, 10_000
	server := bounded(t, handlerOf(nil), most, time.Minute)
	client := server.Client()
	client.Transport.(*http.Transport).DisableKeepAlives = true
	before := memory()
	held := make([]net.Conn, 0, 500)
	for i := range many {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
		if held = append(held, conn); len(held) == cap(held) { // descriptors are not many
			for _, conn := range held[:100] {
				conn.Close()
			}
			held = append(held[:0], held[100:]...)
		}
		if i%1000 == 999 {
			resp, err := client.Get(server.URL + "/")
			if err != nil {
				t.Fatalf("beside %d connections: %v", i+1, err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
	grown := memory() - before
	t.Logf("%d connections, of which %d may stay: %d KiB", many, most, grown>>10)
	if grown > 16<<20 {
		t.Errorf("memory has grown by %d bytes", grown)
	}
	for _, conn := range held {
		conn.Close()
	}
}

// memory returns how many bytes are in use, those of stacks included.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// TestLongestIdleClient: in place of a connection that is idle for the longest time comes the next one; one
// with an answer stays, and if there are only such, the next one is closed.
func TestLongestIdleClient(t *testing.T) {
	release := make(chan struct{})
	begun := make(chan struct{}, 10)
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		begun <- struct{}{}
		<-release
		return resource(req.URL, fetchers.Document, "text/plain", "whole"), nil
	})
	server := bounded(t, h, 2, time.Minute)
	const request = "GET /fetch/ftp://h.example/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	answered := dial(t, server, request)
	<-begun
	idle := dial(t, server, "GET / HTTP/1.1\r\n")
	next := dial(t, server, request)
	if _, err := io.ReadAll(idle); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the idle connection: %v", err)
	}
	<-begun
	refused := dial(t, server, request)
	if text, err := io.ReadAll(refused); len(text) > 0 || err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("a connection too many: %q, %v", text, err)
	}
	close(release)
	for _, conn := range []net.Conn{answered, next} {
		if text, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(text), "whole") {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// TestSlowHeader: a client that is slow with its header loses the connection.
func TestSlowHeader(t *testing.T) {
	server := bounded(t, handlerOf(nil), 0, 100*time.Millisecond)
	conn := dial(t, server, "GET / HTTP/1.1\r\nHost: localhost\r\n")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(io.Discard, conn)
	}()
	for i := 0; ; i++ {
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Millisecond):
			fmt.Fprintf(conn, "X-%d: 1\r\n", i)
		}
		if i > 500 {
			t.Fatal("the connection goes on")
		}
	}
}

// TestTricklingClient: a client that takes a little from time to time ends its fetch.
func TestTricklingClient(t *testing.T) {
	ended := make(chan error, 1)
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		res := resource(req.URL, fetchers.Document, "application/octet-stream", "")
		res.SetBody(told{io.NopCloser(endless{}), ended})
		return res, nil
	})
	h.Stall = 500 * time.Millisecond
	server := httptest.NewServer(h)
	defer server.Close()
	conn := dial(t, server, "GET /fetch/ftp://h.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	p := make([]byte, 16)
	for end := time.Now().Add(20 * time.Second); ; {
		select {
		case <-ended:
			return
		case <-time.After(50 * time.Millisecond):
			conn.Read(p)
		}
		if time.Now().After(end) {
			t.Fatal("the fetch goes on")
		}
	}
}
