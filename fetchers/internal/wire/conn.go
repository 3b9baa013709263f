// Package wire is the socket of a transport.Conn: a connection that obeys a context, does not
// wait for ever and does not read for ever.
package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http/httptrace"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Conn is a connection to a server. A Read or Write fails with ErrStalled after silence
// for the Network's Stall. So does a Read of a greeting, reply or header that takes
// longer than the Network's Response: see Await. The Pace of the context holds as well.
type Conn struct {
	net.Conn
	nw      *fetchers.Network
	raw     syscall.RawConn // the socket of Conn, or nil if that has none
	stall   time.Duration
	forever bool // Read has no limit: see WaitForEver
	peek    peek // of Pending
	lent    lent // to whoever takes what comes from a pipe

	most  time.Duration // within which the answer has to be whole
	until time.Time     // when that is over; zero if none is awaited
	last  time.Time     // the latest time to which until may move; zero if it does not move
	heard bool          // a part of the answer has come

	writing sync.Mutex // or the end of one Write would end the limit of another

	mu      sync.Mutex
	ctx     context.Context // what Bind was last given
	pace    *fetchers.Pace  // of ctx
	hangUp  func()          // closes Conn; made once
	release func() bool
	closed  bool
	held    io.Closer // has what Lend has left; nil if there is nothing
}

// Dial connects c, a zero Conn, to addr through nw, and tells the Trace of ctx. The connection
// outlives ctx unless it is bound to it. It awaits an answer: the greeting, or the TLS handshake.
func (c *Conn) Dial(ctx context.Context, nw *fetchers.Network, addr string) error {
	return c.connect(ctx, nw, nw.DialContext, addr)
}

// DialData is Dial for a data connection, such as one of FTP.
func (c *Conn) DialData(ctx context.Context, nw *fetchers.Network, addr string) error {
	return c.connect(ctx, nw, nw.DialDataContext, addr)
}

func (c *Conn) connect(ctx context.Context, nw *fetchers.Network, open dialFunc, addr string) (err error) {
	if c.Conn, err = dial(ctx, open, "tcp", addr); err != nil {
		return err
	}
	c.nw, c.stall, c.ctx = nw, nw.StallLimit(), context.Background()
	c.hangUp = func() { c.Conn.Close() }
	c.Await()
	if socket, ok := c.Conn.(syscall.Conn); ok {
		if c.raw, err = socket.SyscallConn(); err != nil {
			c.Conn.Close()
		}
	}
	return err
}

// DialUDP is Dial for datagrams to and from addr. It returns a bare socket: that a
// datagram does not come may mean that it is to be asked for again, so how long to
// wait for which is for the protocol to know.
func DialUDP(ctx context.Context, nw *fetchers.Network, addr string) (net.Conn, error) {
	return dial(ctx, nw.DialContext, "udp", addr)
}

// A dialFunc is one of the methods by which a Network opens connections.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

func dial(ctx context.Context, open dialFunc, network, addr string) (net.Conn, error) {
	trace := fetchers.ContextTrace(ctx)
	trace.ConnectStart(network, addr)
	c, err := open(resolving(ctx, trace), network, addr)
	if err != nil {
		trace.ConnectDone(network, addr, nil, err)
		switch late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded); {
		case late && over(ctx) != nil:
			return nil, over(ctx)
		case ctx.Err() != nil: // which may have cost us the connection that this one is for
			return nil, ctx.Err()
		case late: // it is the Network's limit
			return nil, fetchers.Temporary(fmt.Errorf("%w: no connection: %v", fetchers.ErrStalled, err))
		}
		return nil, mayPass(err)
	}
	trace.ConnectDone(network, addr, c, nil)
	return c, nil
}

// resolving returns a context with which a net.Dialer tells trace of its questions for addresses.
func resolving(ctx context.Context, trace fetchers.Tracer) context.Context {
	if !trace.Resolves() {
		return ctx
	}
	var host atomic.Value // a Dial of the caller may resolve several names at once
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(asked httptrace.DNSStartInfo) {
			host.Store(asked.Host)
			trace.DNSStart(asked.Host)
		},
		DNSDone: func(told httptrace.DNSDoneInfo) {
			var addrs []netip.Addr
			for _, a := range told.Addrs {
				if addr, ok := netip.AddrFromSlice(a.IP); ok {
					addrs = append(addrs, addr.Unmap().WithZone(a.Zone))
				}
			}
			name, _ := host.Load().(string)
			trace.DNSDone(name, addrs, told.Err)
		},
	})
}

// over is ctx.Err, also when ctx has not yet noticed that its time is over: a socket
// with the same deadline may be first.
func over(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && ctx.Err() == nil && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// Bind makes c obey ctx in place of the context it was bound to before: when
// ctx is done the connection is closed and what waits on it fails with the
// context's error.
func (c *Conn) Bind(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.release != nil {
		c.release()
	}
	c.ctx, c.pace, c.release = ctx, fetchers.ContextPace(ctx), nil
	if ctx.Done() != nil {
		c.release = context.AfterFunc(ctx, c.hangUp)
	}
}

// Quiet reports whether the server has sent nothing that was not read, not even the
// end of the connection. Where that cannot be seen, it has not.
func (c *Conn) Quiet() bool {
	n, open := c.Pending(c.peek.octet[:])
	return open && n == 0 && c.lent.rest.N == 0
}

// Close closes the connection and lets go of its context, and of what Lend has left.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.release != nil {
		c.release()
	}
	c.closed = true
	if c.held != nil {
		c.held.Close()
	}
	c.mu.Unlock()
	return c.Conn.Close()
}

// hold has Close close what is held too.
func (c *Conn) hold(held io.Closer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		held.Close()
	}
	c.held = held
}

// lent is how things stand after a Lend.
type lent struct {
	rest   io.LimitedReader // what was not taken
	failed error            // why nothing more comes
}

// Read reads octets of the server, and waits for them no longer than the limits allow.
func (c *Conn) Read(p []byte) (int, error) { return c.readUntil(p, time.Time{}) }

// await begins the wait for what comes.
func (c *Conn) await() {
	if c.stall > 0 && !c.forever {
		c.Conn.SetReadDeadline(time.Now().Add(c.stall))
	}
}

// awaited ends it. A deadline is kept no longer than it is needed: while any timer is
// pending, the runtime has a thread wait in poll, which all that comes wakes up.
func (c *Conn) awaited() {
	if c.stall > 0 && !c.forever {
		c.Conn.SetReadDeadline(time.Time{})
	}
}

// read reads what Lend has left, and then what comes.
func (c *Conn) read(p []byte) (int, error) {
	switch {
	case c.lent.rest.N > 0:
		return c.lent.rest.Read(p)
	case c.lent.failed != nil:
		return 0, c.lent.failed
	}
	return c.Conn.Read(p)
}

// ReadUntil is Read, but waits no longer than until deadline. It then fails with
// os.ErrDeadlineExceeded, and the connection is as before.
func (c *Conn) ReadUntil(p []byte, deadline time.Time) (int, error) { return c.readUntil(p, deadline) }

// Write sends p, waiting for the server to take it no longer than the stall limit.
// That also begins the wait of a Read that is already there for the answer.
func (c *Conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	switch end := time.Now().Add(c.stall); {
	case c.stall > 0 && c.forever:
		c.Conn.SetWriteDeadline(end)
	case c.stall > 0:
		c.Conn.SetDeadline(end)
	}
	n, err := c.Conn.Write(p)
	if c.stall > 0 {
		c.Conn.SetWriteDeadline(time.Time{})
	}
	return n, c.explain(err)
}

// explain gives the reason for an error where c itself is that reason.
func (c *Conn) explain(err error) error {
	if err == nil {
		return nil
	}
	ctx := c.bound()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return c.silent()
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ECONNABORTED), errors.Is(err, syscall.EPIPE):
		return fetchers.Temporary(err)
	}
	return err
}

// bound is the context that c obeys.
func (c *Conn) bound() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ctx
}

// mayPass marks a failure to connect as temporary, if it is one of the network.
// Others are by our own rule or by a proxy's, or a name that does not exist.
func mayPass(err error) error {
	var (
		dns   *net.DNSError
		errno syscall.Errno
	)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fetchers.ErrBlocked):
	case errors.As(err, &dns):
		if dns.IsTemporary || dns.IsTimeout {
			return fetchers.Temporary(err)
		}
	case errors.As(err, &errno):
		return fetchers.Temporary(err)
	}
	return err
}
