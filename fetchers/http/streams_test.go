package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const overMemory = "http://h.example"

// A request waits for a stream as long as another one continues, even beyond the response limit.
func TestWaitForStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, finish := 0, func() {}
		f, _ := memoryServer(t, 1, func(s *frames, id uint32) {
			if asked++; asked != 2 {
				s.answer(id)
				return
			}
			s.begin(id, false)
			finish = func() { s.end(id) }
		})
		okTogether(t, f, overMemory, 1) // SETTINGS have arrived
		long, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, overMemory)})
		if err != nil {
			t.Fatal(err)
		}
		defer long.Close()
		var others sync.WaitGroup
		others.Go(func() { okTogether(t, f, overMemory, 3) })
		time.Sleep(5 * f.Network.Response)
		synctest.Wait()
		if asked != 2 {
			t.Errorf("%d requests came, of which one goes on", asked)
		}
		finish()
		if body, err := io.ReadAll(long.Body); string(body) != "ok" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
		others.Wait()
	})
}

// A request times out if it gets no stream though no other request is active, or if its stream
// brings no header.
func TestStreamTimesOut(t *testing.T) {
	for _, c := range []struct {
		name    string
		streams uint32
		first   func(s *frames, id uint32)
		want    string
	}{
		{"no stream after an answer", 0, (*frames).answer, "no stream in 200ms"},
		{"no stream after an empty answer", 0, func(s *frames, id uint32) { s.begin(id, true) }, "no stream in 200ms"},
		{"no stream after a reset", 0, func(s *frames, id uint32) { s.reset(id, xhttp2.ErrCodeCancel) }, "no stream in 200ms"},
		{"no header", 1, (*frames).answer, "no complete header in 200ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				f, _ := memoryServer(t, c.streams, func(s *frames, id uint32) {
					if asked++; asked == 1 {
						c.first(s, id)
					}
				})
				for asked == 0 { // until a request precedes SETTINGS
					read(t, f, &fetchers.Request{URL: parse(t, overMemory)})
				}
				began := time.Now()
				_, _, err := read(t, f, &fetchers.Request{URL: parse(t, overMemory)})
				if took := time.Since(began); !errors.Is(err, fetchers.ErrStalled) || !strings.Contains(err.Error(), c.want) || took != f.Network.Response {
					t.Errorf("%v after %v, want %q", err, took, c.want)
				}
			})
		})
	}
}

// A refused request waits for another one to end, until its context ends. Then the next refused
// request takes its place in the queue.
func TestRefusedRequestIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids []uint32
		var server *frames
		f, _ := memoryServer(t, 100, func(s *frames, id uint32) {
			server, ids = s, append(ids, id)
			switch len(ids) {
			case 2, 3: // go on
			case 4, 5:
				s.reset(id, xhttp2.ErrCodeRefusedStream)
			default:
				s.answer(id)
			}
		})
		f.Network.Response = 0
		okTogether(t, f, overMemory, 1) // SETTINGS have arrived
		var two, refused sync.WaitGroup
		two.Go(func() { okTogether(t, f, overMemory, 2) })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancelled := make(chan error, 1)
		go func() {
			_, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, overMemory)})
			cancelled <- err
		}()
		synctest.Wait()
		refused.Go(func() { okTogether(t, f, overMemory, 1) })
		synctest.Wait()
		cancel()
		if err := <-cancelled; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		synctest.Wait()
		one, other := ids[1], ids[2]
		if len(ids) != 5 {
			t.Errorf("%d requests came, want 5 before one of the two ends", len(ids))
		}
		server.answer(one)
		refused.Wait()
		server.answer(other)
		two.Wait()
	})
}

// The number of idle HTTP/2 connections is bounded, whatever the number of servers.
func TestIdleConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, open := memoryServer(t, 100, (*frames).answer)
		const bound = 256
		for i := range bound + 10 {
			okTogether(t, f, fmt.Sprintf("http://h%d.example", i), 1)
		}
		synctest.Wait()
		if n := open.Load(); n != bound {
			t.Errorf("%d connections are open, want %d", n, bound)
		}
		f.CloseIdle()
		synctest.Wait()
		if n := open.Load(); n != 0 {
			t.Errorf("%d connections are open after CloseIdle", n)
		}
	})
}
