package fetchers_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

func TestPublicOnly(t *testing.T) {
	for what, addrs := range map[string]string{
		"this network":           "0.0.0.0 0.1.2.3",
		"private":                "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1",
		"shared by a provider":   "100.64.0.1 100.100.100.200 100.127.255.255",
		"loopback":               "127.0.0.1 127.1.2.3 ::1",
		"link-local":             "169.254.169.254 fe80::1 fe80::1%eth0 febf::1",
		"protocol assignments":   "192.0.0.1 192.0.0.170 192.0.0.255",
		"documentation":          "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1 3fff:fff::1",
		"6to4 relays":            "192.88.99.1",
		"benchmarks":             "198.18.0.1 198.19.255.255 2001:2::1",
		"multicast":              "224.0.0.1 239.255.255.255 ff02::1 ff0e::1",
		"reserved and broadcast": "240.0.0.1 255.255.255.254 255.255.255.255",
		"unspecified":            "::",
		"IPv4 inside IPv6":       "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1",
		"NAT64":                  "64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1",
		"6to4":                   "2002:7f00:1::1 2002:a00:1::",
		"Teredo":                 "2001::1 2001:0:7f00:1::",
		"ORCHID":                 "2001:10::1 2001:20::1",
		"unique local":           "fc00::1 fd00:ec2::254",
		"site-local":             "fec0::1",
		"discard only":           "100::1",
		"segment routing":        "5f00::1",
		"not given out":          "4000::1 8000::1 e000::1",
	} {
		for _, text := range strings.Fields(addrs) {
			addr := netip.MustParseAddr(text)
			if err := fetchers.PublicOnly(netip.AddrPortFrom(addr, 80)); err == nil {
				t.Errorf("%s (%s) is allowed", addr, what)
			} else if !strings.Contains(err.Error(), addr.String()) {
				t.Errorf("%s (%s): the error does not name it: %v", addr, what, err)
			}
		}
	}
	for _, addr := range strings.Fields(`1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 128.0.0.1
		172.15.255.255 172.32.0.1 192.0.1.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255
		::ffff:8.8.8.8 2001:200::1 2001:4860:4860::8888 2003::1 2606:4700:4700::1111 2a00:1450::1`) {
		if err := fetchers.PublicOnly(netip.AddrPortFrom(netip.MustParseAddr(addr), 80)); err != nil {
			t.Errorf("%s is public, but: %v", addr, err)
		}
	}
	if fetchers.PublicOnly(netip.AddrPort{}) == nil {
		t.Error("no address at all is allowed")
	}
}

// TestGuarded checks that a refused address receives no connection, even if it was written as a
// name.
func TestGuarded(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())

	nw := &fetchers.Network{Dial: fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)}
	for _, host := range []string{"127.0.0.1", "localhost", "::ffff:127.0.0.1"} {
		c, err := nw.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if !errors.Is(err, fetchers.ErrBlocked) {
			t.Errorf("%s: error = %v, want one that is ErrBlocked", host, err)
		}
		if c != nil {
			t.Errorf("%s: there is a connection", host)
		}
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(50 * time.Millisecond))
	if c, err := l.Accept(); err == nil {
		t.Errorf("the listener was reached from %v", c.RemoteAddr())
	}
}

// TestGuardedAllows checks the arguments of allow, that its error is wrapped, and that a Dialer's
// own control function is called.
func TestGuardedAllows(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	odd := errors.New("no odd ports")
	for _, c := range []struct {
		name    string
		refusal error
		dialer  func(called *bool) net.Dialer
	}{
		{"refused", odd, func(*bool) net.Dialer { return net.Dialer{} }},
		{"allowed", nil, func(called *bool) net.Dialer {
			*called = true
			return net.Dialer{}
		}},
		{"with Control", nil, func(called *bool) net.Dialer {
			return net.Dialer{Control: func(string, string, syscall.RawConn) error { *called = true; return nil }}
		}},
		{"with ControlContext", nil, func(called *bool) net.Dialer {
			return net.Dialer{ControlContext: func(context.Context, string, string, syscall.RawConn) error {
				*called = true
				return nil
			}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked netip.AddrPort
			called := false
			dial := fetchers.Guarded(c.dialer(&called), func(a netip.AddrPort) error { asked = a; return c.refusal })
			conn, err := dial(t.Context(), "tcp", l.Addr().String())
			if asked.String() != l.Addr().String() {
				t.Errorf("asked about %v, want %v", asked, l.Addr())
			}
			if c.refusal != nil {
				if !errors.Is(err, c.refusal) || !errors.Is(err, fetchers.ErrBlocked) {
					t.Errorf("error = %v, want ErrBlocked and the reason", err)
				}
				return
			}
			if err != nil || !called {
				t.Fatalf("%v; the Dialer's own function was called: %v", err, called)
			}
			conn.Close()
		})
	}
}

func TestConnectLimit(t *testing.T) {
	wait := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, c := range []struct {
		name    string
		connect time.Duration
		want    time.Duration
	}{
		{"the usual", 0, 30 * time.Second},
		{"another", time.Second, time.Second},
		{"none, so the context's", -1, time.Hour},
		{"longer than the context's", 2 * time.Hour, time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				start := time.Now()
				_, err := (&fetchers.Network{Dial: wait, Connect: c.connect}).DialContext(ctx, "tcp", "h.example:80")
				if waited := time.Since(start); waited != c.want || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v after %v, want deadline exceeded after %v", err, waited, c.want)
				}
			})
		})
	}
}

func TestNilNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := (*fetchers.Network)(nil).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		nw              *fetchers.Network
		stall, response time.Duration
	}{
		{nil, time.Minute, time.Minute},
		{&fetchers.Network{}, time.Minute, time.Minute},
		{&fetchers.Network{Stall: time.Second}, time.Second, time.Second},
		{&fetchers.Network{Stall: -1}, 0, 0},
		{&fetchers.Network{Response: time.Second}, time.Minute, time.Second},
		{&fetchers.Network{Stall: -1, Response: time.Hour}, 0, time.Hour},
		{&fetchers.Network{Response: -1}, time.Minute, 0},
	} {
		if stall, response := c.nw.StallLimit(), c.nw.ResponseLimit(); stall != c.stall || response != c.response {
			t.Errorf("%+v: %v and %v, want %v and %v", c.nw, stall, response, c.stall, c.response)
		}
	}
}
