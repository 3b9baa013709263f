// Package fault provides a proxy between a client and a server that acts as a bad network: it cuts,
// resets and stalls connections, and drips, delays and corrupts their bytes. It knows no protocol,
// so it can stand before any server.
//
//	proxy := fault.NewProxy(server.URL,
//		fault.Delay(50*time.Millisecond),
//		fault.Faults(fault.Fault{After: 1000, Do: fault.Reset, Once: true}),
//	)
//	defer proxy.Close()
//
//	// The client under test fetches proxy.URL + "/file": its first connection is
//	// reset after 1000 octets of the server, and the others are only slow.
//
// With [UDP] it forwards datagrams, some of which it loses, doubles or has overtaken.
//
// Faults by chance depend only on [Seed], the number of the connection, and the earlier bytes or
// datagrams of the same direction: equal conversations have equal faults.
//
// The proxy does not forward connections whose ports are named on another connection, such as the
// data connections of FTP.
package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Proxy is a proxy on a loopback port. Its methods may be called from any
// goroutine, and also after Close.
type Proxy struct {
	URL  string // the target with the proxy's address in its place; "" if the target has no scheme
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	target                   string // host:port
	at                       string // to listen at
	udp                      bool
	seed                     uint64
	faults                   []*fault
	delay                    time.Duration // one way
	rate                     int
	piece                    int
	pause                    time.Duration
	corrupt                  float64
	lose, duplicate, reorder float64

	listener *net.TCPListener // of TCP
	socket   *net.UDPConn     // of UDP
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	connections atomic.Int64
}

// New starts a proxy for a test, which closes it when it ends. It is [NewProxy] otherwise.
func New(t wire.TB, target string, opts ...Option) *Proxy {
	t.Helper()
	p := NewProxy(target, opts...)
	t.Cleanup(p.Close)
	return p
}

// NewProxy starts a proxy for target, which is a URL with a port or "host:port". The
// caller closes the proxy. NewProxy panics if target has no port, or if there is no
// loopback port to listen on.
func NewProxy(target string, opts ...Option) *Proxy {
	before, host, after := split(target)
	if _, port, err := net.SplitHostPort(host); err != nil || port == "" {
		panic(fmt.Sprintf("fault: no host and port in %q", target))
	}
	p := &Proxy{target: host, at: "127.0.0.1:0"}
	for _, opt := range opts {
		opt(p)
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if err := p.listen(); err != nil {
		panic("fault: " + err.Error())
	}
	if before != "" {
		p.URL = before + p.Addr + after
	}
	return p
}

// listen opens the port and forwards its connections or datagrams.
func (p *Proxy) listen() error {
	if p.udp {
		socket, err := net.ListenPacket("udp", p.at)
		if err != nil {
			return err
		}
		p.socket = socket.(*net.UDPConn)
		p.Addr = socket.LocalAddr().String()
		p.wg.Go(p.serveDatagrams)
		return nil
	}
	listener, err := net.Listen("tcp", p.at)
	if err != nil {
		return err
	}
	p.listener = listener.(*net.TCPListener)
	p.Addr = listener.Addr().String()
	p.wg.Go(p.accept)
	return nil
}

// split returns the host and port of a URL, and the text before and after them. A text that is no
// URL is all host.
func split(target string) (before, host, after string) {
	scheme, rest, isURL := strings.Cut(target, "://")
	if !isURL {
		return "", target, ""
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, after = rest[:i], rest[i:]
	}
	at := strings.LastIndex(authority, "@") + 1
	return scheme + "://" + authority[:at], authority[at:], after
}

// Close stops the proxy: it closes every connection and waits until nothing of the
// proxy runs any more. Closing twice is fine.
func (p *Proxy) Close() {
	p.cancel()
	if p.udp {
		p.socket.Close()
	} else {
		p.listener.Close()
	}
	p.wg.Wait()
}

// Connections returns how many connections were accepted. Over UDP it is how many
// addresses datagrams came from.
func (p *Proxy) Connections() int { return int(p.connections.Load()) }

// chance returns the chance of one direction of a connection.
func (p *Proxy) chance(connection int64, upstream bool) *rand.Rand {
	way := uint64(connection) << 1
	if upstream {
		way++
	}
	return rand.New(rand.NewPCG(p.seed, way))
}

// sleep waits for d, and reports false if the proxy was closed meanwhile.
func (p *Proxy) sleep(d time.Duration) bool {
	if d <= 0 {
		return p.ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}
