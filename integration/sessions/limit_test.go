package sessions

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
	"github.com/seed1ea3422f/fetch/url"
)

// A meter counts the connections that a client opens, but not those of FTP for data.
type meter struct {
	mu                sync.Mutex
	open, peak, total int
}

// network returns a Network whose connections m counts.
func (m *meter) network() *fetchers.Network {
	var d net.Dialer
	return &fetchers.Network{DialData: d.DialContext, Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.open++
		m.total++
		m.peak = max(m.peak, m.open)
		return &metered{TCPConn: c.(*net.TCPConn), meter: m}, nil
	}}
}

// A metered connection tells its meter of its end.
type metered struct {
	*net.TCPConn
	meter *meter
	once  sync.Once
}

func (c *metered) Close() error {
	c.once.Do(func() {
		c.meter.mu.Lock()
		defer c.meter.mu.Unlock()
		c.meter.open--
	})
	return c.TCPConn.Close()
}

// A Network limits the connections of each protocol to a host, and the number of kept connections.
func TestConnectionLimits(t *testing.T) {
	const workers, each = 20, 5
	for name, test := range map[string]struct {
		set         func(*fetchers.Network)
		peak, total int // 0 is any number; a protocol without sessions has any total
	}{
		"MaxConnsPerHost of 3": {func(nw *fetchers.Network) { nw.MaxConnsPerHost = 3 }, 3, 3},
		"MaxConnsPerHost of 1": {func(nw *fetchers.Network) { nw.MaxConnsPerHost = 1 }, 1, 1},
		// The first session of FTP cannot come back from its directory.
		"MaxIdleConnsPerHost of 20":   {func(nw *fetchers.Network) { nw.MaxIdleConnsPerHost = workers }, 0, workers + 1},
		"MaxIdleConnsPerHost of none": {func(nw *fetchers.Network) { nw.MaxIdleConnsPerHost = -1 }, 0, 0},
		"MaxIdleConns of none":        {func(nw *fetchers.Network) { nw.MaxIdleConns = -1 }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range protocols {
				t.Run(p.name, func(t *testing.T) {
					h, f, m := limited(t, p, test.set)
					var all sync.WaitGroup
					for worker := range workers {
						all.Go(func() {
							for n := range each {
								name := fmt.Sprintf("d%d-%d", worker, n)
								if got, err := h.fetch(t.Context(), f, name); err != nil || got != p.want(name) {
									t.Errorf("%s: %q, %v", name, got, err)
								}
							}
						})
					}
					all.Wait()
					if test.peak > 0 && m.peak > test.peak {
						t.Errorf("%d connections at once, want no more than %d", m.peak, test.peak)
					}
					if test.total > 0 && !p.once && m.total > test.total {
						t.Errorf("%d connections, want no more than %d", m.total, test.total)
					}
					if p.shared && !keepsNone(test.set) && m.peak > 1 {
						t.Errorf("%d connections of HTTP/2", m.peak)
					}
					if keepsNone(test.set) && !p.shared && m.open != 0 {
						t.Errorf("%d connections are idle", m.open)
					}
					closeIdle(f)
					if m.open != 0 {
						t.Errorf("%d connections are left", m.open)
					}
				})
			}
		})
	}
}

// keepsNone reports whether a Network that set has changed keeps no idle connection.
func keepsNone(set func(*fetchers.Network)) bool {
	nw := new(fetchers.Network)
	set(nw)
	return nw.IdleConnLimit() == 0 || nw.IdleConnPerHostLimit(1) == 0
}

// limited returns a host that serves p, its client with a Network that set has changed, and
// the meter of that.
func limited(t *testing.T, p *protocol, set func(*fetchers.Network)) (*host, fetchers.Fetcher, *meter) {
	h := newHost(p, func(*visit, string) fault { return sound })
	h.crowded = true // so that requests are not recorded
	h.start()
	t.Cleanup(h.Close)
	_, c := certificate.Loopback()
	m := new(meter)
	nw := m.network()
	set(nw)
	return h, p.client(nw, &tls.Config{RootCAs: certificate.Pool(c)}), m
}

// A Body that is open holds its connection, and a fetch that waits for that obeys its context.
func TestConnectionLimitOfOpenBody(t *testing.T) {
	for _, p := range protocols {
		if p.shared {
			continue // the requests have one connection
		}
		t.Run(p.name, func(t *testing.T) {
			h, f, m := limited(t, p, func(nw *fetchers.Network) { nw.MaxConnsPerHost = 1 })
			u, err := url.Parse(h.scheme + "://" + h.Addr + h.path("d"))
			if err != nil {
				t.Fatal(err)
			}
			held, err := f.Fetch(t.Context(), &fetchers.Request{URL: u})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			waits := make(chan error)
			go func() {
				_, err := h.fetch(ctx, f, "d")
				waits <- err
			}()
			cancel()
			if err := <-waits; !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want the end of the context", err)
			}
			go func() {
				got, err := h.fetch(t.Context(), f, "d")
				if err == nil && got != p.want("d") {
					err = fmt.Errorf("got %q", got)
				}
				waits <- err
			}()
			held.Close()
			if err := <-waits; err != nil {
				t.Error(err)
			}
			if m.peak != 1 {
				t.Errorf("%d connections at once", m.peak)
			}
			closeIdle(f)
		})
	}
}
