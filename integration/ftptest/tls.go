package ftptest

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

// StartTLS lets clients protect their connections with AUTH TLS and PROT P, RFC 4217. The
// certificate of the server is for 127.0.0.1, ::1 and localhost, and valid for clients that trust
// [Server.Roots].
func StartTLS() Option {
	return func(s *Server) { s.tls, s.certificate = certificate.Loopback() }
}

// TLS makes every control connection a TLS connection from its first
// octet, and the URL one of the scheme ftps.
func TLS() Option {
	return func(s *Server) {
		s.tls, s.certificate = certificate.Loopback()
		s.implicit = true
	}
}

// RequireReuse refuses protected data connections that do not resume a session,
// in the way of vsftpd: 150, no data, 522, and the end of the control connection.
// The server takes a session of any control connection.
func RequireReuse() Option {
	return func(s *Server) { s.requireReuse = true }
}

// Inject adds octets to the reply 234 to AUTH, in clear and before TLS begins, as an attacker
// between client and server could.
func Inject(octets string) Option {
	return func(s *Server) { s.inject = octets }
}

// Certificate returns the server's certificate, or nil if it has no TLS.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }

// Roots returns the certificates by which a client trusts this server, and any other of the
// process.
func (s *Server) Roots() *x509.CertPool { return certificate.Pool(s.certificate) }

// ClientTLS returns the settings of a client that trusts the server, for crypto/tls or for
// net/http, or nil if the server has no TLS. The caller may change them.
func (s *Server) ClientTLS() *tls.Config { return certificate.Client(s.certificate, s.base.Host()) }

// auth answers AUTH TLS, RFC 4217, section 4. The goroutine that reads does not
// do so until it has returned.
func (s *session) auth(arg string) {
	switch {
	case s.server.tls == nil:
		s.notImplemented(arg)
	case s.secure():
		s.reply(503, "TLS is there already.")
	case !strings.EqualFold(arg, "TLS"):
		s.reply(504, "Only TLS.")
	default:
		s.raw("234 Go ahead.\r\n" + s.server.inject)
		s.startTLS()
	}
}

// startTLS makes the control connection a protected one. The handshake is part
// of the first Read or Write.
func (s *session) startTLS() { s.conn = tls.Server(s.tcp, s.server.tls) }

func (s *session) secure() bool { return s.conn != net.Conn(s.tcp) }

func (s *session) pbsz(arg string) {
	if !s.secure() {
		s.reply(503, "AUTH comes first.")
		return
	}
	s.reply(200, "PBSZ=0")
}

// prot answers PROT, RFC 4217, section 9.
func (s *session) prot(arg string) {
	switch {
	case !s.secure():
		s.reply(503, "AUTH comes first.")
	case strings.EqualFold(arg, "P"), strings.EqualFold(arg, "C"):
		s.protected = strings.EqualFold(arg, "P")
		s.reply(200, "Okay.")
	default:
		s.reply(536, "Only C and P.")
	}
}

// A dataConn is a data connection, protected or not.
type dataConn struct {
	net.Conn
	tcp    *net.TCPConn
	upload bool // the client sends
}

// protect begins TLS on a data connection if PROT P was said. It reports false
// if the client does not resume a session and has to.
func (s *session) protect(tcp *net.TCPConn) (*dataConn, bool) {
	if !s.protected {
		return &dataConn{Conn: tcp, tcp: tcp}, true
	}
	conn := tls.Server(tcp, s.server.tls)
	tcp.SetDeadline(time.Now().Add(acceptTimeout))
	defer tcp.SetDeadline(time.Time{})
	if conn.Handshake() != nil {
		return &dataConn{Conn: conn, tcp: tcp}, true // Which the transfer will find out.
	}
	return &dataConn{Conn: conn, tcp: tcp}, !s.server.requireReuse || conn.ConnectionState().DidResume
}
