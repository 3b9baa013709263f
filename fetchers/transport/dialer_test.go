package transport_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A Dialer limits the connections to each host.
func TestDialer(t *testing.T) {
	var dialled []string
	failure := error(nil)
	nw := &fetchers.Network{MaxConnsPerHost: 2, Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
		dialled = append(dialled, addr)
		c, peer := net.Pipe()
		t.Cleanup(func() { peer.Close() })
		return c, failure
	}}
	var d transport.Dialer
	dial := func(addr string) *transport.Conn {
		t.Helper()
		c, err := d.Dial(t.Context(), nw, addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	dial("a:1")
	second := dial("a:1")
	dial("a:2")
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	go func() {
		_, err := d.Dial(ctx, nw, "a:1")
		waits <- err
	}()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) || len(dialled) != 3 {
		t.Errorf("%v after %q", err, dialled)
	}
	second.Close()
	second.Close() // counts once
	dial("a:1")
	if _, err := d.Dial(ctx, nw, "a:1"); !errors.Is(err, context.Canceled) || len(dialled) != 4 {
		t.Errorf("%v after %q", err, dialled)
	}
	failure = errTest
	for range 3 {
		if _, err := d.Dial(t.Context(), nw, "b:1"); !errors.Is(err, errTest) {
			t.Errorf("%v, want that of the Network", err)
		}
	}
}
