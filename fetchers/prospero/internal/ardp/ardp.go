package ardp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A Client sends requests. The zero value is ready to use. Its fields must not change in use.
type Client struct {
	// Network connects to servers.
	Network *fetchers.Network

	// First is the time without an answer after which a request is repeated; it doubles with each
	// repetition. 0 means 4 seconds, as in the programs of that time.
	First time.Duration
}

// maxDatagram is the maximum size of a UDP datagram.
const maxDatagram = 65535

// Send sends a message to addr as a request, and returns the reply without waiting for it. The
// context governs the Reply until it is closed. A reply of more than maxPackets packets is an
// error; 0 means the maximum of ARDP, 65535. Response of the Network limits the whole reply, or if
// maxPackets is 0, its first packet. Each 100 bytes of the reply extend the limit by a second, and
// it restarts when the server asks for time.
func (c *Client) Send(ctx context.Context, addr string, message []byte, maxPackets int) (*Reply, error) {
	id := uint16(1 + rand.N(0xFFFF)) // never 0, and hard to guess
	packets, err := pack(id, message)
	if err != nil {
		return nil, err
	}
	conn, err := transport.DialUDP(ctx, c.Network, addr)
	if err != nil {
		return nil, err
	}
	first := c.First
	if first <= 0 {
		first = 4 * time.Second
	}
	r := &Reply{
		ctx: ctx, trace: fetchers.ContextTrace(ctx), network: c.Network,
		id: id, packets: packets, conn: conn, assembly: assembly{limit: maxPackets},
		timer:  retryTimer{first: first, base: first, stall: c.Network.StallLimit(), limit: c.Network.ResponseLimit(), began: time.Now()},
		buffer: make([]byte, maxDatagram),
	}
	r.mu.Lock()
	r.release = context.AfterFunc(ctx, func() { r.leave(true) })
	r.mu.Unlock()
	r.timer.renew()
	if err := r.ask(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// A RedirectError means that a server redirects the request to another machine. The caller decides
// whether to follow it.
type RedirectError struct{ To netip.AddrPort }

func (e *RedirectError) Error() string { return "redirected to " + e.To.String() }

// privileged is the port below 1024 of Prospero servers.
const privileged = 191

// maxRedirects limits redirections to another port.
const maxRedirects = 3

// redirect repeats the request to the redirected address, if that is another port of the same
// machine.
func (r *Reply) redirect(to netip.AddrPort) error {
	here := peer(r.conn)
	switch {
	case to == here:
		return nil // a late copy of an earlier redirection
	case r.assembly.highest > 0:
		return nonsense("redirected to %v in the middle of a reply", to)
	case to.Port() == 0, to.Addr().IsMulticast(), to.Addr().IsUnspecified(), to.Addr() == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return fmt.Errorf("%w: redirected to %v", fetchers.ErrBlocked, to)
	case to.Addr() != here.Addr():
		return &RedirectError{To: to}
	case to.Port() < 1024 && to.Port() != privileged:
		return fmt.Errorf("%w: redirected to port %d, which belongs to another service", fetchers.ErrBlocked, to.Port())
	case r.redirects == maxRedirects:
		return nonsense("more than %d redirections", maxRedirects)
	}
	r.redirects++
	r.trace.Note("the server wants the request at port " + fmt.Sprint(to.Port()))
	conn, err := transport.DialUDP(r.ctx, r.network, to.String())
	if err != nil {
		return err
	}
	if err := r.use(conn, false); err != nil {
		return err
	}
	r.timer.renew()
	return r.ask()
}

// peer returns the address of the other end, if it is known.
func peer(c net.Conn) netip.AddrPort {
	addr, _ := c.RemoteAddr().(*net.UDPAddr)
	if addr == nil {
		return netip.AddrPort{}
	}
	to := addr.AddrPort()
	return netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
}
