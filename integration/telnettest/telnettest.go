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
// A connection begins with the negotiation of [Offer], if given, and a banner. Then users log in,
// if there are any, and a shell takes lines of five commands: echo, term, size, bin and exit.
// [Handler] replaces this conversation, [TLS] protects the connection, and [Faults] adds faults.
//
// The server accepts the options TTYPE, NAWS, SGA and BINARY of a client, and echoes input after
// the client has sent DO ECHO. It does not answer a request that changes nothing.
package telnettest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is a telnet server on a loopback port. Its methods may be called from
// any goroutine, and also after Close.
type Server struct {
	URL  string // "telnet://127.0.0.1:port" or "telnets:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	greeting string
	users    map[string]string                // password by name
	login    func(name, password string) bool // in place of users, if not nil
	offers   []byte
	handler  func(*Conn)
	faults   []*fault

	tls         *tls.Config // nil without TLS
	certificate *x509.Certificate

	base     *server.Server
	requests server.Log[Request]
}

// New starts a server for a test, which closes it when it ends, and shows the transcript
// if it failed. It is [NewServer] otherwise.
func New(t wire.TB, opts ...Option) *Server {
	t.Helper()
	s := NewServer(opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts a telnet server. The caller closes the server. NewServer
// panics if there is no loopback port to listen on.
func NewServer(opts ...Option) *Server {
	s := NewUnstarted(opts...)
	s.Start()
	return s
}

// NewUnstarted returns a server that listens, so that URL and Addr are known, and leaves
// clients waiting until Start is called. The caller closes the server, started or not.
// NewUnstarted panics where [NewServer] does.
func NewUnstarted(opts ...Option) *Server {
	s := &Server{greeting: "telnettest ready.\r\n", users: map[string]string{}, base: server.New("telnettest")}
	s.handler = s.dialogue
	s.base.Refuse = s.refuse
	s.apply(opts)
	s.base.Listen()
	s.Addr = s.base.Addr
	s.apply(nil)
	return s
}

// Start lets the server answer, after further options, which can be made of its address.
// [Listen] comes too late. Start panics if the server is started already.
func (s *Server) Start(opts ...Option) {
	s.apply(opts)
	s.base.Serve(s.serve)
}

// apply applies options, and writes the URL, of which they may change the scheme.
func (s *Server) apply(opts []Option) {
	for _, opt := range opts {
		opt(s)
	}
	s.URL = "telnet://" + s.Addr
	if s.tls != nil {
		s.URL = "telnets://" + s.Addr
	}
}

// Close stops the server: it closes the listener and every connection, and waits
// until nothing of the server runs any more. Closing twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns the requests and lines of all clients, in order of arrival: requests such as
// "DONT ECHO", answers such as "TTYPE XTERM" and "NAWS 80 24", commands such as "command 241", and
// lines of data as they are, passwords too.
func (s *Server) Transcript() []string {
	return s.requests.Lines(func(r Request) string { return r.Line })
}

// Connections returns how many connections were accepted, and not refused by
// [MaxConnections].
func (s *Server) Connections() int { return s.base.Connections() }

func (s *Server) serve(_ context.Context, tcp *net.TCPConn, number int) {
	c := newConn(s, tcp, number)
	defer c.Close()
	if len(s.offers) > 0 && !c.negotiate(s.offers) {
		return
	}
	s.handler(c)
}

// refuse greets a connection that is one too many.
func (s *Server) refuse(tcp *net.TCPConn) {
	conn := net.Conn(tcp)
	if s.tls != nil {
		conn = tls.Server(tcp, s.tls)
	}
	io.WriteString(conn, "Too many connections.\r\n")
}

// A Request is one thing that a client has sent.
type Request struct {
	Conn int    // number of the connection, from 1
	Line string // as in the transcript: "DONT ECHO", "NAWS 80 24", or a line of data
	Data bool   // it is a line of data, and no word of the protocol
	TLS  bool   // the connection is protected
}

// Requests returns everything received so far, one for each line of the transcript.
func (s *Server) Requests() []Request { return s.requests.All() }

// Inetutils is the negotiation with which telnetd of GNU inetutils begins: WILL AUTH, WILL ENCRYPT,
// DO TTYPE, DO TSPEED, DO XDISPLOC, DO NEW-ENVIRON, DO OLD-ENVIRON; then, at once here, WILL SGA,
// DO ECHO, DO LINEMODE, DO NAWS, WILL STATUS, DO LFLOW, and WILL ECHO, DO TM, DO BINARY.
var Inetutils = []byte{
	IAC, WILL, 37, IAC, WILL, 38, IAC, DO, 24, IAC, DO, 32, IAC, DO, 35, IAC, DO, 39, IAC, DO, 36,
	IAC, WILL, 3, IAC, DO, 1, IAC, DO, 34, IAC, DO, 31, IAC, WILL, 5, IAC, DO, 33,
	IAC, WILL, 1, IAC, DO, 6, IAC, DO, 0,
}
