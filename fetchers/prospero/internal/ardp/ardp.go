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

// A Client sends requests. Its zero value is ready to use, and its fields must not
// change in use.
type Client struct {
	// Network is how servers are reached.
	Network *fetchers.Network

	// First is how long to wait for an answer before the request is sent
	// again; the waits after it double. If 0, it is the 4 seconds of the
	// programs of the time.
	First time.Duration
}

// maxDatagram is the most that UDP carries.
const maxDatagram = 65535

// Send sends a message to addr as a request, and returns the reply without waiting for
// it. The context governs the Reply until that is closed. A reply of more than maxPackets
// packets is an error; 0 is as many as ARDP can count, which is 65535. The Response of
// the Network limits the whole reply, or if maxPackets is 0, its first packet. Each 100
// octets of the reply give another second, and the limit begins anew when the server asks
// for time.
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
		patience: patience{first: first, base: first, stall: c.Network.StallLimit(), limit: c.Network.ResponseLimit(), began: time.Now()},
		buffer:   make([]byte, maxDatagram),
	}
	r.mu.Lock()
	r.release = context.AfterFunc(ctx, func() { r.leave(true) })
	r.mu.Unlock()
	r.patience.renew()
	if err := r.ask(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// A RedirectError says that a server wants the request to be sent to another
// machine, which is for the caller to judge.
type RedirectError struct{ To netip.AddrPort }

func (e *RedirectError) Error() string { return "redirected to " + e.To.String() }

// privileged is the port below 1024 that servers of Prospero have.
const privileged = 191

// maxRedirects is how often a request may be sent to another port.
const maxRedirects = 3

// redirect sends the request to where the server wants it, if that is another port
// of the same machine.
func (r *Reply) redirect(to netip.AddrPort) error {
	here := peer(r.conn)
	switch {
	case to == here:
		return nil // a late copy of the one that led here
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
	r.patience.renew()
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
