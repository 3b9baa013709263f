package nntp

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A TLSPolicy decides whether the connections of news and nntp URLs use TLS (RFC 4642). Those of
// snews and nntps URLs always do, from the first byte.
type TLSPolicy = transport.TLSPolicy

const (
	Never     = transport.Never     // no TLS, unless the server requires it
	IfOffered = transport.IfOffered // TLS if the server supports it
	Required  = transport.Required  // only the commands that lead to STARTTLS are sent without TLS
)

// offerTLS requests TLS by the policy.
func (s *session) offerTLS() error {
	_, offered, err := s.offers("STARTTLS")
	if err != nil {
		return err
	}
	if !offered && s.f.StartTLS == IfOffered {
		s.trace.Note("the server does not support TLS, so nothing is encrypted")
		return nil
	}
	return s.startTLS() // a server may support it without offering it
}

// startTLS requests TLS (RFC 4642, section 2.2). If the server refuses, the error is ErrBlocked.
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

// secure starts TLS, and drops all state from before (RFC 4642, section 2.2.2).
func (s *session) secure() error {
	if err := s.conn.Secure(transport.TLSConfig(s.f.TLS, s.host, s.key.named), s.in); err != nil {
		return s.breaks(fmt.Errorf("TLS: %w", err))
	}
	s.capabilities, s.group, s.overview = nil, "", ""
	return nil
}
