package http

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// A conn is a connection that remembers its end.
type conn struct {
	*wire.Conn
	ended atomic.Bool
	until time.Time     // when reads fail with os.ErrDeadlineExceeded, after which TLS can go on; zero is as usual
	gone  chan struct{} // closed by Close
	close sync.Once

	shared bool // net/http speaks HTTP/2 over it
}

func newConn(c *wire.Conn) *conn { return &conn{Conn: c, gone: make(chan struct{})} }

func (c *conn) Read(p []byte) (int, error) {
	var n int
	var err error
	if c.until.IsZero() {
		n, err = c.Conn.Read(p)
	} else {
		n, err = c.Conn.ReadUntil(p, c.until)
	}
	if err == io.EOF {
		c.ended.Store(true)
	}
	return n, err
}

// Write hides from net/http that the peer has closed, so that net/http still reads what the
// peer sent before, such as a TLS alert.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if c.shared && isEnd(err) {
		return len(p), nil
	}
	return n, err
}

func (c *conn) Close() error {
	c.close.Do(func() { close(c.gone) })
	return c.Conn.Close()
}

// hasEnded reports whether a connection has come to its end. c may be nil.
func hasEnded(c net.Conn) bool {
	base := below(c)
	return base != nil && base.ended.Load()
}

// below returns the conn that c is, or that is below TLS and a tap. It is nil if there is
// none.
func below(c net.Conn) *conn {
	for {
		switch over := c.(type) {
		case interface{ NetConn() net.Conn }: // TLS
			c = over.NetConn()
		case *tap:
			c = over.Conn
		case *conn:
			return over
		default:
			return nil
		}
	}
}

// A message is the body of a response as net/http reads it. It gives the classes
// of fetchers to what can go wrong.
type message struct {
	io.ReadCloser
	resp *nethttp.Response
	conn net.Conn // may be nil
	most int64    // Fetcher.MaxDecoded

	// An HTTP/2 connection is not silent when one of its streams is.
	stall   time.Duration // how long the stream may be; 0 means for ever
	stalled atomic.Bool
}

func (m *message) Read(p []byte) (int, error) {
	if m.stall > 0 {
		watch := time.AfterFunc(m.stall, func() {
			m.stalled.Store(true)
			m.ReadCloser.Close()
		})
		defer watch.Stop()
	}
	n, err := m.ReadCloser.Read(p)
	if err == nil {
		return n, nil
	}
	switch {
	case err == io.EOF && m.resp.Request.Context().Err() != nil:
		// The server noticed that we had gone before we were gone, and made
		// an end of it.
		return n, m.resp.Request.Context().Err()
	case m.stalled.Load():
		return n, fmt.Errorf("%w: nothing for %v", fetchers.ErrStalled, m.stall)
	case err == io.EOF, err == io.ErrUnexpectedEOF, errors.Is(err, wire.ErrNoNotify), err == nethttp.ErrBodyReadAfterClose:
		return n, err
	case errors.As(err, new(tls.RecordHeaderError)): // whatever it is, TLS was there before
		return n, err
	case (hasEnded(m.conn) || m.resp.ProtoMajor == 2) && !isClassed(err):
		// It ended in the middle of a trailer, or is a stream that was reset.
		return n, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return n, cause(err)
}

// Lend has use take what comes, if it is the body of a turn.
func (m *message) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if t, ok := m.ReadCloser.(*turn); ok {
		return t.Lend(most, use)
	}
	return 0
}

// untilClose reports whether the body of a response ends with its connection.
func untilClose(resp *nethttp.Response) bool {
	return resp.ProtoMajor == 1 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0
}

// maxDiscard is how much of an answer that nobody wants is read so that its
// connection can be used again. A new one costs about as much.
const (
	maxDiscard     = 16 << 10
	maxDiscardTime = time.Second
)

// discard reads the rest of a body if it is short and comes at once, and closes it.
func discard(body io.ReadCloser) {
	late := time.AfterFunc(maxDiscardTime, func() { body.Close() })
	defer late.Stop()
	io.CopyN(io.Discard, body, maxDiscard)
	body.Close()
}
