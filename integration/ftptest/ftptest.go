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
// The server reads any [fs.FS] and writes nothing. STOR, DELE and their like
// are refused, but they are in the transcript, so that a test can assert that
// a client was not tricked into sending one.
//
// It speaks RFC 959 with the extensions of RFC 2389 (FEAT), RFC 2428 (EPSV and
// EPRT) and RFC 3659 (SIZE, MDTM, REST, MLST and MLSD). Where real servers
// differ it does what most of them do, and is strict where some are: SIZE and
// REST are refused in TYPE A, which is the type every connection starts with,
// and 150 comes only when the data connection is there. "NLST pub" gives names
// without "pub/" before them. TLS (RFC 4217) comes with [ExplicitTLS] or
// [ImplicitTLS]. It has no IPv6.
//
// Names are octets, passed to the file system as they came; note that many
// file systems accept only names that satisfy [fs.ValidPath], which are UTF-8.
//
// Options make the server a poorer one ([Without], [Reply], [Rate], [Stumbles]) or a
// broken one ([Faults]). [Server.Flights] counts round trips.
package ftptest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"path"
	"strings"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Server is an FTP server on a loopback port. Its methods may be called from
// any goroutine, and also after Close.
type Server struct {
	URL  string // "ftp://127.0.0.1:port" or "ftps:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	fsys        fs.FS
	greeting    string
	home        string
	noAnonymous bool
	users       map[string]string // password by name
	without     map[string]bool
	replies     server.Replies
	faults      []*fault
	rate        int
	stumble     Stumble
	turn        chan struct{} // has room for the one client that is served; nil is many

	tls          *tls.Config // nil without TLS
	certificate  *x509.Certificate
	implicit     bool
	requireReuse bool
	inject       string

	base    *server.Server
	logins  atomic.Int64
	flights atomic.Int64
}

// NewServer starts an FTP server for fsys, which must be safe for use by
// several goroutines. The caller closes the server. NewServer panics if there
// is no loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := &Server{
		fsys:     fsys,
		greeting: "ftptest ready.",
		home:     "/",
		users:    map[string]string{},
		without:  map[string]bool{},
	}
	for _, opt := range opts {
		opt(s)
	}

	s.base = server.Listen("ftptest")
	s.Addr = s.base.Addr
	s.URL = "ftp://" + s.Addr
	if s.implicit {
		s.URL = "ftps://" + s.Addr
	}
	s.base.Serve(s.serve)
	return s
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
func (s *Server) Transcript() []string { return s.base.Transcript() }

// Logins returns how many logins succeeded: the number of control connections
// that logged in, unless one did so twice.
func (s *Server) Logins() int { return int(s.logins.Load()) }

// Connections returns how many control connections were accepted.
func (s *Server) Connections() int { return s.base.Connections() }

// mayLogIn reports whether the name and the password belong together. Anyone
// is anonymous, with any password.
func (s *Server) mayLogIn(name, password string) bool {
	if want, ok := s.users[name]; ok {
		return password == want
	}
	anonymous := strings.EqualFold(name, "anonymous") || strings.EqualFold(name, "ftp")
	return anonymous && !s.noAnonymous
}

// An Option changes how a Server behaves.
type Option func(*Server)

// Greeting is the text after the 220 with which the server opens. Lines are
// separated by LF; more than one make a multi-line reply.
func Greeting(text string) Option {
	return func(s *Server) { s.greeting = text }
}

// User lets a user log in. It may be given several times.
func User(name, password string) Option {
	return func(s *Server) { s.users[name] = password }
}

// NoAnonymous refuses anonymous and ftp, who may otherwise log in with any
// password.
func NoAnonymous() Option {
	return func(s *Server) { s.noAnonymous = true }
}

// Home is the directory in which users are after login: with Home("home/joe")
// a relative "CWD etc" and an absolute "CWD /etc" differ. The default is the
// root.
func Home(dir string) Option {
	return func(s *Server) { s.home = path.Join("/", dir) }
}

// OneClient serves one control connection after the other. Each gets its greeting when the one
// before it has ended.
func OneClient() Option {
	return func(s *Server) { s.turn = make(chan struct{}, 1) }
}

// Without answers 502 to these commands and leaves them out of FEAT. Without
// SIZE the server does not tell the size in its 150 reply either.
func Without(commands ...string) Option {
	return func(s *Server) {
		for _, command := range commands {
			s.without[strings.ToUpper(command)] = true
		}
	}
}

// Reply answers every command line that begins with command, which may have
// arguments as in "CWD pub", with this reply and does nothing else; it goes
// before all that the server would do, the login included. The reply is sent as
// it stands, with CR LF after it; the empty reply means that nothing is sent.
// If several fit the first one given is used.
func Reply(command, reply string) Option {
	return func(s *Server) { s.replies.Add(upperVerb(command), reply) }
}
