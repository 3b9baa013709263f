package prospero_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/prospero"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
)

// losses are kinds of bad networks: the probabilities that a datagram is dropped, duplicated and
// reordered.
var losses = map[string][3]float64{
	"a fifth dropped":     {0.2, 0, 0},
	"a fifth doubled":     {0, 0.2, 0},
	"a fifth overtaken":   {0, 0, 0.2},
	"a fifth of each":     {0.2, 0.2, 0.2},
	"nearly half is lost": {0.45, 0.1, 0.1},
}

// lossyNames are objects of 1 packet, of 3, and of 18, which is two windows.
func lossyNames() (names prosperotest.Names, contents map[string]string) {
	names, contents = make(prosperotest.Names), make(map[string]string)
	for _, size := range []int{10, 3000, 22_000} {
		name := fmt.Sprint("/pros/", size)
		text := bytes.Repeat([]byte(fmt.Sprintf("%d bytes\n", size)), size)[:size]
		names[name], contents[name] = prosperotest.Object{Contents: text}, string(text)
	}
	return names, contents
}

// paths are the objects in the order of repeated fetches.
var paths = []string{"/pros/10", "/pros/3000", "/pros/10", "/pros/3000", "/pros/10", "/pros/10", "/pros/10", "/pros/22000"}

// A memory is a network without sockets, with the clock of its synctest bubble.
type memory struct {
	server *prosperotest.Server
	ports  atomic.Uint32
}

func (m *memory) dial(context.Context, string, string) (net.Conn, error) {
	from := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(m.ports.Add(1)))
	return &memoryConn{memory: m, from: from, in: make(chan []byte, 1024), closed: make(chan struct{})}, nil
}

type memoryConn struct {
	net.Conn
	memory *memory
	from   netip.AddrPort
	in     chan []byte
	until  time.Time
	close  sync.Once
	closed chan struct{}
}

func (c *memoryConn) Read(p []byte) (int, error) {
	select {
	case d := <-c.in:
		return copy(p, d), nil
	default:
	}
	select {
	case d := <-c.in:
		return copy(p, d), nil
	case <-time.After(time.Until(c.until)):
		return 0, os.ErrDeadlineExceeded
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *memoryConn) Write(p []byte) (int, error) {
	c.memory.server.Handle(c.from, p, func(d []byte) { c.in <- bytes.Clone(d) })
	return len(p), nil
}

func (c *memoryConn) SetReadDeadline(t time.Time) error { c.until = t; return nil }
func (c *memoryConn) RemoteAddr() net.Addr {
	return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1525}
}
func (c *memoryConn) Close() error { c.close.Do(func() { close(c.closed) }); return nil }

// On a bad network, with the timers of the protocol, each of five hundred requests is answered
// correctly, or fails in time with the right error. The test is deterministic.
func TestLoss(t *testing.T) {
	for name, p := range losses {
		t.Run(name, func(t *testing.T) {
			outcomes := campaign(t, prosperotest.Loss(1994, p[0], p[1], p[2]))
			right := 0
			for _, o := range outcomes {
				if o == "right" {
					right++
				}
			}
			t.Logf("%d of %d are right", right, len(outcomes))
			if p[0] == 0 && right < len(outcomes) || p[0] < 0.3 && right < len(outcomes)*9/10 {
				t.Errorf("only %d of %d are right", right, len(outcomes))
			}
			if name == "a fifth of each" && !slices.Equal(outcomes, campaign(t, prosperotest.Loss(1994, p[0], p[1], p[2]))) {
				t.Error("the second time it was not the same")
			}
		})
	}
}

// campaign fetches 500 documents and returns their outcomes.
func campaign(t *testing.T, option prosperotest.Option) (outcomes []string) {
	synctest.Test(t, func(t *testing.T) {
		names, contents := lossyNames()
		m := &memory{server: prosperotest.NewHandler(names, option)}
		f := &prospero.Fetcher{Network: &fetchers.Network{Dial: m.dial}}
		for i := range 500 {
			path := paths[i%len(paths)]
			begin := time.Now()
			outcome := "right"
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
			res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, "prospero://h.example/"+path)})
			var body []byte
			if err == nil {
				body, err = io.ReadAll(res.Body)
				res.Close()
			}
			cancel()
			switch {
			case errors.Is(err, fetchers.ErrStalled):
				outcome = "given up"
			case err != nil:
				t.Errorf("%s: %v", path, err)
			case string(body) != contents[path]:
				t.Errorf("%s: %d bytes that are not those of the object", path, len(body))
			}
			if spent := time.Since(begin); spent > 5*time.Minute {
				t.Errorf("%s: it took %v", path, spent)
			}
			outcomes = append(outcomes, outcome)
		}
		m.server.Close()
	})
	return outcomes
}

// The same over UDP, where the result is not deterministic.
func TestLossOnUDP(t *testing.T) {
	names, contents := lossyNames()
	p := losses["a fifth of each"]
	server := prosperotest.NewServer(names, prosperotest.Loss(1994, p[0], p[1], p[2]))
	defer server.Close()
	f := &prospero.Fetcher{Network: &fetchers.Network{Stall: 2 * time.Second}, FirstWait: 5 * time.Millisecond}
	var next, right atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := next.Add(1); i <= 500; i = next.Add(1) {
				path := paths[int(i)%len(paths)]
				_, body, err := get(t, f, server.URL+"/"+path)
				switch {
				case errors.Is(err, fetchers.ErrStalled):
				case err != nil:
					t.Errorf("%s: %v", path, err)
				case body != contents[path]:
					t.Errorf("%s: %d bytes that are not those of the object", path, len(body))
				default:
					right.Add(1)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d of 500 are right", right.Load())
}
