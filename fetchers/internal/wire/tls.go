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

// MaxShake is how long it may take to agree on TLS.
const MaxShake = 30 * time.Second

// TLSConfig returns the settings for TLS with a host. Those of a Fetcher are base, which is
// not changed; nil is the usual. Unless the user named the host, it is shown no certificate
// of ours, and resumes no session in which it may have been shown one.
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

// ErrNoNotify is the end of a connection in TLS without close_notify, which anybody on the
// way can have made. It comes with io.ErrUnexpectedEOF. Where a protocol has an end of its
// own, such as a length, a dot or a reply, that may confirm what TLS does not.
var ErrNoNotify = errors.New("the connection ended without the close_notify of TLS")

// Client returns TLS on conn with the settings of config, as [TLSConfig] returns them. A
// Read of it returns io.EOF after close_notify only, and otherwise ErrNoNotify (RFC 8446,
// section 6.1): crypto/tls alone takes a cut between two records for the end.
func Client(conn net.Conn, config *tls.Config) *tls.Conn {
	return tls.Client(notified{conn}, config)
}

// A notified is the connection below TLS, on which no end is io.EOF.
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

// Shake agrees on TLS. A server that takes longer than MaxShake is ErrStalled: the limit
// of a Read would let it drip. Any other failure of the server is ErrTLS; one of the
// connection, its end among them, is ErrTemporary too. If Shake fails, what is under c is of
// no more use.
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
