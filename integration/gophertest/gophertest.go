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
// The server reads any [fs.FS] and writes nothing. A directory is a menu, in which
// the type of a file is that of its name's ending. The selector of a file is its
// name after a slash, which may be left out. [Menu], [Search], [Form], [View] and
// [Attribute] add what a file system has not.
//
// It speaks RFC 1436 and the Gopher+ of 1993. Where real servers differ, options
// choose: text and menus end with a dot, as the RFCs have it and the servers of
// Minnesota do, or with [NoDot] like those that are common today; [Plain] knows no
// Gopher+; [OneTab] wants one TAB before a Gopher+ string where the server of
// Minnesota does. Nothing is done to dots in text without [Stuff].
//
// Options make the server a broken one, too ([Faults], [Reply], [Rate]).
package gophertest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"net"
	"strconv"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Server is a gopher server on a loopback port. Its methods may be called from
// any goroutine, and also after Close.
type Server struct {
	URL  string // "gopher://127.0.0.1:port" or "gophers:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	fsys     fs.FS
	added    map[string]*added // keyed by selector
	replies  map[string]string // keyed by request line
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
}

// added is what options have said about a selector.
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

// NewServer starts a gopher server for fsys, which must be safe for use by several
// goroutines. The caller closes the server. NewServer panics if there is no
// loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := &Server{fsys: fsys, added: make(map[string]*added), replies: make(map[string]string)}
	for _, opt := range opts {
		opt(s)
	}
	s.base = server.Listen("gophertest")
	s.Addr = s.base.Addr
	s.host, s.port, _ = net.SplitHostPort(s.Addr)
	s.URL = "gopher://" + s.Addr
	if s.tls != nil {
		s.URL = "gophers://" + s.Addr
	}
	s.base.Serve(s.serve)
	return s
}

// Close stops the server: it closes the listener and every connection, also in the
// middle of an answer, and waits until nothing of the server runs any more. Closing
// twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns every request received so far, of all connections in order of
// arrival: the exact octets, with the line end and the data block of a form. What is
// longer than 64 KiB is not answered and not in it.
func (s *Server) Transcript() []string { return s.base.Transcript() }

// Connections returns how many connections were accepted.
func (s *Server) Connections() int { return s.base.Connections() }

// at returns what the options say about a selector, to add to it.
func (s *Server) at(selector string) *added {
	key := "/" + clean(selector)
	if s.added[key] == nil {
		s.added[key] = new(added)
	}
	return s.added[key]
}

// An Option changes how a Server behaves.
type Option func(*Server)

// Menu adds a menu. Each line of text is one of the menu; what it leaves out is added: the
// host and the port where there is only a type with a name, a TAB and a selector,
// and "i" with a place that is nowhere where there is no TAB.
func Menu(selector, text string) Option {
	return func(s *Server) { s.at(selector).menu = func(string) string { return text } }
}

// Search adds an index. It is asked for words, and the answer is as in [Menu].
func Search(selector string, answer func(words string) string) Option {
	return func(s *Server) {
		s.at(selector).menu = answer
		s.at(selector).search = true
	}
}

// Form adds a text that is the answer to a form. The lines of ask are those of the
// attribute ASK, such as "Ask: Your name?". The answer is given the lines that were
// sent, or nil if the form was not filled.
func Form(selector string, ask []string, answer func(lines []string) string) Option {
	return func(s *Server) {
		s.at(selector).form = answer
		Attribute(selector, "ASK", ask...)(s)
	}
}

// View adds a representation of an item. The first one added is what is sent when
// none is asked for. The language, as in "En_US", may be empty.
func View(selector, mediaType, language, content string) Option {
	return func(s *Server) {
		s.at(selector).views = append(s.at(selector).views, view{mediaType, language, content})
	}
}

// Attribute adds an attribute to an item, such as "ABSTRACT".
func Attribute(selector, name string, lines ...string) Option {
	return func(s *Server) {
		s.at(selector).blocks = append(s.at(selector).blocks, block{name, lines})
	}
}

// Reply answers a request line, without its line end, by these octets and closes.
func Reply(line, octets string) Option {
	return func(s *Server) { s.replies[line] = octets }
}

// NoDot sends no dot after text and menus, plain ones and those whose length is
// [ByClose].
func NoDot() Option { return func(s *Server) { s.noDot = true } }

// Plain knows no Gopher+: what follows a TAB is passed over.
func Plain() Option { return func(s *Server) { s.plain = true } }

// OneTab refuses two TABs before a Gopher+ string, but for an index.
func OneTab() Option { return func(s *Server) { s.oneTab = true } }

// A Length is how answers of Gopher+ say where they end.
type Length int

const (
	Counted Length = iota // a number of octets; for menus and attributes, a dot
	ByDot                 // a dot, also for what is no text
	ByClose               // the end of the connection
)

// Lengths chooses how answers of Gopher+ end.
func Lengths(l Length) Option { return func(s *Server) { s.length = l } }

// Stuff changes the lines of text that are sent up to a dot. They come without their
// line ends.
func Stuff(rule func(line string) string) Option { return func(s *Server) { s.stuff = rule } }

// StuffAll doubles the dot of every line that begins with one, as RFC 1436 has it.
func StuffAll(line string) string {
	if line != "" && line[0] == '.' {
		return "." + line
	}
	return line
}

// StuffDot doubles the dot of a line that is nothing else, as the server of
// Minnesota does.
func StuffDot(line string) string {
	if line == "." {
		return ".."
	}
	return line
}

// status returns the status line of an answer of so many octets.
func (l Length) status(octets int) string {
	switch l {
	case ByDot:
		return "+-1\r\n"
	case ByClose:
		return "+-2\r\n"
	}
	return "+" + strconv.Itoa(octets) + "\r\n"
}
