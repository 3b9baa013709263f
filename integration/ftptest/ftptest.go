// Package ftptest provides FTP servers for use in tests, as net/http/httptest
// does for HTTP: small, real, well-behaved, and on the loopback interface.
//
//	files := fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}}
//	server := ftptest.NewServer(files)
//	defer server.Close()
//
//	// The client under test fetches server.URL + "/pub/hello.txt", and then:
//	for _, line := range server.Transcript() {
//		fmt.Println(line) // USER anonymous, PASS …, RETR hello.txt
//	}
//
// The server reads any [fs.FS]. Without [Store] it writes nothing: STOR, DELE and
// their like are refused, but they are in the transcript, so that a test can assert
// that a client was not tricked into sending one. With Store it takes uploads.
//
// It implements RFC 959 with the extensions of RFC 2389 (FEAT), RFC 2428 (EPSV and EPRT) and RFC
// 3659 (SIZE, MDTM, REST, MLST and MLSD). Where real servers differ, it acts as most of them do,
// and is strict where some are: SIZE and REST are refused in TYPE A, which is the type every
// connection starts with, and 150 comes only when the data connection is there. "NLST pub" gives
// names without "pub/" before them. TLS (RFC 4217) comes with [StartTLS] or [TLS], and IPv6 with
// [Listen].
//
// Names are octets, passed to the file system as they came; note that many
// file systems accept only names that satisfy [fs.ValidPath], which are UTF-8.
//
// Options remove features ([Without], [Reply], [ReplyFunc], [Rate], [MaxConnections], [Stumbles])
// or add faults ([Faults], for each path and each command). [Server.Requests] are the commands of
// the transcript with their paths, and [Server.Flights] counts round trips.
package ftptest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is an FTP server on a loopback port. Its methods may be called from
// any goroutine, and also after Close.
type Server struct {
	URL  string // "ftp://127.0.0.1:port" or "ftps:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	fsys        fs.FS
	store       *os.Root // nil if nothing is written
	greeting    string
	home        string
	noAnonymous bool
	users       map[string]string // password by name
	without     map[string]bool
	login       func(name, password string) bool // in place of users, if not nil
	replies     server.Replies[Request]
	faults      []*fault
	rate        int
	stumble     Stumble
	turn        chan struct{} // has room for the one client that is served; nil is many

	tls          *tls.Config // nil without TLS
	certificate  *x509.Certificate
	implicit     bool
	requireReuse bool
	inject       string

	base     *server.Server
	requests server.Log[Request]
	logins   atomic.Int64
	flights  atomic.Int64
}

// New starts a server for a test, which closes it when it ends, and shows the transcript
// if it failed. It is [NewServer] otherwise.
func New(t wire.TB, fsys fs.FS, opts ...Option) *Server {
	t.Helper()
	s := NewServer(fsys, opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts an FTP server for fsys, which must be safe for use by
// several goroutines. The caller closes the server. NewServer panics if there
// is no loopback port to listen on.
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
		fsys:     fsys,
		greeting: "ftptest ready.",
		home:     "/",
		users:    map[string]string{},
		without:  map[string]bool{},
		base:     server.New("ftptest"),
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
	s.URL = "ftp://" + s.Addr
	if s.implicit {
		s.URL = "ftps://" + s.Addr
	}
}

// Close stops the server: it closes the listener and every connection, also in
// the middle of a transfer, and waits until nothing of the server runs any
// more. Closing twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns every command line received so far, of all connections in
// order of arrival. Lines are as they were sent, without their line end, so a
// line with PASS shows the password. CR LF and LF both end a line; any other
// octet, a bare CR as well, is part of it. A line of more than 64 KiB is
// answered 500, ends the connection, and is not in the transcript.
func (s *Server) Transcript() []string {
	return s.requests.Lines(func(r Request) string { return r.Line })
}

// Logins returns how many logins succeeded: the number of control connections
// that logged in, unless one did so twice.
func (s *Server) Logins() int { return int(s.logins.Load()) }

// Connections returns how many control connections were accepted, and not refused by
// [MaxConnections].
func (s *Server) Connections() int { return s.base.Connections() }

// mayLogIn reports whether the name and the password belong together. Anyone
// is anonymous, with any password.
func (s *Server) mayLogIn(name, password string) bool {
	if s.login != nil {
		return s.login(name, password)
	}
	if want, ok := s.users[name]; ok {
		return password == want
	}
	anonymous := strings.EqualFold(name, "anonymous") || strings.EqualFold(name, "ftp")
	return anonymous && !s.noAnonymous
}
