package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxHandshake is the timeout of a TLS handshake.
const maxHandshake = 30 * time.Second

// ErrNoNotify is the end of a TLS connection without close_notify, which an attacker on the path
// can cause. It is wrapped together with io.ErrUnexpectedEOF. If the protocol marks its own end,
// such as by a length, a dot or a reply, that may confirm the end instead.
var ErrNoNotify = errors.New("the connection ended without the close_notify of TLS")

// TLSClient returns TLS on conn with config, as [TLSConfig] returns it. Its Read returns io.EOF
// only after close_notify, and otherwise ErrNoNotify (RFC 8446, section 6.1): crypto/tls alone
// returns io.EOF if the connection ends between two records.
func TLSClient(conn net.Conn, config *tls.Config) *tls.Conn {
	return tls.Client(notified{conn}, config)
}

// A notified is the connection below TLS. Its Read returns ErrNoNotify in place of io.EOF.
type notified struct{ net.Conn }

func (c notified) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == io.EOF {
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, ErrNoNotify)
	}
	return n, err
}

// NetConn returns the underlying connection, as (*tls.Conn).NetConn does.
func (c notified) NetConn() net.Conn { return c.Conn }

// Handshake performs the TLS handshake. After 30 seconds the error is ErrStalled: the limit of a
// single Read does not stop a server that sends byte by byte. Any other failure is ErrTLS; a
// failure of the connection is ErrTemporary, too. If Handshake fails, the connection below c cannot
// be used again. A nil ctx is an error.
func Handshake(ctx context.Context, c *tls.Conn) error {
	if ctx == nil {
		return errNoContext
	}
	limited, cancel := context.WithTimeout(ctx, maxHandshake)
	defer cancel()
	trace := fetchers.ContextTrace(ctx)
	trace.TLSHandshakeStart()
	err := c.HandshakeContext(limited)
	trace.TLSHandshakeDone(c, err)
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, fetchers.ErrStalled):
		return err
	case limited.Err() != nil:
		return fmt.Errorf("%w: no TLS within %v", fetchers.ErrStalled, maxHandshake)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fetchers.TLS(fetchers.Temporary(errors.New("the server closed the connection during the handshake")))
	}
	return fetchers.TLS(err)
}
