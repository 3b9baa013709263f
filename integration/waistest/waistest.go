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
// The server does what freeWAIS-sf 2.0.65 was seen to do, in the same octets, down
// to its mistakes: SearchStatus is the wrong way round, a search without hits yields
// the catalog of the database as a hit with the score 0, an answer that does not
// fit is a message without a body, and what made that server come down makes this
// one close the connection: a second request before the first is answered, a
// document without a type, a range that ends before it begins.
//
// Options change that, or make the server a broken one ([Faults]).
package waistest

import (
	"context"
	"io/fs"
	"net"
	"slices"
	"sync"
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

	listener *net.TCPListener
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu          sync.Mutex
	transcript  []string
	connections int
}

// NewServer starts a WAIS server for fsys, which must be safe for use by several
// goroutines. The caller closes the server. NewServer panics if there is no
// loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := &Server{fsys: fsys, bare: map[string]bool{}, undescribe: map[string]bool{}, families: map[string]bool{}}
	for _, opt := range opts {
		opt(s)
	}
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic("waistest: " + err.Error())
	}
	s.listener = listener
	s.Addr = listener.Addr().String()
	s.URL = "wais://" + s.Addr

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

// Transcript returns what was asked, of all connections in order of arrival: one
// line for each request, "Init 100000", `Search "db" "words" 40` or
// `Retrieve "db" TEXT 0-10000`.
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
		conn, err := s.listener.AcceptTCP()
		if err != nil {
			return // Closed.
		}
		s.mu.Lock()
		s.connections++
		s.mu.Unlock()
		s.wg.Go(func() { s.serve(ctx, conn) })
	}
}

// An Option changes how a Server behaves.
type Option func(*Server)

// Standard sets SearchStatus as the standard has it: 0 for what went well.
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

// Room is how long an answer may be, whatever was agreed: a longer one is a message
// without a body.
func Room(octets int) Option { return func(s *Server) { s.room = octets } }

// Wide writes elements as other servers did: lengths with an octet more than it
// takes, and elements in between that nobody knows.
func Wide() Option { return func(s *Server) { s.wide = true } }
