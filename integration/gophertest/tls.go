package gophertest

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"net"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

// TLS lets clients use TLS from the first octet. The URL has the scheme gophers. Clients without
// TLS are served on the same port. The certificate is for 127.0.0.1, ::1 and localhost, and valid
// for clients that trust [Server.Roots].
func TLS() Option {
	return func(s *Server) { s.tls, s.certificate = certificate.Loopback() }
}

// NoNotify closes connections in TLS without close_notify, as pygopherd does.
func NoNotify() Option {
	return func(s *Server) { s.noNotify = true }
}

// Certificate returns the server's certificate, or nil if it has no TLS.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }

// Roots returns the certificates by which a client trusts this server, and any other of the
// process.
func (s *Server) Roots() *x509.CertPool { return certificate.Pool(s.certificate) }

// ClientTLS returns the settings of a client that trusts the server, for crypto/tls, or nil
// if the server has no TLS. The caller may change them.
func (s *Server) ClientTLS() *tls.Config { return certificate.Client(s.certificate, s.base.Host()) }

// sniff returns the connection, or TLS on it if that is how the client begins.
func (s *Server) sniff(tcp *net.TCPConn) (net.Conn, error) {
	if s.tls == nil {
		return tcp, nil
	}
	p := &peeked{Conn: tcp, in: bufio.NewReader(tcp)}
	first, err := p.in.Peek(1)
	if err != nil {
		return nil, err
	}
	if first[0] != handshake {
		return p, nil
	}
	return tls.Server(p, s.tls), nil
}

// handshake is the first octet of a TLS connection, and of no request.
const handshake = 0x16

// A peeked connection is one of which the beginning has been looked at.
type peeked struct {
	net.Conn
	in *bufio.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.in.Read(b) }
