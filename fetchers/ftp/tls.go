package ftp

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A TLSPolicy says whether the connections for ftp URLs are protected, as RFC 4217
// has it. Those for ftps URLs always are, from their first octet.
type TLSPolicy = transport.TLSPolicy

const (
	Never     = transport.Never     // in clear
	IfOffered = transport.IfOffered // protected where the server can, else in clear
	Required  = transport.Required  // nothing but AUTH is said in clear
)

// mustProtect reports whether nothing may be said in clear.
func (s *session) mustProtect() bool { return s.key.secure || s.f.AuthTLS == Required }

// auth asks for TLS on the control connection (RFC 4217, section 4).
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
	s.ctl.trace.Note("the server has no TLS, so all is in clear")
	return nil
}

// secure begins TLS on the control connection. Servers that want to see its
// session again on data connections want it from the same control connection
// (ProFTPD), so each has a cache of its own.
func (s *session) secure() error {
	config := transport.TLSConfig(s.f.TLS, s.host, s.key.named)
	config.ClientSessionCache = tls.NewLRUClientSessionCache(1)

	if err := s.ctl.Secure(config, s.ctl.in); err != nil {
		return s.ctl.breaks(fmt.Errorf("TLS: %w", err))
	}
	s.tls = config
	return nil
}

// protect asks for TLS on data connections (RFC 4217, section 9).
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
	s.ctl.trace.Note("the server does not protect data, which is in clear")
	s.tls = nil
	return nil
}

// protected returns a data connection in TLS. The handshake is left to the first
// Read, as servers begin theirs only after the command (ProFTPD, Pure-FTPd).
func (s *session) protected(c net.Conn) net.Conn {
	return &shaking{Conn: transport.TLSClient(c, s.tls), ctx: context.WithoutCancel(s.ctx)}
}

// A shaking connection does the TLS handshake at its first Read.
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
