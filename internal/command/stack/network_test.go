package stack

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A time of 0 is no bound, and not the default of a Network.
func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		args                     []string
		connect, stall, response time.Duration // less than 0 is no limit; a response of 0 is as stall
	}{
		{nil, 30 * time.Second, time.Minute, 0},
		{[]string{"--connect-timeout=0", "--stall-timeout=0"}, -1, -1, 0},
		{[]string{"--response-timeout=0"}, 30 * time.Second, time.Minute, -1},
		{[]string{"--connect-timeout=2", "--stall-timeout=1.5", "--response-timeout=3"}, 2 * time.Second, 1500 * time.Millisecond, 3 * time.Second},
	} {
		nw, _, err := newNetwork(options(t, c.args...))
		if err != nil {
			t.Fatal(err)
		}
		if nw.Connect != c.connect || nw.Stall != c.stall || nw.Response != c.response {
			t.Errorf("%q: %v, %v and %v, want %v, %v and %v", c.args, nw.Connect, nw.Stall, nw.Response, c.connect, c.stall, c.response)
		}
	}
}

// A host of this machine is on this machine unless a flag has its connections go elsewhere.
func TestLocal(t *testing.T) {
	for _, c := range []struct {
		args, url string
		want      bool
	}{
		{"", "http://localhost/", true},
		{"", "http://a.localhost:8080/", true},
		{"", "http://127.0.0.2/", true},
		{"", "http://[::1]/", true},
		{"--resolve localhost:80:192.0.2.7", "http://localhost/", false},
		{"--resolve localhost:80:127.0.0.1,192.0.2.7", "http://localhost/", false},
		{"--resolve localhost:80:192.0.2.7", "http://localhost:81/", true},
		{"--resolve *:80:192.0.2.7", "http://a.localhost/", false},
		{"--resolve 127.0.0.1:80:192.0.2.7", "http://127.0.0.1/", false},
		{"--connect-to ::192.0.2.7:", "http://localhost/", false},
		{"--connect-to ::h.example:", "http://127.0.0.1/", false},
		{"--connect-to :::8080", "http://127.0.0.1/", true},
		{"--connect-to ::127.0.0.2:", "http://localhost/", true},
		{"--unix-socket s", "http://localhost/", true},
		{"-x http://127.0.0.1:1", "http://localhost/", false},
		{"-x http://127.0.0.1:1 --noproxy localhost", "http://localhost/", true},
		{"-x http://127.0.0.1:1 --noproxy localhost --connect-to ::192.0.2.7:", "http://localhost/", false},
		{"--preproxy socks5://127.0.0.1:1", "http://localhost/", false},
	} {
		o := options(t, strings.Fields(c.args)...)
		r, err := newRoute(t.Context(), o, o.IsSet)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.network.IsLocal(u); got != c.want {
			t.Errorf("%s: %s is local: %v, want %v", c.args, c.url, got, c.want)
		}
	}
}

// Neither --connect-to nor --resolve reroutes a data connection, and --public-only checks
// all of them.
func TestDataConnectionsAreNotRerouted(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range []struct {
		args  string
		class error
	}{
		{"--connect-to ::127.0.0.1:1", nil},
		{"--connect-to ::127.0.0.1:1 --resolve h:1:127.0.0.2", nil},
		{"--connect-to ::127.0.0.1:1 --public-only", fetchers.ErrBlocked},
	} {
		nw, _, err := newNetwork(options(t, strings.Fields(c.args)...))
		if err != nil {
			t.Fatal(err)
		}
		conn, err := nw.DialDataContext(t.Context(), "tcp", l.Addr().String())
		if !errors.Is(err, c.class) {
			t.Errorf("%s: %v, want %v", c.args, err, c.class)
		}
		if err == nil {
			conn.Close()
		}
	}
}

// An empty part of a detour matches anything, or keeps the part of the address.
func TestDetours(t *testing.T) {
	for _, c := range []struct{ detour, addr, to string }{
		{"h:80:i:81", "h:80", "i:81"},
		{"H:80:i:81", "h:80", "i:81"},
		{"h:80:i:81", "h:81", ""},
		{"h:80:i:81", "x:80", ""},
		{":80:i:", "x:80", "i:80"},
		{"h:::81", "h:80", "h:81"},
		{"::i:81", "x:1", "i:81"},
		{"[::1]:80:[::2]:81", "[::1]:80", "[::2]:81"},
		{"h:80:i:81", "no address", ""},
	} {
		d, err := parseDetour(c.detour)
		if err != nil {
			t.Errorf("%s: %v", c.detour, err)
			continue
		}
		if to, ok := d.of(c.addr); to != c.to || ok != (c.to != "") {
			t.Errorf("%s leads from %s to %q, want %q", c.detour, c.addr, to, c.to)
		}
	}
}

// --resolve is as in curl: several addresses, * for any other host, + and - before the host.
func TestResolve(t *testing.T) {
	for _, c := range []struct{ flags, host, want string }{
		{"h:80:192.0.2.1", "h:80", "192.0.2.1"},
		{"H.example:80:192.0.2.1", "h.Example:80", "192.0.2.1"},
		{"h:80:192.0.2.1", "h:81", ""},
		{"h:80:192.0.2.1,[2001:db8::1],2001:db8::2", "h:80", "192.0.2.1 2001:db8::1 2001:db8::2"},
		{"+h:80:192.0.2.1", "h:80", "192.0.2.1"},
		{"*:80:192.0.2.1", "h:80", "192.0.2.1"},
		{"*:80:192.0.2.1", "h:81", ""},
		{"*:80:192.0.2.1", "192.0.2.9:80", ""}, // there is nothing to resolve
		{"*:80:192.0.2.1 h:80:192.0.2.2", "h:80", "192.0.2.2"},
		{"h:80:192.0.2.1 h:80:192.0.2.2", "h:80", "192.0.2.2"},
		{"h:80:192.0.2.1 -h:80", "h:80", ""},
		{"-h:80", "h:80", ""},
		{"*:80:192.0.2.1", "localhost:80", "192.0.2.1"},
		{"h:80:192.0.2.1", "x.localhost:80", "127.0.0.1 ::1"},
	} {
		all, err := parseResolve(strings.Fields(c.flags))
		if err != nil {
			t.Errorf("%s: %v", c.flags, err)
			continue
		}
		host, port, _ := net.SplitHostPort(c.host)
		if got := strings.Trim(fmt.Sprint(all.lookup(host, port)), "[]"); got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.flags, c.host, got, c.want)
		}
	}
}

// A flag about addresses that makes no sense is an error of the command line.
func TestBadAddresses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--connect-to h:80:i", `--connect-to wants HOST:PORT:HOST2:PORT2, not "h:80:i"`},
		{"--connect-to [::1:80:i:81", `--connect-to wants HOST:PORT:HOST2:PORT2, not "[::1:80:i:81"`},
		{"--resolve h:80", `--resolve wants HOST:PORT:ADDR, not "h:80"`},
		{"--resolve h:80:name", `--resolve wants HOST:PORT:ADDR with an address, not "h:80:name"`},
		{"--resolve h:80:192.0.2.1,name", `--resolve wants HOST:PORT:ADDR with an address, not "h:80:192.0.2.1,name"`},
		{"--resolve h:http:192.0.2.1", `--resolve wants HOST:PORT:ADDR with a port, not "h:http:192.0.2.1"`},
		{"--resolve -h", `--resolve wants HOST:PORT:ADDR or -HOST:PORT, not "-h"`},
		{"--interface no-such-card", `--interface: no interface and no address is called "no-such-card"`},
		{"--interface 192.0.2.1", "--interface: 192.0.2.1 is not an address of this machine"},
		{"--interface 127.0.0.1 --ipv6", "--interface: 127.0.0.1 has no IPv6 address"},
	} {
		_, err := Build(t.Context(), options(t, strings.Fields(c.args)...), silent())
		wantUsage(t, c.args, err, c.want)
	}
}

// --interface connects from the address.
func TestInterface(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nw, _, err := newNetwork(options(t, "--interface", "127.0.0.1", "--resolve", "h.example:80:127.0.0.1", "--connect-to", "h.example:80::"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nw.DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if from := conn.LocalAddr().(*net.TCPAddr); from.IP.String() != "127.0.0.1" {
		t.Errorf("the connection is from %v", from)
	}
}
