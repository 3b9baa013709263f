package transport_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// listenUDP returns a socket of 127.0.0.x.
func listenUDP(t *testing.T, ip string) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(ip)})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func hearAnyPort(t *testing.T, addr string) *transport.AnyPort {
	t.Helper()
	c, err := transport.DialUDP(t.Context(), nil, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	a, err := transport.HearAnyPort(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	a.SetDeadline(time.Now().Add(20 * time.Second))
	return a
}

// Datagrams of other machines are discarded, and those of other ports of the same machine are not.
func TestAnyPort(t *testing.T) {
	server, other, stranger := listenUDP(t, "127.0.0.1"), listenUDP(t, "127.0.0.1"), listenUDP(t, "127.0.0.2")
	a := hearAnyPort(t, server.LocalAddr().String())
	if a.RemoteAddr().String() != server.LocalAddr().String() {
		t.Errorf("the peer is %v", a.RemoteAddr())
	}
	a.Write([]byte("hello"))
	p := make([]byte, 10)
	n, from, err := server.ReadFromUDP(p)
	if err != nil || string(p[:n]) != "hello" {
		t.Fatalf("%q, %v", p[:n], err)
	}
	stranger.WriteTo([]byte("strange"), from)
	other.WriteTo([]byte("from there"), from)
	n, port, err := a.ReadPort(p)
	if err != nil || string(p[:n]) != "from there" || int(port) != other.LocalAddr().(*net.UDPAddr).Port {
		t.Errorf("%q from port %d, %v", p[:n], port, err)
	}
	if a.Stranger().String() != stranger.LocalAddr().String() {
		t.Errorf("%v was passed over, want %v", a.Stranger(), stranger.LocalAddr())
	}
	a.WritePort([]byte("yes"), port)
	if n, _, err := other.ReadFromUDP(p); err != nil || string(p[:n]) != "yes" {
		t.Errorf("%q, %v", p[:n], err)
	}
}

// Linux reports closed ports.
func TestAnyPortRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell")
	}
	server := listenUDP(t, "127.0.0.1")
	addr := server.LocalAddr().String()
	server.Close()
	a := hearAnyPort(t, addr)
	a.Write([]byte("hello"))
	if _, err := a.Read(make([]byte, 10)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, want that the connection is refused", err)
	}
}

// A socket from a Network's own Dial is refused, and stays open.
func TestAnyPortOfOthers(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	nw := &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return here, nil }}
	c, err := transport.DialUDP(t.Context(), nw, "h.dom:69")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := transport.HearAnyPort(c); err == nil {
		t.Error("a pipe hears any port")
	}
}
