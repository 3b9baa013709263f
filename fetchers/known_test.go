package fetchers_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// dialled returns a DialFunc that connects only to the addresses in up, and records the dialled
// addresses.
func dialled(up string) (fetchers.DialFunc, *[]string) {
	var list []string
	return func(_ context.Context, network, addr string) (net.Conn, error) {
		list = append(list, network+" "+addr)
		if !strings.Contains(up, addr) {
			return nil, errors.New(addr + " is down")
		}
		client, server := net.Pipe()
		server.Close()
		return client, nil
	}, &list
}

func TestLocalhost(t *testing.T) {
	for host, local := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "localhost.": true, "a.localhost": true, "a.b.localhost.": true,
		"localhost.example": false, "notlocalhost": false, "127.0.0.1": false, "": false, "localhost6": false,
	} {
		if got := fetchers.Localhost(host, "80"); (len(got) > 0) != local || slices.ContainsFunc(got, func(a netip.Addr) bool { return !a.IsLoopback() }) {
			t.Errorf("%q: %v", host, got)
		}
	}
}

// Known addresses are tried in order, if they fit the network. DNS is then not used.
func TestKnown(t *testing.T) {
	hosts := map[string][]netip.Addr{
		"one:80": {netip.MustParseAddr("192.0.2.1")},
		"two:80": {netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.2")},
	}
	lookup := func(host, port string) []netip.Addr { return hosts[host+":"+port] }
	for _, c := range []struct{ network, addr, up, dials, err string }{
		{"tcp", "one:80", "192.0.2.1:80", "tcp 192.0.2.1:80", ""},
		{"tcp", "one:81", "one:81", "tcp one:81", ""},
		{"tcp", "two:80", "[2001:db8::1]:80", "tcp 192.0.2.1:80, tcp [2001:db8::1]:80", ""},
		{"tcp4", "two:80", "192.0.2.2:80", "tcp4 192.0.2.1:80, tcp4 192.0.2.2:80", ""},
		{"tcp6", "two:80", "", "tcp6 [2001:db8::1]:80", "[2001:db8::1]:80 is down"},
		{"tcp6", "one:80", "", "tcp6 192.0.2.1:80", "192.0.2.1:80 is down"},
		{"tcp", "two:80", "", "tcp 192.0.2.1:80, tcp [2001:db8::1]:80, tcp 192.0.2.2:80", "192.0.2.1:80 is down"},
		{"tcp", "no port", "no port", "tcp no port", ""},
	} {
		dial, list := dialled(c.up)
		conn, err := fetchers.Known(dial, lookup)(t.Context(), c.network, c.addr)
		if got := strings.Join(*list, ", "); got != c.dials {
			t.Errorf("%s %s: dialled %s, want %s", c.network, c.addr, got, c.dials)
		}
		switch {
		case err == nil && c.err == "":
			conn.Close()
		case err == nil || err.Error() != c.err:
			t.Errorf("%s %s: %v, want %q", c.network, c.addr, err, c.err)
		}
	}
}

// A done context ends the attempts.
func TestKnownEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		n++
		cancel()
		return nil, ctx.Err()
	}
	if _, err := fetchers.Known(dial, fetchers.Localhost)(ctx, "tcp", "localhost:80"); !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%v after %d attempts", err, n)
	}
}

// Every Network resolves localhost and its subdomains to this machine, without DNS; Guarded can
// block them.
func TestNetworkKnowsLocalhost(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	guarded := &fetchers.Network{Dial: fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)}
	for _, host := range []string{"localhost", "no-such-name.localhost"} {
		for _, nw := range []*fetchers.Network{nil, {}, {Dial: fetchers.Guarded(net.Dialer{}, func(netip.AddrPort) error { return nil })}} {
			conn, err := nw.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
			if err != nil {
				t.Errorf("%s: %v", host, err)
				continue
			}
			conn.Close()
		}
		if _, err := guarded.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port)); !errors.Is(err, fetchers.ErrBlocked) {
			t.Errorf("%s with PublicOnly: %v", host, err)
		}
	}
}
