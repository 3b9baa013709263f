package nntp

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A TLSPolicy says whether the connections for news and nntp URLs are protected,
// as RFC 4642 has it. Those for snews and nntps URLs always are, from their first
// octet.
type TLSPolicy = transport.TLSPolicy

const (
	Never     = transport.Never     // in clear, unless the server insists
	IfOffered = transport.IfOffered // protected where the server can, else in clear
	Required  = transport.Required  // nothing but what leads to STARTTLS is said in clear
)

// offerTLS asks for TLS, as the policy has it.
func (s *session) offerTLS() error {
	_, offered, err := s.offers("STARTTLS")
	if err != nil {
		return err
	}
	if !offered && s.f.StartTLS == IfOffered {
		s.trace.Note("the server has no TLS, so all is in clear")
		return nil
	}
	return s.startTLS() // a server that offers nothing may have it all the same
}

// startTLS asks for TLS (RFC 4642, section 2.2). A server that does not begin it is
// ErrBlocked.
func (s *session) startTLS() error {
	r, err := s.command("STARTTLS")
	switch {
	case err != nil:
		return err
	case r.Code != 382:
		return s.breaks(fmt.Errorf("%w: TLS is required, and STARTTLS is answered %d %s", fetchers.ErrBlocked, r.Code, r.Text))
	}
	return s.secure()
}

// secure begins TLS. Nothing that was said before counts any more (RFC 4642,
// section 2.2.2).
func (s *session) secure() error {
	if err := s.conn.Secure(transport.TLSConfig(s.f.TLS, s.host, s.key.named), s.in); err != nil {
		return s.breaks(fmt.Errorf("TLS: %w", err))
	}
	s.capabilities, s.group, s.overview = nil, "", ""
	return nil
}
