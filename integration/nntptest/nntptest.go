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
// A directory of the [fs.FS] is a newsgroup, and a file in it whose name is a number is the article
// with that number; a directory without such files is an empty group, and the file newsgroups has
// the descriptions of groups. Lines of articles may end in LF. An article that lacks a Message-ID
// gets one. The server reads the file system when it starts, except the text of the articles.
//
// The server implements RFC 3977 with AUTHINFO USER and SASL PLAIN (RFC 4643), STARTTLS (RFC 4642),
// COMPRESS DEFLATE (RFC 8054), LIST COUNTS (RFC 6048), and XOVER and XHDR for old clients (RFC
// 2980). It refuses POST.
//
// Options remove features ([Without], [Reply], [ReplyFunc], [Rate]), add restrictions ([Private],
// [RequireTLS], [MaxConnections]) or add faults ([Faults], for each article and each command).
// [Server.Requests] are the commands of the transcript with the group or article that each is
// about.
package nntptest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is a news server on a loopback port. Its methods may be called from any
// goroutine, and also after Close.
type Server struct {
	URL  string // "nntp://127.0.0.1:port" or "nntps:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	store    *store
	greeting string
	users    map[string]string                // password by name
	login    func(name, password string) bool // in place of users, if not nil
	private  []string
	saslOnly bool
	without  map[string]bool
	replies  server.Replies[Request]
	faults   []*fault
	rate     int

	tls         *tls.Config // nil without TLS
	certificate *x509.Certificate
	implicit    bool
	requireTLS  bool
	inject      string

	base     *server.Server
	requests server.Log[Request]
	logins   atomic.Int64
}

// New starts a server for a test, which closes it when it ends, and shows the transcript
// if it failed. It is [NewServer] otherwise.
func New(t wire.TB, fsys fs.FS, opts ...Option) *Server {
	t.Helper()
	s := NewServer(fsys, opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts a news server for fsys, which must be safe for use by several
// goroutines. The caller closes the server. NewServer panics if fsys cannot be
// read, or if there is no loopback port to listen on.
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
		greeting: "nntptest ready, posting prohibited.",
		users:    map[string]string{},
		without:  map[string]bool{},
		base:     server.New("nntptest"),
	}
	var err error
	if s.store, err = newStore(fsys); err != nil {
		panic("nntptest: " + err.Error())
	}
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
	s.URL = "nntp://" + s.Addr
	if s.implicit {
		s.URL = "nntps://" + s.Addr
	}
}

// Close stops the server: it closes the listener and every connection, and waits
// until nothing of the server runs any more. Closing twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns every command line received so far, of all connections in
// order of arrival. Lines are as they were sent, without their line end, so those
// of AUTHINFO show the password.
func (s *Server) Transcript() []string {
	return s.requests.Lines(func(r Request) string { return r.Line })
}

// Logins returns how many logins succeeded.
func (s *Server) Logins() int { return int(s.logins.Load()) }

// Connections returns how many connections were accepted, and not refused by
// [MaxConnections].
func (s *Server) Connections() int { return s.base.Connections() }

// mayLogIn reports whether the name and the password belong together.
func (s *Server) mayLogIn(name, password string) bool {
	if s.login != nil {
		return s.login(name, password)
	}
	want, ok := s.users[name]
	return ok && password == want
}

// hasLogins reports whether any user can log in.
func (s *Server) hasLogins() bool { return s.login != nil || len(s.users) > 0 }
