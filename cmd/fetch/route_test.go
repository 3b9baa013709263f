package main

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A time of 0 is no bound, and not that of a Network that says nothing.
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
		a := new(app)
		if err := a.command().ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		nw, err := a.route.network()
		if err != nil {
			t.Fatal(err)
		}
		if nw.Connect != c.connect || nw.Stall != c.stall || nw.Response != c.response {
			t.Errorf("%q: %v, %v and %v, want %v, %v and %v", c.args, nw.Connect, nw.Stall, nw.Response, c.connect, c.stall, c.response)
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
		a := new(app)
		if err := a.command().ParseFlags(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		nw, err := a.route.network()
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
