// Package wire is the socket of a transport.Conn: a connection that obeys a context, and whose
// reads and writes have timeouts.
package wire

import (
	"context"
	"errors"
	"fmt"
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

// A Conn is a connection to a server. A Read or Write fails with ErrStalled if no data is
// transferred for the Network's Stall. So does a Read of a greeting, reply or header that takes
// longer than the Network's Response: see Await. The Pace of the context applies as well.
type Conn struct {
	net.Conn
	nw      *fetchers.Network
	raw     syscall.RawConn // socket of Conn, or nil if it has none
	stall   time.Duration
	forever bool // Read has no timeout: see WaitForEver
	peek    peek // of Pending
	lent    lent // state of Lend

	most  time.Duration // limit for the whole answer
	until time.Time     // deadline of the answer; zero if none is awaited
	last  time.Time     // latest time to which until may move; zero if it does not move
	heard bool          // the first bytes of the answer have arrived

	writing sync.Mutex // else the end of one Write would clear the deadline of another

	mu      sync.Mutex
	ctx     context.Context // of Bind
	pace    *fetchers.Pace  // of ctx
	hangUp  func()          // closes Conn; allocated once
	release func() bool
}

// Dial connects c, a zero Conn, to addr through nw, and reports to the Trace of ctx. The connection
// is not bound to ctx. It waits for an answer: the greeting, or the TLS handshake.
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

// DialUDP is Dial for datagrams to and from addr. It returns a socket without timeouts: a protocol
// that repeats lost datagrams sets its own.
func DialUDP(ctx context.Context, nw *fetchers.Network, addr string) (net.Conn, error) {
	return dial(ctx, nw.DialContext, "udp", addr)
}

// A dialFunc is a method of a Network that opens connections.
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
		case ctx.Err() != nil: // a Dial that was cancelled may report another cause
			return nil, ctx.Err()
		case late: // the timeout of the Network
			return nil, fetchers.Temporary(fmt.Errorf("%w: no connection: %v", fetchers.ErrStalled, err))
		}
		return nil, mayPass(err)
	}
	trace.ConnectDone(network, addr, c, nil)
	return c, nil
}

// resolving returns a context that makes a net.Dialer report its DNS lookups to trace.
func resolving(ctx context.Context, trace fetchers.Tracer) context.Context {
	if !trace.Resolves() {
		return ctx
	}
	var host atomic.Value // a Dial of the caller may look up several names at once
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

// over returns ctx.Err, or DeadlineExceeded if the deadline has passed but ctx has not noticed yet:
// a socket with the same deadline may fail first.
func over(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && ctx.Err() == nil && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// Bind makes c obey ctx in place of an earlier context: when ctx is done the connection is closed,
// and pending operations fail with the error of ctx.
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

// Quiet reports whether the server has sent nothing unread, not even the end of the connection. It
// returns true if that cannot be determined.
func (c *Conn) Quiet() bool {
	n, open := c.Pending(c.peek.octet[:])
	return open && n == 0 && len(c.lent.rest) == 0
}

// Close closes the connection, and releases its context.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.release != nil {
		c.release()
	}
	c.mu.Unlock()
	return c.Conn.Close()
}

// lent is the state after a Lend.
type lent struct {
	rest   []byte // bytes that use did not move
	failed error  // error that ended the connection
}

// Read reads bytes from the server, within the timeouts.
func (c *Conn) Read(p []byte) (int, error) { return c.readUntil(p, time.Time{}) }

// await sets the deadline of a read.
func (c *Conn) await() {
	if c.stall > 0 && !c.forever {
		c.Conn.SetReadDeadline(time.Now().Add(c.stall))
	}
}

// awaited clears it. A deadline is pending only while it is needed: while any timer is pending, a
// thread of the runtime waits in poll, and every arrival of data wakes it.
func (c *Conn) awaited() {
	if c.stall > 0 && !c.forever {
		c.Conn.SetReadDeadline(time.Time{})
	}
}

// read reads the bytes that a Lend did not move, and then from the connection.
func (c *Conn) read(p []byte) (int, error) {
	switch {
	case len(c.lent.rest) > 0:
		n := copy(p, c.lent.rest)
		if c.lent.rest = c.lent.rest[n:]; len(c.lent.rest) == 0 {
			c.lent.rest = nil // frees the memory
		}
		return n, nil
	case c.lent.failed != nil:
		return 0, c.lent.failed
	}
	return c.Conn.Read(p)
}

// ReadUntil is Read with a deadline. After the deadline it fails with os.ErrDeadlineExceeded, and
// the connection remains usable.
func (c *Conn) ReadUntil(p []byte, deadline time.Time) (int, error) { return c.readUntil(p, deadline) }

// Write sends p within the stall limit. It also restarts the timeout of a pending Read, which waits
// for the answer.
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

// explain replaces an error that c itself has caused by its reason.
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

// bound returns the context that c obeys.
func (c *Conn) bound() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ctx
}

// mayPass marks a network failure to connect as temporary. Other failures are due to a rule of this
// process or of a proxy, or to a name that does not exist.
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
