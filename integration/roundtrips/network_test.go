package roundtrips

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// roundTrip is how long everything takes to the server and back. Nothing else takes any
// time.
const roundTrip = 100 * time.Millisecond

// serverAddr is the address of all servers.
const serverAddr = "192.0.2.1"

// A network connects clients with servers: in memory, or by loopback.
type network interface {
	// listen has a server converse with each client that connects to a port, or to a free
	// one if that is 0. The returned close closes the port.
	listen(port int, converse func(net.Conn)) (actual int, close func())
}

// A memory is a network without sockets, with the time of its bubble.
type memory struct {
	mu      sync.Mutex
	servers map[int]func(net.Conn)
	packets packets // of the server over UDP
	wg      sync.WaitGroup
}

func newMemory() *memory { return &memory{servers: make(map[int]func(net.Conn))} }

func (m *memory) listen(port int, converse func(net.Conn)) (actual int, close func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for actual = port; actual == 0 || port == 0 && m.servers[actual] != nil; {
		actual = max(40000, actual+1)
	}
	m.servers[actual] = converse
	return actual, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.servers, actual)
	}
}

// wait waits until no server converses any more.
func (m *memory) wait() { m.wg.Wait() }

// dial returns a connection after a round trip. The server has it half a round trip later,
// with all that was sent on it meanwhile.
func (m *memory) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if network == "udp" {
		return &datagrams{serve: m.packets, under: &m.wg, in: make(chan []byte, 64), closed: make(chan struct{})}, nil
	}
	to, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, fmt.Errorf("there are no names here: %w", err)
	}
	m.mu.Lock()
	converse := m.servers[int(to.Port())]
	m.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(roundTrip):
	}
	if converse == nil {
		return nil, fmt.Errorf("dial %s: %w", addr, syscall.ECONNREFUSED)
	}
	client, near := net.Pipe()
	server, far := net.Pipe()
	m.wg.Go(func() { carry(far, near) })
	m.wg.Go(func() { carry(near, far) })
	m.wg.Go(func() {
		time.Sleep(roundTrip / 2)
		defer server.Close()
		converse(server)
	})
	return addressed{client, net.TCPAddrFromAddrPort(to)}, nil
}

// carry copies the bytes of one connection to another, half a round trip later.
func carry(to, from net.Conn) {
	type chunk struct {
		due  time.Time
		data []byte
	}
	way := make(chan chunk, 1<<12)
	go func() {
		defer close(way)
		buf := make([]byte, 64<<10)
		for {
			n, err := from.Read(buf)
			way <- chunk{time.Now().Add(roundTrip / 2), append([]byte(nil), buf[:n]...)}
			if err != nil {
				return
			}
		}
	}()
	for c := range way {
		time.Sleep(time.Until(c.due))
		if len(c.data) > 0 {
			to.Write(c.data) // fails if that side is closed
		}
	}
	to.Close()
}

// An addressed is a connection with an address of its peer.
type addressed struct {
	net.Conn
	remote net.Addr
}

func (c addressed) RemoteAddr() net.Addr { return c.remote }
