package http_test

import (
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A requestLog records the connection of each request, in order.
type requestLog struct {
	mu sync.Mutex
	on []*frames
}

// add records a request and returns the number of requests.
func (l *requestLog) add(s *frames) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on = append(l.on, s)
	return len(l.on)
}

// After a stalled request, the next one uses another connection, unless the first connection has
// shown a sign of life meanwhile. Otherwise the first connection is closed.
func TestRequestAfterStall(t *testing.T) {
	silent := func(*frames, uint32) {}
	begun := func(s *frames, id uint32) { s.begin(id, false) }
	pinged := func(first func(*frames, uint32)) func(*frames, uint32) {
		return func(s *frames, id uint32) {
			first(s, id)
			time.AfterFunc(time.Millisecond, func() { s.ping(false, [8]byte{}) })
		}
	}
	for _, c := range []struct {
		name     string
		response time.Duration
		stall    func(s *frames, id uint32)
		kept     bool
	}{
		{"no header", 0, silent, false},
		{"no header, with a longer Response", time.Hour, silent, false},
		{"no header, with a shorter Response", time.Millisecond * 500, silent, false},
		{"no header, and no limit but Stall", -1, silent, false},
		{"no body", 0, begun, false},
		{"no header, but PING", 0, pinged(silent), true},
		{"no body, but PING", 0, pinged(begun), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked requestLog
				f, open := memoryServer(t, 100, func(s *frames, id uint32) {
					if asked.add(s) == 1 {
						c.stall(s, id)
					} else {
						s.answer(id)
					}
				})
				f.Network.Stall, f.Network.Response = time.Second, c.response
				if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, overMemory)}); !errors.Is(err, fetchers.ErrStalled) {
					t.Errorf("error %v, want ErrStalled", err)
				}
				okTogether(t, f, overMemory, 1)
				synctest.Wait()
				if n := len(asked.on); n != 2 || (asked.on[0] == asked.on[1]) != c.kept || open.Load() != 1 {
					t.Errorf("%d requests, want 2, by one connection: %v; %d connections are open", n, c.kept, open.Load())
				}
			})
		})
	}
}

// A connection may be silent for longer than the stall limit as long as no request waits for a
// response: while it is idle, and while the body is not read.
func TestSilenceWithoutRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked requestLog
		var end func()
		f, _ := memoryServer(t, 100, func(s *frames, id uint32) {
			if asked.add(s) == 1 {
				s.answer(id)
				return
			}
			s.begin(id, false)
			end = func() { s.end(id) }
		})
		f.Network.Stall = time.Second
		okTogether(t, f, overMemory, 1)
		time.Sleep(10 * f.Network.Stall)
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, overMemory)})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		time.Sleep(10 * f.Network.Stall)
		synctest.Wait()
		end()
		if body, err := io.ReadAll(res.Body); string(body) != "ok" || err != nil || asked.on[0] != asked.on[1] {
			t.Errorf("%q, %v, by one connection: %v", body, err, asked.on[0] == asked.on[1])
		}
	})
}

// A request is repeated once, over a new connection, if a connection that served other requests
// ends before it answers this one.
func TestSharedConnectionEnds(t *testing.T) {
	hangUp := func(s *frames, _ uint32) { s.hangUp() }
	for _, c := range []struct {
		name     string
		answers  []func(s *frames, id uint32)
		answered [2]bool // of the two fetches
	}{
		{"the end", []func(*frames, uint32){(*frames).answer, hangUp, (*frames).answer}, [2]bool{true, true}},
		{"no answer, and none to PING", []func(*frames, uint32){(*frames).answer, func(s *frames, _ uint32) { s.noPing = true }, (*frames).answer}, [2]bool{true, true}},
		{"the end of two connections", []func(*frames, uint32){(*frames).answer, hangUp, hangUp}, [2]bool{true, false}},
		{"the end of a new connection", []func(*frames, uint32){hangUp, (*frames).answer}, [2]bool{false, true}},
		{"the end after an interim response", []func(*frames, uint32){(*frames).answer, func(s *frames, id uint32) {
			s.header(id, "103", false)
			time.AfterFunc(time.Millisecond, s.hangUp)
		}}, [2]bool{true, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked requestLog
				f, open := memoryServer(t, 100, func(s *frames, id uint32) {
					if n := asked.add(s); n <= len(c.answers) {
						c.answers[n-1](s, id)
					}
				})
				f.Network.Response = 0
				for i := range 2 {
					res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, overMemory)})
					switch {
					case err == nil:
						io.Copy(io.Discard, res.Body)
						res.Close()
					case !errors.Is(err, fetchers.ErrTemporary):
						t.Errorf("error %v, want ErrTemporary", err)
					}
					if (err == nil) != c.answered[i] {
						t.Errorf("request %d: %v", i, err)
					}
				}
				synctest.Wait()
				if n := len(asked.on); n != len(c.answers) || open.Load() > 1 {
					t.Errorf("%d requests, want %d; %d connections are open", n, len(c.answers), open.Load())
				}
			})
		})
	}
}
