package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// okTogether fetches n URLs at the same time. Each body is "ok".
func okTogether(t *testing.T, f fetchers.Fetcher, base string, n int) {
	t.Helper()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			body, _, err := read(t, f, &fetchers.Request{URL: parse(t, fmt.Sprintf("%s/%d", base, i)), Multiplex: true})
			if string(body) != "ok" || err != nil {
				t.Errorf("%d is %q, %v", i, body, err)
			}
		})
	}
	all.Wait()
}

// Refused requests wait until others end, even if the server announces more streams than it allows.
func TestMultiplexRefusesStreams(t *testing.T) {
	const allowed = 10
	var refusals atomic.Int32
	var held []uint32 // streams without a response
	base, f := framedServer(t, 1, func(s *frames, id uint32) {
		switch held = append(held, id); {
		case len(held) <= allowed:
		case refusals.Load() < http.MaxStreams-allowed: // all other requests have arrived
			held = held[:allowed]
			refusals.Add(1)
			s.reset(id, xhttp2.ErrCodeRefusedStream)
		}
		if refusals.Load() == http.MaxStreams-allowed {
			for _, id := range held {
				s.answer(id)
			}
			held = nil
		}
	}, nil)
	okTogether(t, f, base, http.MaxStreams)
	if n := refusals.Load(); n != http.MaxStreams-allowed {
		t.Errorf("%d refusals", n)
	}
}

// A request that is refused while no other one is active fails as temporary.
func TestMultiplexRefusesAll(t *testing.T) {
	var requests atomic.Int32
	base, f := framedServer(t, 1, func(s *frames, id uint32) {
		requests.Add(1)
		s.reset(id, xhttp2.ErrCodeRefusedStream)
	}, nil)
	_, _, err := read(t, f, &fetchers.Request{URL: parse(t, base), Multiplex: true})
	if !errors.Is(err, fetchers.ErrTemporary) || requests.Load() < 3 || requests.Load() > 4 {
		t.Errorf("%d requests, %v", requests.Load(), err)
	}
}

// Requests that were streams continue by HTTP/1.1, a few at a time, if the server chooses HTTP/1.1
// for the next connection, or requires it by a stream error.
func TestMultiplexFallsBack(t *testing.T) {
	for _, c := range []struct {
		name string
		h2   func(s *frames, id uint32, nth int)
	}{
		{"GOAWAY", func(s *frames, id uint32, nth int) {
			if nth == http.MaxStreams {
				s.answer(1)
				s.goAway(1)
			}
		}},
		{"HTTP_1_1_REQUIRED for all", func(s *frames, id uint32, nth int) { s.reset(id, xhttp2.ErrCodeHTTP11Required) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var active, most atomic.Int32
			nth, full := 0, make(chan struct{})
			base, f := framedServer(t, 1, func(s *frames, id uint32) {
				nth++
				c.h2(s, id, nth)
			}, func(w nethttp.ResponseWriter, r *nethttp.Request) {
				n := active.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				if n == http.MaxFallbacks {
					select {
					case <-full:
					default:
						close(full)
					}
				}
				<-full // the largest number of requests is active
				active.Add(-1)
				io.WriteString(w, "ok")
			})
			okTogether(t, f, base, http.MaxStreams)
			if n := most.Load(); n > http.MaxFallbacks+1 { // the additional one has negotiated
				t.Errorf("%d requests by HTTP/1.1 at a time", n)
			}
		})
	}
}

// A Fetcher with HTTP/2 only fails on HTTP_1_1_REQUIRED.
func TestOnlyHTTP2IsNotAllowed(t *testing.T) {
	base, f := framedServer(t, 1, func(s *frames, id uint32) { s.reset(id, xhttp2.ErrCodeHTTP11Required) }, nil)
	f.Protocols = new(nethttp.Protocols)
	f.Protocols.SetHTTP2(true)
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("error %v", err)
	}
}

// A request that fails over HTTP/1.1 releases its slot.
func TestFallbackFails(t *testing.T) {
	const n = 3 * http.MaxFallbacks
	var ids []uint32
	base, f := framedServer(t, 1, func(s *frames, id uint32) {
		if ids = append(ids, id); len(ids) == n {
			for _, id := range ids {
				s.reset(id, xhttp2.ErrCodeHTTP11Required)
			}
		}
	}, func(nethttp.ResponseWriter, *nethttp.Request) { panic(nethttp.ErrAbortHandler) })
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if _, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, base), Multiplex: true}); !errors.Is(err, fetchers.ErrTemporary) {
				t.Errorf("error %v", err)
			}
		})
	}
	all.Wait()
}

// If a server requires HTTP/1.1, its HTTP/2 connection is closed.
func TestFallbackClosesConnection(t *testing.T) {
	base, f := framedServer(t, 1, func(s *frames, id uint32) { s.reset(id, xhttp2.ErrCodeHTTP11Required) },
		func(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, "ok") })
	closed := tellsClose(f)
	okTogether(t, f, base, 1)
	awaitClose(t, closed)
}

// tellsClose returns a channel that receives when a connection of f is closed.
func tellsClose(f *http.Fetcher) <-chan bool {
	closed := make(chan bool, 1)
	f.Network = &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &closing{conn, closed}, err
	}}
	return closed
}

func awaitClose(t *testing.T, closed <-chan bool) {
	t.Helper()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Error("the connection stays open")
	}
}

// A closing is a connection that reports its Close.
type closing struct {
	net.Conn
	closed chan<- bool
}

func (c *closing) Close() error {
	select {
	case c.closed <- true:
	default:
	}
	return c.Conn.Close()
}
