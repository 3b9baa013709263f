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
// and [Faults] makes the server an unkind one.
//
// The server agrees to what a client may do (TTYPE, NAWS, SGA, BINARY), and
// echoes what is typed once the client has said DO ECHO. It never answers what
// changes nothing.
package telnettest

import (
	"context"
	"net"
	"slices"
	"sync"
)

// A Server is a telnet server on a loopback port. Its methods may be called from
// any goroutine, and also after Close.
type Server struct {
	URL  string // "telnet://127.0.0.1:port"
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	banner  string
	users   map[string]string // password by name
	offers  []byte
	handler func(*Conn)
	faults  []*fault

	listener *net.TCPListener
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu          sync.Mutex
	transcript  []string
	connections int
}

// NewServer starts a telnet server. The caller closes the server. NewServer
// panics if there is no loopback port to listen on.
func NewServer(opts ...Option) *Server {
	s := &Server{banner: "telnettest ready.\r\n", users: map[string]string{}}
	s.handler = s.dialogue
	for _, opt := range opts {
		opt(s)
	}
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic("telnettest: " + err.Error())
	}
	s.listener = listener
	s.Addr = listener.Addr().String()
	s.URL = "telnet://" + s.Addr
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.wg.Go(func() { s.accept(ctx) })
	return s
}

// Close stops the server: it closes the listener and every connection, and waits
// until nothing of the server runs any more. Closing twice is fine.
func (s *Server) Close() {
	s.cancel()
	s.listener.Close()
	s.wg.Wait()
}

// Transcript returns what clients have sent, in order of arrival: requests such
// as "DONT ECHO", answers such as "TTYPE XTERM" and "NAWS 80 24", commands such
// as "command 241", and lines of data as they are, passwords too.
func (s *Server) Transcript() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.transcript)
}

// Connections returns how many connections were accepted.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

func (s *Server) record(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.transcript = append(s.transcript, line)
}

func (s *Server) accept(ctx context.Context) {
	for {
		tcp, err := s.listener.AcceptTCP()
		if err != nil {
			return // Closed.
		}
		s.mu.Lock()
		s.connections++
		s.mu.Unlock()
		s.wg.Go(func() { s.serve(ctx, tcp) })
	}
}

func (s *Server) serve(ctx context.Context, tcp *net.TCPConn) {
	defer context.AfterFunc(ctx, func() { tcp.Close() })()
	defer tcp.Close()
	c := newConn(s, tcp)
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
