// Package dicttest provides dictionary servers for use in tests, as net/http/httptest does
// for HTTP: small, real, well-behaved, and on the loopback interface.
//
//	server := dicttest.NewServer(fstest.MapFS{
//		"wn/sun":   {Data: []byte("a star\n")},
//		"wn/sugar": {Data: []byte("it is sweet\n")},
//	})
//	defer server.Close()
//
//	// The client under test fetches server.URL + "/d:sun:wn", and then:
//	for _, line := range server.Transcript() {
//		fmt.Println(line) // CLIENT me, DEFINE wn "sun"
//	}
//
// A directory of the [fs.FS] is a database, and a file in it the definition of the word that
// it is called by. As with dictd, the word 00-database-short has the description of the
// database, and 00-database-info its information; neither is matched. Lines may end in LF.
//
// The server implements RFC 2229 with AUTH, and the strategies exact, prefix, substring and suffix.
// Words are compared without regard to case.
//
// Options remove features ([Without], [Reply]), add restrictions ([Private], [MaxConnections]) or
// add faults ([Faults]).
package dicttest

import (
	"io/fs"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is a dictionary server on a loopback port. Its methods may be called from any
// goroutine, and also after Close.
type Server struct {
	URL  string // "dict://127.0.0.1:port", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	databases []*database
	users     map[string]string // password by name
	private   map[string]bool
	without   map[string]bool
	replies   server.Replies[Request]
	faults    []*fault

	base     *server.Server
	requests server.Log[Request]
}

// New starts a server for a test, which closes it when it ends, and shows the transcript
// if it failed. It is [NewServer] otherwise.
func New(t wire.TB, fsys fs.FS, opts ...Option) *Server {
	t.Helper()
	s := NewServer(fsys, opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts a server for fsys, which is read now. The caller closes the server.
// NewServer panics if fsys cannot be read, or if there is no loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := NewUnstarted(fsys, opts...)
	s.Start()
	return s
}

// NewUnstarted returns a server that listens, so that URL and Addr are known, and leaves
// clients waiting until Start is called. The caller closes the server, started or not.
// NewUnstarted panics where [NewServer] does.
func NewUnstarted(fsys fs.FS, opts ...Option) *Server {
	s := &Server{
		users: map[string]string{}, private: map[string]bool{}, without: map[string]bool{},
		base: server.New("dicttest"),
	}
	var err error
	if s.databases, err = read(fsys); err != nil {
		panic("dicttest: " + err.Error())
	}
	s.base.Refuse = s.refuse
	s.apply(opts)
	s.base.Listen()
	s.Addr = s.base.Addr
	s.URL = "dict://" + s.Addr
	return s
}

// Start lets the server answer, after further options, which can be made of its address.
// [Listen] comes too late. Start panics if the server is started already.
func (s *Server) Start(opts ...Option) {
	s.apply(opts)
	s.base.Serve(s.serve)
}

func (s *Server) apply(opts []Option) {
	for _, opt := range opts {
		opt(s)
	}
}

// Close stops the server: it closes the listener and every connection, and waits until
// nothing of the server runs any more. Closing twice is fine.
func (s *Server) Close() { s.base.Close() }

// A Request is a command that a client has sent.
type Request struct {
	Conn    int      // number of the connection, from 1
	Line    string   // as it was sent, without its line end
	Command string   // in upper case
	Args    []string // without their quotes
	User    string   // user of the login
}

// Requests returns every command received so far, of all connections in order of arrival.
func (s *Server) Requests() []Request { return s.requests.All() }

// Transcript returns the lines of the requests.
func (s *Server) Transcript() []string {
	return s.requests.Lines(func(r Request) string { return r.Line })
}

// Connections returns how many connections were accepted, and not refused by
// [MaxConnections].
func (s *Server) Connections() int { return s.base.Connections() }
