package wire

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

// maxLine is how much of a wrong line is read in order to show it.
const maxLine = 64 << 10

// errOther means that the client has sent other bytes.
var errOther = errors.New("something else")

// A conn is a control connection with its data connection. One goroutine at a
// time uses it.
type conn struct {
	net.Conn // socket, or TLS on it
	socket   *net.TCPConn
	buf      []byte // read, but not yet looked at
	err      error  // why nothing more can be read
	last     int    // the line of the last step
	deaf     bool   // anything that the client sends is ignored
	stall    int    // the line of the ! stall that the client must end, or 0
	gone     chan struct{}

	listener *net.TCPListener // for a data connection not yet accepted
	data     *net.TCPConn
	held     bool // data stays open though the script has gone on
}

// expect reads exactly the wanted bytes. If the client sends others, closes, or is silent until the
// deadline, the bytes that have arrived stay in c.buf.
func (c *conn) expect(want pattern, deadline time.Time) error {
	for {
		n, ok, more := want.match(c.buf)
		if ok {
			c.buf = c.buf[n:]
			return nil
		}
		if !more {
			return errOther
		}
		if err := c.fill(deadline); err != nil {
			return err
		}
	}
}

// line returns the bytes of the client up to the end of a line, after a short wait for it. They
// stay in c.buf.
func (c *conn) line() []byte {
	deadline := time.Now().Add(settle)
	for {
		if i := bytes.IndexByte(c.buf, '\n'); i >= 0 {
			return c.buf[:i+1]
		}
		if len(c.buf) >= maxLine || c.fill(deadline) != nil {
			return c.buf
		}
	}
}

// secure begins TLS. The handshake must end within the given time.
func (c *conn) secure(within time.Duration) error {
	if len(c.buf) > 0 {
		return fmt.Errorf("want TLS, got %s", quote(c.buf))
	}
	config, _ := certificate.Loopback()
	over := tls.Server(c.socket, config)
	c.socket.SetDeadline(time.Now().Add(within))
	if err := over.Handshake(); err != nil {
		return fmt.Errorf("want TLS: %w", err)
	}
	c.socket.SetDeadline(time.Time{})
	c.Conn = over
	return nil
}

// closeWrite closes the direction to the client, in TLS with close_notify. The other direction
// stays open: if it were closed, bytes of the client would cause a reset.
func (c *conn) closeWrite() {
	if over, ok := c.Conn.(*tls.Conn); ok {
		over.CloseWrite()
	}
	c.socket.CloseWrite()
}

// take returns the bytes in c.buf, and empties it.
func (c *conn) take() []byte {
	b := c.buf
	c.buf = nil
	return b
}

// fill reads more into c.buf. A deadline of zero is none. After any error but
// a timeout nothing more is read, and fill returns that error again.
func (c *conn) fill(deadline time.Time) error {
	if c.err != nil {
		return c.err
	}
	c.SetReadDeadline(deadline)
	var chunk [4096]byte
	n, err := c.Read(chunk[:])
	c.buf = append(c.buf, chunk[:n]...)
	if n > 0 {
		return nil
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		c.err = err
	}
	return err
}

func (c *conn) closeData() {
	if c.data != nil {
		c.data.Close()
	}
	c.data, c.held = nil, false
}

func (c *conn) closeAll() {
	c.closeData()
	c.socket.Close() // TLS would wait for a client that does not read
}

// quote quotes wanted or received bytes. It shortens long ones.
func quote(b []byte) string {
	const most = 200
	if len(b) > most {
		return fmt.Sprintf("%q... (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}
