// Package telnettest provides telnet servers for use in tests, as
// net/http/httptest does for HTTP: small, real, and on the loopback interface.
//
//	server := telnettest.NewServer(telnettest.User("joe", "s3cret"), telnettest.Offer(telnettest.Inetutils...))
//	defer server.Close()
//
//	// The client under test opens server.URL, and then:
//	for _, line := range server.Transcript() {
//		fmt.Println(line) // DONT ECHO, WILL TTYPE, TTYPE XTERM, joe, …
//	}
//
// A connection begins with negotiation, if [Offer] says so, and a banner. Then
// users log in, if there are any, and a shell of five words takes lines: echo,
// term, size, bin and exit. [Handler] puts something else in place of all this,
// [TLS] protects it, and [Faults] makes the server an unkind one.
//
// The server agrees to what a client may do (TTYPE, NAWS, SGA, BINARY), and
// echoes what is typed once the client has said DO ECHO. It never answers what
// changes nothing.
package telnettest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Server is a telnet server on a loopback port. Its methods may be called from
// any goroutine, and also after Close.
type Server struct {
	URL  string // "telnet://127.0.0.1:port" or "telnets:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	banner  string
	users   map[string]string // password by name
	offers  []byte
	handler func(*Conn)
	faults  []*fault

	tls         *tls.Config // nil without TLS
	certificate *x509.Certificate

	base *server.Server
}

// NewServer starts a telnet server. The caller closes the server. NewServer
// panics if there is no loopback port to listen on.
func NewServer(opts ...Option) *Server {
	s := &Server{banner: "telnettest ready.\r\n", users: map[string]string{}}
	s.handler = s.dialogue
	for _, opt := range opts {
		opt(s)
	}
	s.base = server.Listen("telnettest")
	s.Addr = s.base.Addr
	s.URL = "telnet://" + s.Addr
	if s.tls != nil {
		s.URL = "telnets://" + s.Addr
	}
	s.base.Serve(s.serve)
	return s
}

// Close stops the server: it closes the listener and every connection, and waits
// until nothing of the server runs any more. Closing twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns what clients have sent, in order of arrival: requests such
// as "DONT ECHO", answers such as "TTYPE XTERM" and "NAWS 80 24", commands such
// as "command 241", and lines of data as they are, passwords too.
func (s *Server) Transcript() []string { return s.base.Transcript() }

// Connections returns how many connections were accepted.
func (s *Server) Connections() int { return s.base.Connections() }

func (s *Server) serve(ctx context.Context, tcp *net.TCPConn) {
	c := newConn(s, tcp)
	defer c.Close()
	if len(s.offers) > 0 && !c.negotiate(s.offers) {
		return
	}
	s.handler(c)
}

// An Option changes how a Server behaves.
type Option func(*Server)

// Banner is what the server says first, octet for octet but for the doubling of
// 0xFF.
func Banner(text string) Option { return func(s *Server) { s.banner = text } }

// User lets a user log in. Where there are users, nobody else gets to the shell.
func User(name, password string) Option { return func(s *Server) { s.users[name] = password } }

// Offer makes the server open with these octets, and say nothing more until each
// WILL and DO among them is answered.
func Offer(octets ...byte) Option { return func(s *Server) { s.offers = octets } }

// Handler serves each connection in place of the dialogue. The connection is
// closed when it returns.
func Handler(handler func(*Conn)) Option { return func(s *Server) { s.handler = handler } }

// Inetutils is with what the telnetd of GNU inetutils opens: WILL AUTH, WILL
// ENCRYPT, DO TTYPE, DO TSPEED, DO XDISPLOC, DO NEW-ENVIRON, DO OLD-ENVIRON; then,
// at once here, WILL SGA, DO ECHO, DO LINEMODE, DO NAWS, WILL STATUS, DO LFLOW,
// and WILL ECHO, DO TM, DO BINARY.
var Inetutils = []byte{
	IAC, WILL, 37, IAC, WILL, 38, IAC, DO, 24, IAC, DO, 32, IAC, DO, 35, IAC, DO, 39, IAC, DO, 36,
	IAC, WILL, 3, IAC, DO, 1, IAC, DO, 34, IAC, DO, 31, IAC, WILL, 5, IAC, DO, 33,
	IAC, WILL, 1, IAC, DO, 6, IAC, DO, 0,
}
