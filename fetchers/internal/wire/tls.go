package wire

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

// MaxShake is how long a TLS handshake may take.
const MaxShake = 30 * time.Second

// TLSConfig returns the settings for TLS with a host. base has the settings of the
// Fetcher and is not changed; nil means the usual ones. Unless the user named the host,
// it gets no client certificate, and no session is resumed in which it may have got one.
func TLSConfig(base *tls.Config, host string, named fetchers.Namer) *tls.Config {
	config := new(tls.Config)
	if base != nil {
		config = base.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = host
	}
	if named != fetchers.ByUser {
		config.Certificates, config.GetClientCertificate, config.ClientSessionCache = nil, nil, nil
	}
	return config
}

// ErrNoNotify is the end of a TLS connection without close_notify, which an attacker on
// the path can cause. It comes with io.ErrUnexpectedEOF. If the protocol has its own end,
// such as a length, a dot or a reply, that may confirm the end instead.
var ErrNoNotify = errors.New("the connection ended without the close_notify of TLS")

// Client returns TLS on conn with the settings of config, as [TLSConfig] returns them. A
// Read of it returns io.EOF after close_notify only, and otherwise ErrNoNotify (RFC 8446,
// section 6.1): crypto/tls alone returns io.EOF for a cut between two records.
func Client(conn net.Conn, config *tls.Config) *tls.Conn {
	return tls.Client(notified{conn}, config)
}

// A notified is the connection below TLS. Its Read returns ErrNoNotify in place of
// io.EOF.
type notified struct{ net.Conn }

func (c notified) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == io.EOF {
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, ErrNoNotify)
	}
	return n, err
}

// NetConn returns the connection below, as (*tls.Conn).NetConn does.
func (c notified) NetConn() net.Conn { return c.Conn }

// Shake does the TLS handshake. If it takes longer than MaxShake, the error is
// ErrStalled: the limit of a Read would let the server drip. Any other failure is ErrTLS,
// and that of the connection, such as its end, is ErrTemporary too. If Shake fails, the
// connection under c cannot be used again.
func Shake(ctx context.Context, c *tls.Conn) error {
	limited, cancel := context.WithTimeout(ctx, MaxShake)
	defer cancel()
	err := c.HandshakeContext(limited)
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, fetchers.ErrStalled):
		return err
	case limited.Err() != nil:
		return fmt.Errorf("%w: no TLS within %v", fetchers.ErrStalled, MaxShake)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fetchers.TLS(fetchers.Temporary(errors.New("the server closed the connection during the handshake")))
	}
	return fetchers.TLS(err)
}
