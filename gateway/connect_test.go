package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
)

// echo starts a server that returns the bytes it receives, and returns its address.
func echo(t *testing.T) (addr string, port uint16) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, conn)
			}()
		}
	}()
	return l.Addr().String(), uint16(l.Addr().(*net.TCPAddr).Port)
}

// tunneling returns a server with a Handler that opens tunnels to a port.
func tunneling(t *testing.T, port uint16) (*gateway.Handler, *httptest.Server) {
	t.Helper()
	h := handlerOf(nil)
	h.Proxy, h.ConnectPorts, h.Metrics = true, []uint16{port}, new(gateway.Metrics)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return h, server
}

// connect sends CONNECT for a target, followed by next, and returns the connection and the first
// line of the answer.
func connect(t *testing.T, server *httptest.Server, target, next string) (net.Conn, *bufio.Reader, string) {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n%s", target, target, next)
	in := bufio.NewReader(conn)
	line, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return conn, in, line
}

// TestConnect: a tunnel has the bytes of both sides, those that came with the request too, and ends
// with the client.
func TestConnect(t *testing.T) {
	addr, port := echo(t)
	h, server := tunneling(t, port)
	conn, in, line := connect(t, server, addr, "early ")
	if !strings.HasPrefix(line, "HTTP/1.1 200 ") {
		t.Fatal(line)
	}
	in.ReadString('\n')
	fmt.Fprint(conn, "late\n")
	if text, err := in.ReadString('\n'); err != nil || text != "early late\n" {
		t.Errorf("%q, %v", text, err)
	}
	metrics := func() string {
		var b strings.Builder
		h.Metrics.WriteTo(&b)
		return b.String()
	}
	if !strings.Contains(metrics(), "fetch_gateway_tunnels 1\n") {
		t.Error("the tunnel is not counted")
	}
	conn.Close()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(metrics(), "fetch_gateway_tunnels 0\n"); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the tunnel goes on without its client")
		}
	}
}

// TestConnectIdle: a tunnel through which nothing passes ends, and one whose context ends does too.
func TestConnectIdle(t *testing.T) {
	addr, port := echo(t)
	h, server := tunneling(t, port)
	h.SetTunnelIdle(50 * time.Millisecond)
	_, in, _ := connect(t, server, addr, "")
	if _, err := io.ReadAll(in); err != nil {
		t.Errorf("an idle tunnel: %v", err)
	}
	h, _ = tunneling(t, port)
	base, end := context.WithCancel(t.Context())
	other := httptest.NewUnstartedServer(h)
	other.Config.BaseContext = func(net.Listener) context.Context { return base }
	other.Start()
	defer other.Close()
	_, in, _ = connect(t, other, addr, "")
	end()
	if _, err := io.ReadAll(in); err != nil {
		t.Errorf("a server that ends: %v", err)
	}
}

// TestConnectLoop: there is no tunnel to the gateway itself.
func TestConnectLoop(t *testing.T) {
	h, server := tunneling(t, 1)
	own := server.Listener.Addr().(*net.TCPAddr)
	h.ConnectPorts = []uint16{uint16(own.Port)}
	if _, _, line := connect(t, server, own.String(), ""); !strings.HasPrefix(line, "HTTP/1.1 508 ") {
		t.Error(line)
	}
}

// TestConnectRefusals: CONNECT opens no tunnel to another port, to an address that Dial refuses, or
// for a target that is no host and port.
func TestConnectRefusals(t *testing.T) {
	addr, port := echo(t)
	h, server := tunneling(t, port)
	h.Dial = fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)
	for target, status := range map[string]string{
		addr: "403", fmt.Sprintf("localhost:%d", port): "403", fmt.Sprintf("[::ffff:127.0.0.1]:%d", port): "403", // not public
		"127.0.0.1:1": "403", "h.example:25": "403", "h.example:443": "403", // another port
		fmt.Sprintf("0x7f000001:%d", port): "400", fmt.Sprintf("joe@127.0.0.1:%d", port): "400", "h.example": "400", ":443": "400",
		fmt.Sprintf("127.1:%d", port): "400", "h.example:0": "400", "h.example:99999": "400", "h.example:x": "400",
	} {
		if _, _, line := connect(t, server, target, ""); !strings.HasPrefix(line, "HTTP/1.1 "+status) {
			t.Errorf("%s: %q, want %s", target, line, status)
		}
	}
	h, server = tunneling(t, port)
	h.ConnectPorts = nil
	if _, _, line := connect(t, server, addr, ""); !strings.HasPrefix(line, "HTTP/1.1 403") {
		t.Errorf("without ports: %q", line)
	}
	h, server = tunneling(t, port)
	h.Proxy = false
	if _, _, line := connect(t, server, addr, ""); !strings.HasPrefix(line, "HTTP/1.1 403") {
		t.Errorf("no proxy: %q", line)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := uint16(l.Addr().(*net.TCPAddr).Port)
	l.Close()
	_, server = tunneling(t, closed)
	if _, _, line := connect(t, server, l.Addr().String(), ""); !strings.HasPrefix(line, "HTTP/1.1 502") {
		t.Errorf("nobody there: %q", line)
	}
}

// TestConnectByHTTP2: a request that cannot be hijacked has an answer.
func TestConnectByHTTP2(t *testing.T) {
	addr, port := echo(t)
	h, _ := tunneling(t, port)
	r := httptest.NewRequest(http.MethodConnect, addr, nil)
	r.RequestURI = addr
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusNotImplemented {
		t.Errorf("status %d", w.Code)
	}
}
