// Package z3950test provides Z39.50 servers for use in tests, as net/http/httptest does for
// HTTP: small, real, well-behaved, and on the loopback interface.
//
//	files := fstest.MapFS{"garden/bees.txt": {Data: []byte("Keeping bees\n\nHoney …\n")}}
//	server := z3950test.NewServer(files)
//	defer server.Close()
//
//	// The client under test fetches server.URL + "/garden?honey", and then:
//	for _, line := range server.Transcript() {
//		fmt.Println(line) // Init, Search "garden" 1=1016 "honey", Present 1+1 …
//	}
//
// Each directory at the top of the file system is a database, and each file below it a
// record, whose docid is its path in the database. The extension of its name is the record
// syntax: .mrc is USMARC, .xml is XML, .grs an element of GRS-1, and any other SUTRS. A record
// is found by its docid, which has the value 1032 of the attribute Use, and by its words, with
// other values below 1100. A record comes in its own syntax only.
//
// Options change that, or make the server a broken one ([Faults]).
package z3950test

import (
	"bufio"
	"context"
	"io/fs"
	"net"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/internal/z3950"
)

// A Server is a Z39.50 server on a loopback port. Its methods may be called from any
// goroutine, and also after Close.
type Server struct {
	URL  string // "z39.50s://127.0.0.1:port", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	fsys           fs.FS
	user, password string
	noDocIDs       bool
	noElements     bool
	perPresent     int
	inSearch       bool
	faults         []*fault

	base     *server.Server
	requests server.Log[Request]
}

// New starts a server for a test, which closes it when it ends, and shows the transcript if it
// failed. It is [NewServer] otherwise.
func New(t wire.TB, fsys fs.FS, opts ...Option) *Server {
	t.Helper()
	s := NewServer(fsys, opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts a server for fsys, which must be safe for use by several goroutines. The
// caller closes the server. NewServer panics if there is no loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := NewUnstarted(fsys, opts...)
	s.Start()
	return s
}

// NewUnstarted returns a server that listens, so that URL and Addr are known, and leaves
// clients waiting until Start is called. The caller closes the server, started or not.
// NewUnstarted panics where [NewServer] does.
func NewUnstarted(fsys fs.FS, opts ...Option) *Server {
	s := &Server{fsys: fsys, inSearch: true, base: server.New("z3950test")}
	s.apply(opts)
	s.base.Listen()
	s.Addr = s.base.Addr
	s.URL = "z39.50s://" + s.Addr
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

// Transcript returns the requests of all connections in order of arrival: one line for each
// request, "Init", `Search "db" 1=4 "words"`, "Present 1+20 1.2.840.10003.5.10 B" or "Close".
func (s *Server) Transcript() []string { return s.requests.Lines(Request.String) }

// Connections returns how many connections were accepted, and not refused by
// [MaxConnections].
func (s *Server) Connections() int { return s.base.Connections() }

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:2100" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) { s.base.At(addr) }
}

// MaxConnections closes each further connection, without an answer, while n are open.
func MaxConnections(n int) Option {
	return func(s *Server) { s.base.Max = n }
}

// User has the server accept one user only. An empty password is that of a login without
// one.
func User(user, password string) Option {
	return func(s *Server) { s.user, s.password = user, password }
}

// NoDocIDs makes the server one that refuses to search for docids.
func NoDocIDs() Option { return func(s *Server) { s.noDocIDs = true } }

// NoElementSets makes the server one that refuses element sets.
func NoElementSets() Option { return func(s *Server) { s.noElements = true } }

// PerPresent limits the number of records in one answer.
func PerPresent(n int) Option { return func(s *Server) { s.perPresent = n } }

// NoneInSearch has no records come with the answer to a search.
func NoneInSearch() Option { return func(s *Server) { s.inSearch = false } }

// A session is one connection.
type session struct {
	server *Server
	number int // of the connection
	conn   *net.TCPConn
	sent   int // answers so far
	set    []*record
}

// maxRequest is how long a request may be.
const maxRequest = 1 << 20

// serve answers requests until the client leaves or makes no sense.
func (s *Server) serve(_ context.Context, conn *net.TCPConn, number int) {
	c := &session{server: s, number: number, conn: conn}
	d := z3950.NewDecoder(bufio.NewReader(conn))
	for {
		tag, err := d.Begin(maxRequest)
		if err != nil {
			return
		}
		command, answer, ends := c.answer(d, tag)
		if answer == nil || d.Finish() != nil || !c.send(command, answer.Append(nil)) || ends {
			return
		}
	}
}

// An apdu is a message that can be sent.
type apdu interface{ Append(b []byte) []byte }

// answer returns the answer to a request, and whether it is the last one; nil if the request
// is none.
func (c *session) answer(d *z3950.Decoder, tag z3950.Tag) (command Command, answer apdu, ends bool) {
	switch tag {
	case z3950.InitRequestTag:
		if m, err := d.Init(); err == nil {
			r := c.init(m)
			return Init, r, !r.Accepted
		}
	case z3950.SearchRequestTag:
		if m, err := d.Search(); err == nil {
			return Search, c.search(m), false
		}
	case z3950.PresentRequestTag:
		if m, err := d.Present(); err == nil {
			return Present, c.present(m), false
		}
	case z3950.CloseTag:
		c.record(Request{Command: Close})
		return Close, &z3950.Close{Text: "as the client wants"}, true
	}
	return 0, nil, true
}

func (c *session) init(m *z3950.Init) *z3950.InitResponse {
	r := Request{Command: Init}
	if m.Login != nil {
		r.User, r.Password = m.Login.User, m.Login.Password
	}
	c.record(r)
	answer := &z3950.InitResponse{Accepted: true, Init: z3950.Init{
		Versions: z3950.Versions, Options: z3950.OptionSearch | z3950.OptionPresent | z3950.OptionNamedSets,
		PreferredMessageSize: m.PreferredMessageSize, ExceptionalRecordSize: m.ExceptionalRecordSize,
		ImplementationID: "zt", ImplementationName: "z3950test", ImplementationVersion: "1",
	}}
	if s := c.server; s.user != "" && (r.User != s.user || r.Password != s.password) {
		answer.Accepted = false
		answer.Diagnostics = []z3950.Diagnostic{{Condition: badLogin, Detail: r.User}}
	}
	return answer
}
