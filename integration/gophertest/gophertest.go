// Package gophertest provides Gopher and Gopher+ servers for use in tests, as
// net/http/httptest does for HTTP: small, real, well-behaved, and on the loopback
// interface.
//
//	files := fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}}
//	server := gophertest.NewServer(files)
//	defer server.Close()
//
//	// The client under test fetches server.URL + "/0/pub/hello.txt", and then:
//	for _, request := range server.Transcript() {
//		fmt.Printf("%q\n", request) // "/pub/hello.txt\r\n"
//	}
//
// The server reads any [fs.FS] and writes nothing. A directory is a menu, in which the type of a
// file is that of its name's ending. The selector of a file is its name after a slash, which may be
// left out. [Menu], [Search], [Form], [View] and [Attribute] add features that a file system does
// not have.
//
// It implements RFC 1436 and the Gopher+ of 1993. Where real servers differ, options choose: text
// and menus end with a dot, as in the RFCs and the servers of Minnesota, or with [NoDot] without
// one, as in most servers today. [Plain] disables Gopher+. [OneTab] requires one TAB before a
// Gopher+ string where the server of Minnesota does. Without [Stuff], dots in text are sent
// unchanged.
//
// Options make the server a broken one, too ([Faults], [Reply], [ReplyFunc], [Rate],
// [MaxConnections]).
package gophertest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"net"
	"strconv"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is a gopher server on a loopback port. Its methods may be called from
// any goroutine, and also after Close.
type Server struct {
	URL  string // "gopher://127.0.0.1:port" or "gophers:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	fsys     fs.FS
	added    map[string]*added // keyed by selector
	replies  server.Replies[Request]
	faults   []*fault
	rate     int
	noDot    bool
	noNotify bool
	plain    bool
	oneTab   bool
	length   Length
	stuff    func(line string) string

	tls         *tls.Config // nil without TLS
	certificate *x509.Certificate

	host, port string // as menus have them
	base       *server.Server
	requests   server.Log[Request]
}

// added has the options of a selector.
type added struct {
	menu   func(words string) string // also for a search
	search bool
	form   func(answers []string) string
	views  []view
	blocks []block
}

type view struct{ mediaType, language, content string }

type block struct {
	name  string
	lines []string
}

// New starts a server for a test, which closes it when it ends, and shows the transcript
// if it failed. It is [NewServer] otherwise.
func New(t wire.TB, fsys fs.FS, opts ...Option) *Server {
	t.Helper()
	s := NewServer(fsys, opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts a gopher server for fsys, which must be safe for use by several
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
	s := &Server{fsys: fsys, added: make(map[string]*added), base: server.New("gophertest")}
	s.base.Refuse = s.refuse
	s.apply(opts)
	s.base.Listen()
	s.Addr = s.base.Addr
	s.host, s.port, _ = net.SplitHostPort(s.Addr)
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
	s.URL = "gopher://" + s.Addr
	if s.tls != nil {
		s.URL = "gophers://" + s.Addr
	}
}

// Close stops the server: it closes the listener and every connection, also in the
// middle of an answer, and waits until nothing of the server runs any more. Closing
// twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns every request received so far, of all connections in order of arrival: the
// exact octets, with the line end and the data block of a form. Requests of more than 64 KiB are
// not answered and not part of it.
func (s *Server) Transcript() []string {
	return s.requests.Lines(func(r Request) string { return r.Octets })
}

// Connections returns how many connections were accepted, and not refused by
// [MaxConnections].
func (s *Server) Connections() int { return s.base.Connections() }

// at returns the options of a selector, to add to them.
func (s *Server) at(selector string) *added {
	key := "/" + clean(selector)
	if s.added[key] == nil {
		s.added[key] = new(added)
	}
	return s.added[key]
}

// status returns the status line of an answer of a length.
func (l Length) status(octets int) string {
	switch l {
	case ByDot:
		return "+-1\r\n"
	case ByClose:
		return "+-2\r\n"
	}
	return "+" + strconv.Itoa(octets) + "\r\n"
}
