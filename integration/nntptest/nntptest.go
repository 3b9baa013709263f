// Package nntptest provides news servers for use in tests, as net/http/httptest
// does for HTTP: small, real, well-behaved, and on the loopback interface.
//
//	files := fstest.MapFS{
//		"newsgroups":  {Data: []byte("test.misc\tMiscellaneous tests\n")},
//		"test.misc/1": {Data: []byte("From: joe@example.com\nMessage-ID: <1@example.com>\n\nhello\n")},
//	}
//	server := nntptest.NewServer(files)
//	defer server.Close()
//
//	// The client under test fetches server.URL + "/test.misc/1", and then:
//	for _, line := range server.Transcript() {
//		fmt.Println(line) // MODE READER, GROUP test.misc, ARTICLE 1
//	}
//
// A directory of the [fs.FS] is a newsgroup, and a file in it whose name is a number
// is the article with that number; a directory without such files is an empty
// group, and the file newsgroups has what groups are about. Lines of articles may
// end in LF. An article that lacks a Message-ID gets one. What is in the file
// system is read when the server starts, except the text of the articles.
//
// The server speaks RFC 3977 with AUTHINFO USER and SASL PLAIN (RFC 4643), STARTTLS
// (RFC 4642), COMPRESS DEFLATE (RFC 8054), LIST COUNTS (RFC 6048), and XOVER and
// XHDR for clients of old (RFC 2980). Nothing can be posted.
//
// Options make the server a poorer one ([Without], [Reply]), a stricter one
// ([Private], [RequireTLS], [MaxConnections]) or a broken one ([Faults]).
package nntptest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Server is a news server on a loopback port. Its methods may be called from any
// goroutine, and also after Close.
type Server struct {
	URL  string // "nntp://127.0.0.1:port" or "nntps:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by NewServer and not changed afterwards.
	store          *store
	users          map[string]string // password by name
	private        []string
	saslOnly       bool
	without        map[string]bool
	replies        server.Replies
	faults         []*fault
	maxConnections int

	tls         *tls.Config // nil without TLS
	certificate *x509.Certificate
	implicit    bool
	requireTLS  bool
	inject      string

	base   *server.Server
	logins atomic.Int64

	mu      sync.Mutex
	open    int
	refused int
}

// NewServer starts a news server for fsys, which must be safe for use by several
// goroutines. The caller closes the server. NewServer panics if fsys cannot be
// read, or if there is no loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := &Server{users: map[string]string{}, without: map[string]bool{}}
	for _, opt := range opts {
		opt(s)
	}
	var err error
	if s.store, err = newStore(fsys); err != nil {
		panic("nntptest: " + err.Error())
	}
	s.base = server.Listen("nntptest")
	s.Addr = s.base.Addr
	s.URL = "nntp://" + s.Addr
	if s.implicit {
		s.URL = "nntps://" + s.Addr
	}
	s.base.Serve(s.serve)
	return s
}

// Close stops the server: it closes the listener and every connection, and waits
// until nothing of the server runs any more. Closing twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns every command line received so far, of all connections in
// order of arrival. Lines are as they were sent, without their line end, so those
// of AUTHINFO show the password.
func (s *Server) Transcript() []string { return s.base.Transcript() }

// Logins returns how many logins succeeded.
func (s *Server) Logins() int { return int(s.logins.Load()) }

// Connections returns how many connections were accepted, and not refused by
// MaxConnections.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base.Connections() - s.refused
}

// admit counts a connection in, or reports false if there are too many.
func (s *Server) admit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.maxConnections > 0 && s.open >= s.maxConnections {
		s.refused++
		return false
	}
	s.open++
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
}

// An Option changes how a Server behaves.
type Option func(*Server)

// User lets a user log in. It may be given several times.
func User(name, password string) Option {
	return func(s *Server) { s.users[name] = password }
}

// Private wants a login (480) for these groups and for the articles in them; "*"
// is for everything.
func Private(groups ...string) Option {
	return func(s *Server) { s.private = append(s.private, groups...) }
}

// SASLOnly refuses AUTHINFO USER and PASS.
func SASLOnly() Option {
	return func(s *Server) { s.saslOnly = true }
}

// MaxConnections greets the next connection with 502 while there are so many.
func MaxConnections(n int) Option {
	return func(s *Server) { s.maxConnections = n }
}

// Without answers 500 to these commands, such as "OVER" or "LIST COUNTS", and leaves
// them out of CAPABILITIES.
func Without(commands ...string) Option {
	return func(s *Server) {
		for _, command := range commands {
			s.without[strings.ToUpper(command)] = true
		}
	}
}

// Reply answers every command line that begins with command, which may have
// arguments as in "GROUP test.misc", with this reply and does nothing else. The
// reply is sent as it stands, with CR LF after it; the empty reply means that
// nothing is sent. If several fit the first one given is used.
func Reply(command, reply string) Option {
	return func(s *Server) { s.replies.Add(server.UpperVerb(command), reply) }
}
