package http_test

import (
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"sync"
	"sync/atomic"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// okTogether fetches n URLs at the same time, each of which is "ok".
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

// Requests that a server refuses wait until others end, also if it announces more streams
// than it allows.
func TestMultiplexRefusesStreams(t *testing.T) {
	const allowed = 10
	var refusals atomic.Int32
	var held []uint32 // streams without an answer
	base, f := framedServer(t, 1, func(s *frames, id uint32) {
		switch held = append(held, id); {
		case len(held) <= allowed:
		case refusals.Load() < http.MaxStreams-allowed: // all others have come
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

// A request that is refused while no other one goes on fails as temporary.
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

// Requests that were streams continue by HTTP/1.1, few at a time, if the server chooses it
// for the next connection, or requires it by an error of a stream.
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
				<-full // as many as may be come together
				active.Add(-1)
				io.WriteString(w, "ok")
			})
			okTogether(t, f, base, http.MaxStreams)
			if n := most.Load(); n > http.MaxFallbacks+1 { // and the one that has negotiated
				t.Errorf("%d requests by HTTP/1.1 at a time", n)
			}
		})
	}
}

// HTTP_1_1_REQUIRED is the failure of a Fetcher that speaks HTTP/2 only.
func TestOnlyHTTP2IsNotAllowed(t *testing.T) {
	base, f := framedServer(t, 1, func(s *frames, id uint32) { s.reset(id, xhttp2.ErrCodeHTTP11Required) }, nil)
	f.Protocols = new(nethttp.Protocols)
	f.Protocols.SetHTTP2(true)
	if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("error %v", err)
	}
}
