package ftp

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A TLSPolicy decides whether the connections of ftp URLs use TLS (RFC 4217). Those of ftps URLs
// always do, from the first byte.
type TLSPolicy = transport.TLSPolicy

const (
	Never     = transport.Never     // no TLS
	IfOffered = transport.IfOffered // TLS if the server supports it
	Required  = transport.Required  // only AUTH is sent without TLS
)

// mustProtect reports whether TLS is required.
func (s *session) mustProtect() bool { return s.key.secure || s.f.AuthTLS == Required }

// auth requests TLS on the control connection (RFC 4217, section 4).
func (s *session) auth() error {
	r, err := s.ctl.ask("AUTH TLS")
	switch {
	case err != nil:
		return err
	case r.Code/100 == 2:
		return s.secure()
	case s.mustProtect():
		return s.ctl.breaks(fmt.Errorf("%w: TLS is required, and AUTH TLS is answered %d %s", fetchers.ErrBlocked, r.Code, r.Text))
	}
	if err := s.ctl.stray(); err != nil { // it would be taken for the reply to USER
		return s.ctl.breaks(err)
	}
	s.ctl.trace.Note("the server does not support TLS, so nothing is encrypted")
	return nil
}

// secure starts TLS on the control connection. Servers that require TLS session resumption on data
// connections expect the session of the same control connection (ProFTPD), so each control
// connection has its own cache.
func (s *session) secure() error {
	config := transport.TLSConfig(s.f.TLS, s.host, s.key.named)
	config.ClientSessionCache = tls.NewLRUClientSessionCache(1)

	if err := s.ctl.Secure(config, s.ctl.in); err != nil {
		return s.ctl.breaks(fmt.Errorf("TLS: %w", err))
	}
	s.tls = config
	return nil
}

// protect requests TLS on data connections (RFC 4217, section 9).
func (s *session) protect() error {
	if s.tls == nil {
		return nil
	}
	if _, err := s.ctl.ask("PBSZ 0"); err != nil {
		return err
	}
	r, err := s.ctl.ask("PROT P")
	switch {
	case err != nil:
		return err
	case r.Code/100 == 2:
		return nil
	case s.mustProtect():
		return s.ctl.breaks(fmt.Errorf("%w: TLS is required, and PROT P is answered %d %s", fetchers.ErrBlocked, r.Code, r.Text))
	}
	s.ctl.trace.Note("the server does not support TLS for data, which are not encrypted")
	s.tls = nil
	return nil
}

// protected returns a data connection with TLS. The first Read performs the handshake, since
// servers start theirs only after the command (ProFTPD, Pure-FTPd).
func (s *session) protected(c net.Conn) net.Conn {
	return &shaking{Conn: transport.TLSClient(c, s.tls), ctx: context.WithoutCancel(s.ctx)}
}

// A shaking is a connection that performs the TLS handshake at its first Read.
type shaking struct {
	*tls.Conn
	ctx    context.Context // has the Trace; the end of the fetch closes the connection below
	agreed bool
}

func (c *shaking) Read(p []byte) (int, error) {
	if !c.agreed {
		if err := transport.Handshake(c.ctx, c.Conn); err != nil {
			return 0, err
		}
		c.agreed = true
	}
	return c.Conn.Read(p)
}
