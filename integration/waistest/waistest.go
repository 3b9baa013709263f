// Package waistest provides WAIS servers for use in tests, as net/http/httptest
// does for HTTP: small, real, well-behaved, and on the loopback interface.
//
//	files := fstest.MapFS{"garden/bees.txt": {Data: []byte("Keeping bees\n\nHoney …\n")}}
//	server := waistest.NewServer(files)
//	defer server.Close()
//
//	// The client under test fetches server.URL + "/garden?honey", and then:
//	for _, line := range server.Transcript() {
//		fmt.Println(line) // Init 100000, Search "garden" "honey" 40, …
//	}
//
// Each directory at the top of the file system is a database, and each file below
// it a document, whose type is the extension of its name: .txt is TEXT, and any
// other is itself in capitals. A document is found by its words.
//
// The server acts as freeWAIS-sf 2.0.65 did in captures, in the same octets, with its mistakes:
// SearchStatus is inverted, a search without hits yields the catalog of the database as a hit with
// the score 0, an answer that does not fit is a message without a body. Requests that made that
// server crash make this one close the connection: a second request before the first is answered, a
// document without a type, a range that ends before it begins.
//
// Options change that, or make the server a broken one ([Faults]).
package waistest

import (
	"io/fs"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is a WAIS server on a loopback port. Its methods may be called from any
// goroutine, and also after Close.
type Server struct {
	URL  string // "wais://127.0.0.1:port", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	fsys       fs.FS
	standard   bool
	bare       map[string]bool // databases without a catalog
	undescribe map[string]bool
	families   map[string]bool
	room       int
	wide       bool
	faults     []*fault

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

// NewServer starts a WAIS server for fsys, which must be safe for use by several
// goroutines. The caller closes the server. NewServer panics if there is no
// loopback port to listen on.
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
		fsys: fsys, bare: map[string]bool{}, undescribe: map[string]bool{}, families: map[string]bool{},
		base: server.New("waistest"),
	}
	s.apply(opts)
	s.base.Listen()
	s.Addr = s.base.Addr
	s.URL = "wais://" + s.Addr
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

// Close stops the server: it closes the listener and every connection, and waits
// until nothing of the server runs any more. Closing twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns the requests of all connections in order of arrival: one line for each
// request, "Init 100000", `Search "db" "words" 40`, `Search "db" "words" like 2 40` for words and
// two documents, or `Retrieve "db" TEXT 0-10000`.
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

// Standard sets SearchStatus as the standard defines it: 0 for success.
func Standard() Option { return func(s *Server) { s.standard = true } }

// NoCatalog makes a database one without a catalog: a search without hits has no
// records then.
func NoCatalog(database string) Option {
	return func(s *Server) { s.bare[database] = true }
}

// Undescribed makes a database one without a description.
func Undescribed(database string) Option {
	return func(s *Server) { s.undescribe[database] = true }
}

// Families makes the files of a database whose names differ in their extension only
// one document in several types. The first is the first by name, TEXT if there is
// one.
func Families(database string) Option {
	return func(s *Server) { s.families[database] = true }
}

// Room is the maximum length of an answer, regardless of the negotiated one: a longer answer is a
// message without a body.
func Room(octets int) Option { return func(s *Server) { s.room = octets } }

// Wide writes elements as other servers did: lengths with one octet too many, and unknown elements
// in between.
func Wide() Option { return func(s *Server) { s.wide = true } }
