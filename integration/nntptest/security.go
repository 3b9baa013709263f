package nntptest

import (
	"bufio"
	"compress/flate"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"net"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

// StartTLS lets clients protect their connections with STARTTLS, RFC 4642. The certificate of the
// server is for 127.0.0.1, ::1 and localhost, and valid for clients that trust [Server.Roots].
func StartTLS() Option {
	return func(s *Server) { s.tls, s.certificate = certificate.Loopback() }
}

// TLS makes every connection a TLS connection from its first octet, and
// the URL one of the scheme nntps.
func TLS() Option {
	return func(s *Server) {
		s.tls, s.certificate = certificate.Loopback()
		s.implicit = true
	}
}

// RequireTLS answers 483 in clear. It goes with StartTLS.
func RequireTLS() Option {
	return func(s *Server) { s.requireTLS = true }
}

// Inject adds octets to the reply 382 to STARTTLS, in clear and before TLS begins, as an attacker
// between client and server could.
func Inject(octets string) Option {
	return func(s *Server) { s.inject = octets }
}

// Certificate returns the server's certificate, or nil if it has no TLS.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }

// Roots returns the certificates by which a client trusts this server, and any other of the
// process.
func (s *Server) Roots() *x509.CertPool { return certificate.Pool(s.certificate) }

// ClientTLS returns the settings of a client that trusts the server, for crypto/tls, or nil
// if the server has no TLS. The caller may change them.
func (s *Server) ClientTLS() *tls.Config { return certificate.Client(s.certificate, s.base.Host()) }

func (s *session) isSecure() bool { return s.conn != net.Conn(s.tcp) }

// startTLS answers RFC 4642, section 2.2.
func (s *session) startTLS([]string) {
	switch {
	case s.server.tls == nil:
		s.reply("580 There is no TLS.")
	case s.isSecure() || s.packer != nil || s.loggedIn:
		s.reply("502 Not now.")
	default:
		s.out.WriteString("382 Go ahead.\r\n" + s.server.inject)
		s.flush()
		s.secure()
		s.group = nil
	}
}

// secure makes the connection a protected one. The handshake is part of the first
// Read or Write.
func (s *session) secure() { s.use(tls.Server(s.tcp, s.server.tls)) }

// compress answers RFC 8054, section 2.2.
func (s *session) compress(args []string) {
	switch {
	case len(args) != 1:
		s.reply("501 COMPRESS DEFLATE")
	case !strings.EqualFold(args[0], "DEFLATE"):
		s.reply("503 Only DEFLATE.")
	case s.packer != nil:
		s.reply("502 It is compressed already.")
	default:
		s.reply("206 Go ahead.")
		s.flush()
		s.packer, _ = flate.NewWriter(s.conn, flate.DefaultCompression) // an error is for a wrong level
		s.in = bufio.NewReaderSize(flate.NewReader(s.in), 4096)
		s.out = bufio.NewWriterSize(s.packer, 32<<10)
	}
}

// authinfo answers RFC 4643.
func (s *session) authinfo(args []string) {
	if len(args) < 2 {
		s.reply("501 AUTHINFO USER, PASS or SASL")
		return
	}
	how, arg := strings.ToUpper(args[0]), args[1]
	switch {
	case s.loggedIn || s.packer != nil:
		s.reply("502 Not now.")
	case !s.server.hasLogins():
		s.reply("503 Nobody can log in.")
	case how == "SASL" && strings.EqualFold(arg, "PLAIN") && len(args) == 3:
		s.sasl(args[2])
	case how == "USER" && !s.server.saslOnly:
		s.user = arg
		s.reply("381 Password, please.")
	case how == "PASS" && s.user == "":
		s.reply("482 USER comes first.")
	case how == "PASS":
		s.logIn(s.user, arg)
	default:
		s.reply("503 Not this way.")
	}
}

// sasl reads the message of PLAIN (RFC 4616).
func (s *session) sasl(response string) {
	octets, err := base64.StdEncoding.DecodeString(response)
	parts := strings.Split(string(octets), "\x00")
	if err != nil || len(parts) != 3 {
		s.reply("482 No such message.")
		return
	}
	s.logIn(parts[1], parts[2])
}

func (s *session) logIn(user, password string) {
	s.user = ""
	if !s.server.mayLogIn(user, password) {
		s.reply("481 Wrong user or password.")
		return
	}
	s.user, s.loggedIn = user, true
	s.server.logins.Add(1)
	s.reply("281 Welcome.")
}
