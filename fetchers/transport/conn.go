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

// A Conn is a connection to a server, in clear or in TLS. It obeys the context that it is
// bound to, and the limits of its Network: a Read or Write fails with ErrStalled after
// silence for Stall, and so does a Read between Await and Flow that takes longer than
// Response. The Trace of its context is told of the dial, and its Tap of all octets.
//
// One goroutine may read while others write. Bind, Secure, Conceal and Mask are for when
// nobody does.
type Conn struct {
	raw    *wire.Conn // of base
	base   base       // on raw
	secure *tls.Conn  // on base, or on the TLS of a proxy; nil in clear
	top    net.Conn   // base or secure
	addr   string     // as it was asked for
	data   bool       // it is a data connection
	closed func()     // is told of Close; nil if nobody is

	ctx   context.Context
	trace fetchers.Tracer // of ctx
	tap   *tap            // nil if nobody is told
	heard fetchers.Tracer // whose Tap that is, or would be
	mask  Masker

	answered bool                 // the server has sent something to the fetch that has c
	state    *tls.ConnectionState // of secure, once somebody asked
}

var errNoContext = errors.New("the context is nil")

// Dial connects to addr, a host and port, by the rules of nw, which may be nil. The
// connection is bound to ctx, and awaits an answer. The caller has to close it. A nil ctx is
// an error.
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

// DialData is Dial for a data connection, as in FTP: a connection beside the one with the server
// on which the protocol is spoken. It is opened by the DialData of nw. The connection is not bound
// to ctx, which may be for the dial alone; nil is an error. No Tap of its own is told: see
// [Conn.DataTap] and [WithTap].
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

// DialUDP opens a socket for datagrams to and from addr by the rules of nw, which may be nil, and
// tells the Trace of ctx. The socket obeys neither a context nor the limits of nw: a protocol asks
// again for a datagram that does not come, and so knows how long to wait. The caller has to close
// it. A nil ctx is an error.
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

// Bind makes c obey ctx in place of the context before: when ctx is done the connection is
// closed, and a Read or Write fails with the error of ctx. From now on the Trace of ctx and
// its Tap are told. A Tap is asked for each time that another Trace takes over the
// connection, so that each fetch hears its own exchanges on a kept connection. Bind panics if
// ctx is nil.
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

// Unbind ends the use of c by a fetch: it obeys no context, and no Trace is told. The Tap of
// the fetch still hears how the protocol takes leave, unless another fetch comes first.
func (c *Conn) Unbind() {
	c.raw.Bind(context.Background())
	c.ctx, c.trace, c.answered = context.Background(), fetchers.Tracer{}, false
}

// Trace returns the Trace of the context that c is bound to.
func (c *Conn) Trace() fetchers.Tracer { return c.trace }

// Tapped reports whether somebody is told of the octets of c.
func (c *Conn) Tapped() bool { return c.tap != nil }

// DataTap returns the Tap for a data connection to addr that belongs to c, or nil.
func (c *Conn) DataTap(addr string) *fetchers.Tap {
	if c.tap == nil {
		return nil
	}
	return c.tap.told.Data(addr)
}

// Read reads octets of the server, above TLS. It returns io.EOF if the server has ended the
// connection, in TLS by close_notify only: a cut is io.ErrUnexpectedEOF.
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

// WriteAs sends p, which has a secret in it. The Tap is told shown in its place.
func (c *Conn) WriteAs(p []byte, shown string) (int, error) {
	if c.tap != nil {
		c.tap.told.Sent([]byte(shown))
	}
	return c.top.Write(p)
}

// Conceal keeps the Tap from being told secrets in the lines that come, from now on: some
// servers repeat a password. Without a secret that is not empty, it ends that.
func (c *Conn) Conceal(secrets ...string) {
	if strings.Join(secrets, "") == "" {
		c.Mask(nil)
	} else {
		c.Mask(&repeated{secrets: secrets})
	}
}

// Mask has m keep the secrets of a protocol from Taps, from now on. Without one, or with nil,
// they are told all.
func (c *Conn) Mask(m Masker) {
	c.mask = m
	if c.tap != nil {
		c.tap.flush()
		c.tap.mask = m
	}
}

// Secure goes on in TLS with the settings of config, as [TLSConfig] returns them; a second
// time it is TLS in the TLS of a proxy. What was read ahead into in, which reads from c and may
// be nil, cannot have come in TLS and is dropped. If Secure fails, the connection is of no more
// use. The error is an ErrTLS, or ErrStalled after 30 seconds.
func (c *Conn) Secure(config *tls.Config, in *bufio.Reader) error {
	if in != nil {
		if n := in.Buffered(); n > 0 {
			c.trace.Note(fmt.Sprintf("%d bytes that came before TLS are dropped", n))
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
// that shows.
func (c *Conn) Direct() bool {
	_, direct := c.raw.Conn.(*net.TCPConn)
	return direct
}

// TLS returns the state of TLS, or nil if the connection is in clear. It is the same each time, and
// nobody may change it.
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

// Mark sets the addresses and the TLS of a Resource that came by c. A [Pool] does so itself.
func (c *Conn) Mark(res *fetchers.Resource) {
	res.RemoteAddr, res.LocalAddr, res.TLS = c.RemoteAddr(), c.LocalAddr(), c.TLS()
}

// Ended reports whether a Read has found the end of the connection on the network. The
// close_notify of TLS is not that.
func (c *Conn) Ended() bool { return c.base.ended.Load() }

// Quiet reports whether the server has sent nothing that was not read, not even the end of
// the connection. Where that cannot be seen, it has not.
func (c *Conn) Quiet() bool {
	if !c.raw.Quiet() {
		return false
	}
	return c.secure == nil || c.deciphered() && c.base.records.between()
}

// deciphered reports whether nothing is left of the records that TLS has read.
func (c *Conn) deciphered() bool {
	past := time.Unix(0, 0)
	if c.raw.SetReadDeadline(past) != nil { // a connection without deadlines does not tell
		return false
	}
	_, err := c.ReadUntil(make([]byte, 1), past)
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// ReadUntil is Read, but waits no longer than until deadline. It then fails with
// os.ErrDeadlineExceeded, and the connection is as before, also in TLS.
func (c *Conn) ReadUntil(p []byte, deadline time.Time) (int, error) {
	c.base.until = deadline
	defer func() { c.base.until = time.Time{} }()
	return c.Read(p)
}

// Pending looks at what the server has sent and was not read from the network, as far as p
// holds it. It reports false if the connection has ended.
func (c *Conn) Pending(p []byte) (n int, open bool) { return c.raw.Pending(p) }

// Await begins the wait for an answer: until Flow is called, the whole of it has to come
// within Response of the Network.
func (c *Conn) Await() { c.raw.Await() }

// AwaitFor is Await with a limit that may be shorter than Response.
func (c *Conn) AwaitFor(limit time.Duration) { c.raw.AwaitFor(limit) }

// AwaitList is Await for a list, which may be long: each hundred octets give it another
// second, up to ten times Response.
func (c *Conn) AwaitList() { c.raw.AwaitList() }

// Flow ends the wait for an answer. For a body only Stall holds.
func (c *Conn) Flow() { c.raw.Flow() }

// WaitForEver ends the Stall limit of Read, for a protocol whose requests share the connection.
// Each request then needs a limit of its own. Write keeps the limit.
func (c *Conn) WaitForEver() { c.raw.WaitForEver() }

// HeaderLimit returns the most octets that a header or reply may have: usual, unless the
// Network says otherwise.
func (c *Conn) HeaderLimit(usual int) int { return c.raw.HeaderLimit(usual) }

// Bare reports whether the octets of c are those of the network: they are not in TLS, and
// nobody is told.
func (c *Conn) Bare() bool { return c.secure == nil && c.tap == nil }

// Close closes the connection without a word, also one in TLS: it does not wait.
func (c *Conn) Close() error {
	err := c.raw.Close()
	if c.closed != nil {
		c.closed()
	}
	return err
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.raw.LocalAddr() }

// RemoteAddr returns the address of the server, or of a proxy.
func (c *Conn) RemoteAddr() net.Addr { return c.raw.RemoteAddr() }

// SetDeadline, SetReadDeadline and SetWriteDeadline make a Conn a net.Conn. Each Read and Write
// sets the deadline of its own limit in place of theirs; ReadUntil has a deadline that holds.
func (c *Conn) SetDeadline(t time.Time) error      { return c.raw.SetDeadline(t) }
func (c *Conn) SetReadDeadline(t time.Time) error  { return c.raw.SetReadDeadline(t) }
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.raw.SetWriteDeadline(t) }

// A base is the connection below TLS, which can be read without a wait, and remembers its end.
type base struct {
	wire.Conn
	until time.Time // when a Read fails with os.ErrDeadlineExceeded, after which TLS can go on; zero is as usual
	ended atomic.Bool

	follow  bool // TLS is spoken
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

// records follows the records of TLS as they come, each of which has its length in octets 4 and
// 5 of its header (RFC 8446, section 5.1). TLS keeps the beginning of one that has not come
// whole.
type records struct {
	head int // octets of the header that have come
	left int // octets of the record after its header that are still to come
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

// between reports whether every record that has begun has come whole.
func (r *records) between() bool { return r.head == 0 }
