package telnettest

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

// TLS makes every connection a TLS connection from its first octet, and the URL one of the scheme
// telnets. The certificate of the server is for 127.0.0.1, ::1 and localhost, and valid for clients
// that trust [Server.Roots].
func TLS() Option {
	return func(s *Server) { s.tls, s.certificate = certificate.Loopback() }
}

// Certificate returns the server's certificate, or nil if it has no TLS.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }

// Roots returns the certificates by which a client trusts this server, and any other of the
// process.
func (s *Server) Roots() *x509.CertPool { return certificate.Pool(s.certificate) }

// ClientTLS returns the settings of a client that trusts the server, for crypto/tls, or nil
// if the server has no TLS. The caller may change them.
func (s *Server) ClientTLS() *tls.Config { return certificate.Client(s.certificate, s.base.Host()) }
