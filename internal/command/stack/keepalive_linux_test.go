package stack

import (
	"net"
	"strings"
	"syscall"
	"testing"
)

// The sockets have the probes of the flags.
func TestKeepAlive(t *testing.T) {
	addr := accept(t, func(net.Conn) {})
	for args, want := range map[string]struct{ on, idle, interval int }{
		"":                    {1, 15, 15},
		"--keepalive-time 70": {1, 70, 70},
		"--keepalive-time 70 --interface 127.0.0.1": {1, 70, 70},
		"--no-keepalive": {0, 0, 0},
	} {
		nw, _, err := newNetwork(options(t, strings.Fields(args)...))
		if err != nil {
			t.Fatal(err)
		}
		conn, err := nw.DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		raw.Control(func(fd uintptr) {
			option := func(level, name int) int {
				n, err := syscall.GetsockoptInt(int(fd), level, name)
				if err != nil {
					t.Error(err)
				}
				return n
			}
			if on := option(syscall.SOL_SOCKET, syscall.SO_KEEPALIVE); on != want.on {
				t.Errorf("%q: probes are on: %d", args, on)
			}
			idle, interval := option(syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE), option(syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL)
			if want.on == 1 && (idle != want.idle || interval != want.interval) {
				t.Errorf("%q: probes after %d s and each %d s", args, idle, interval)
			}
		})
		conn.Close()
	}
}
