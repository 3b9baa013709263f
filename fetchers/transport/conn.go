package transport

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// A Conn is a connection to a server, with or without TLS. It obeys the context that it is bound
// to, and the limits of its Network: a Read or Write fails with ErrStalled if no data is
// transferred for Stall, and a Read between Await and Flow if it takes longer than Response. The
// dial is reported to the Trace of its context, and all bytes to its Tap.
//
// One goroutine may read while others write. Bind, Secure, Conceal and Mask must not be called
// meanwhile.
type Conn struct {
	raw    *wire.Conn // of base
	base   base       // on raw
	secure *tls.Conn  // on base, or on the TLS of a proxy; nil without TLS
	top    net.Conn   // base or secure
	addr   string     // as it was passed to Dial
	data   bool       // whether it is a data connection
	closed func()     // called by Close; may be nil

	ctx   context.Context
	trace fetchers.Tracer // of ctx
	tap   *tap            // may be nil
	heard fetchers.Tracer // the Trace to which tap belongs
	mask  Masker

	answered bool                 // the server has sent data to the current fetch
	state    *tls.ConnectionState // state of secure, after the first request for it
}

var errNoContext = errors.New("the context is nil")

// Dial connects to addr, a host and port, by the rules of nw, which may be nil. The connection is
// bound to ctx, and waits for an answer as after Await. The caller must close it. A nil ctx is an
// error.
func Dial(ctx context.Context, nw *fetchers.Network, addr string) (*Conn, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	c := newConn(addr)
	if err := c.raw.Dial(ctx, nw, addr); err != nil {
		return nil, err
	}
	c.Bind(ctx)
	return c, nil
}

// DialData is Dial for a data connection, as in FTP: a second connection to the server, without the
// commands of the protocol. DialData of nw opens it. The connection is not bound to ctx, which may
// be for the dial only; a nil ctx is an error. It has no Tap: see [Conn.DataTap] and [WithTap].
func DialData(ctx context.Context, nw *fetchers.Network, addr string) (*Conn, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	c := newConn(addr)
	if err := c.raw.DialData(ctx, nw, addr); err != nil {
		return nil, err
	}
	c.data = true
	c.Unbind()
	return c, nil
}

// DialUDP opens a UDP socket to addr by the rules of nw, which may be nil, and reports it to the
// Trace of ctx. The socket obeys neither a context nor the limits of nw: a protocol that repeats
// lost datagrams sets its own timeouts. The caller must close it. A nil ctx is an error.
func DialUDP(ctx context.Context, nw *fetchers.Network, addr string) (net.Conn, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	return wire.DialUDP(ctx, nw, addr)
}

func newConn(addr string) *Conn {
	c := &Conn{addr: addr}
	c.raw, c.top = &c.base.Conn, &c.base
	return c
}

// Bind makes c obey ctx in place of an earlier context: when ctx is done the connection is closed,
// and a Read or Write fails with the error of ctx. From now on c reports to the Trace of ctx and
// its Tap. Each Trace that takes over the connection is asked for a Tap, so that each fetch sees
// its own exchanges on a kept connection. Bind panics if ctx is nil.
func (c *Conn) Bind(ctx context.Context) {
	if ctx == nil {
		panic("transport: Bind to a nil context")
	}
	c.raw.Bind(ctx)
	c.ctx, c.trace = ctx, fetchers.ContextTrace(ctx)
	if c.trace.Is(c.heard) {
		return
	}
	if c.tap != nil {
		c.tap.flush()
	}
	c.tap, c.heard = nil, c.trace
	if c.trace.Tapped() && !c.data {
		c.tap = newTap(c.trace.Tap("tcp", c.addr), c.mask)
	}
}

// Unbind ends the use of c by a fetch: c obeys no context and reports to no Trace. The Tap of the
// fetch still receives the end of the session, unless another fetch takes over the connection
// first.
func (c *Conn) Unbind() {
	c.raw.Bind(context.Background())
	c.ctx, c.trace, c.answered = context.Background(), fetchers.Tracer{}, false
}

// Trace returns the Trace of the context that c is bound to.
func (c *Conn) Trace() fetchers.Tracer { return c.trace }

// Tapped reports whether c has a Tap.
func (c *Conn) Tapped() bool { return c.tap != nil }

// DataTap returns the Tap for a data connection to addr that belongs to c, or nil.
func (c *Conn) DataTap(addr string) *fetchers.Tap {
	if c.tap == nil {
		return nil
	}
	return c.tap.out.Data(addr)
}

// Read reads bytes from the server, above TLS. It returns io.EOF if the server has ended the
// connection, in TLS only after close_notify: any other end is io.ErrUnexpectedEOF.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.top.Read(p)
	if n > 0 && !c.answered && !c.data {
		c.answered = true
		c.trace.GotFirstResponseByte()
	}
	if c.tap != nil {
		c.tap.read(p[:n], err)
	}
	return n, err
}

// Write sends p.
func (c *Conn) Write(p []byte) (int, error) {
	if c.tap != nil {
		c.tap.sent(p)
	}
	return c.top.Write(p)
}

// WriteAs sends p, which contains a secret. The Tap receives shown instead.
func (c *Conn) WriteAs(p []byte, shown string) (int, error) {
	if c.tap != nil {
		c.tap.out.Sent([]byte(shown))
	}
	return c.top.Write(p)
}

// Conceal hides secrets from the Tap in received lines, from now on: some servers repeat a
// password. Without a non-empty secret it ends this.
func (c *Conn) Conceal(secrets ...string) {
	if strings.Join(secrets, "") == "" {
		c.Mask(nil)
	} else {
		c.Mask(&repeated{secrets: secrets})
	}
}

// Mask makes m hide the secrets of a protocol from Taps, from now on. If m is nil, Taps receive all
// bytes.
func (c *Conn) Mask(m Masker) {
	c.mask = m
	if c.tap != nil {
		c.tap.flush()
		c.tap.mask = m
	}
}

// Secure starts TLS with config, as [TLSConfig] returns it; a second call starts TLS within the TLS
// of a proxy. Bytes buffered in in, which reads from c and may be nil, were not sent in TLS and are
// dropped. If Secure fails, the connection cannot be used any more. The error is an ErrTLS, or
// ErrStalled after 30 seconds.
func (c *Conn) Secure(config *tls.Config, in *bufio.Reader) error {
	if in != nil {
		if n := in.Buffered(); n > 0 {
			c.trace.Note(fmt.Sprintf("%d bytes received before TLS are dropped", n))
		}
		in.Reset(c)
	}
	below := net.Conn(&c.base)
	if c.secure != nil {
		below = c.secure
	}
	c.secure = TLSClient(below, config)
	c.top, c.base.follow, c.state = c.secure, true, nil
	return Handshake(c.ctx, c.secure)
}

// Direct reports whether the peer is at the other end of a TCP connection, and not behind a proxy
// that this process uses.
func (c *Conn) Direct() bool {
	_, direct := c.raw.Conn.(*net.TCPConn)
	return direct
}

// TLS returns the state of TLS, or nil without TLS. It is the same pointer each time, and must not
// be changed.
func (c *Conn) TLS() *tls.ConnectionState {
	if c.secure == nil {
		return nil
	}
	if c.state == nil {
		state := c.secure.ConnectionState()
		c.state = &state
	}
	return c.state
}

// Mark sets the addresses and TLS of a Resource that came over c. A [Pool] does so itself.
func (c *Conn) Mark(res *fetchers.Resource) {
	res.RemoteAddr, res.LocalAddr, res.TLS = c.RemoteAddr(), c.LocalAddr(), c.TLS()
}

// Ended reports whether a Read has met the end of the network connection. The close_notify of TLS
// does not count.
func (c *Conn) Ended() bool { return c.base.ended.Load() }

// Quiet reports whether the server has sent nothing unread, not even the end of the connection. It
// returns true if that cannot be determined.
func (c *Conn) Quiet() bool {
	if !c.raw.Quiet() {
		return false
	}
	return c.secure == nil || c.deciphered() && c.base.records.between()
}

// deciphered reports whether TLS holds no decrypted data.
func (c *Conn) deciphered() bool {
	past := time.Unix(0, 0)
	if c.raw.SetReadDeadline(past) != nil { // a connection without deadlines cannot be tested
		return false
	}
	_, err := c.ReadUntil(make([]byte, 1), past)
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// ReadUntil is Read with a deadline. After the deadline it fails with os.ErrDeadlineExceeded, and
// the connection remains usable, also with TLS.
func (c *Conn) ReadUntil(p []byte, deadline time.Time) (int, error) {
	c.base.until = deadline
	defer func() { c.base.until = time.Time{} }()
	return c.Read(p)
}

// Pending copies unread bytes from the network to p without consuming them. It returns false if the
// connection has ended.
func (c *Conn) Pending(p []byte) (n int, open bool) { return c.raw.Pending(p) }

// Await starts the wait for an answer: until Flow is called, the whole answer must arrive within
// Response of the Network.
func (c *Conn) Await() { c.raw.Await() }

// AwaitFor is Await with a limit that may be shorter than Response.
func (c *Conn) AwaitFor(limit time.Duration) { c.raw.AwaitFor(limit) }

// AwaitList is Await for a list, which may be long: each hundred bytes extend the limit by a
// second, up to ten times Response.
func (c *Conn) AwaitList() { c.raw.AwaitList() }

// Flow ends the wait for an answer. For a body only Stall applies.
func (c *Conn) Flow() { c.raw.Flow() }

// WaitForEver disables the Stall limit of Read, for a protocol whose requests share the connection.
// Each request then needs its own timeout. Write keeps the limit.
func (c *Conn) WaitForEver() { c.raw.WaitForEver() }

// HeaderLimit returns the maximum size of a header or reply, in bytes: usual, unless the Network
// sets another.
func (c *Conn) HeaderLimit(usual int) int { return c.raw.HeaderLimit(usual) }

// Bare reports whether the bytes of c are those of the network: there is neither TLS nor a Tap.
func (c *Conn) Bare() bool { return c.secure == nil && c.tap == nil }

// Close closes the connection at once, without the close_notify of TLS.
func (c *Conn) Close() error {
	err := c.raw.Close()
	if c.closed != nil {
		c.closed()
	}
	return err
}

// LocalAddr returns the local address.
func (c *Conn) LocalAddr() net.Addr { return c.raw.LocalAddr() }

// RemoteAddr returns the address of the server, or of a proxy.
func (c *Conn) RemoteAddr() net.Addr { return c.raw.RemoteAddr() }

// SetDeadline, SetReadDeadline and SetWriteDeadline implement net.Conn. Each Read and Write
// replaces their deadline by that of its own limit; the deadline of ReadUntil is kept.
func (c *Conn) SetDeadline(t time.Time) error      { return c.raw.SetDeadline(t) }
func (c *Conn) SetReadDeadline(t time.Time) error  { return c.raw.SetReadDeadline(t) }
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.raw.SetWriteDeadline(t) }

// A base is the connection below TLS. It supports reads without waiting, and records the end.
type base struct {
	wire.Conn
	until time.Time // deadline after which a Read fails with os.ErrDeadlineExceeded, and TLS remains usable; zero means none
	ended atomic.Bool

	follow  bool // TLS has started
	records records
}

func (b *base) Read(p []byte) (n int, err error) {
	if b.until.IsZero() {
		n, err = b.Conn.Read(p)
	} else {
		n, err = b.Conn.ReadUntil(p, b.until)
	}
	if b.follow {
		b.records.take(p[:n])
	}
	if err == io.EOF {
		b.ended.Store(true)
	}
	return n, err
}

// records tracks the boundaries of TLS records. Bytes 4 and 5 of a record's header are its length
// (RFC 8446, section 5.1). crypto/tls buffers the beginning of an incomplete record.
type records struct {
	head int // bytes of the header so far
	left int // remaining bytes of the record after its header
}

const recordHead = 5

func (r *records) take(p []byte) {
	for len(p) > 0 {
		if r.head < recordHead {
			switch r.head {
			case 3:
				r.left = int(p[0]) << 8
			case 4:
				r.left |= int(p[0])
			}
			r.head++
			p = p[1:]
		} else {
			n := min(r.left, len(p))
			r.left -= n
			p = p[n:]
		}
		if r.head == recordHead && r.left == 0 {
			r.head = 0
		}
	}
}

// between reports whether no record is incomplete.
func (r *records) between() bool { return r.head == 0 }
