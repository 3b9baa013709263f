// Package geminitest provides Gemini servers for use in tests, as net/http/httptest does for
// HTTP: small, real, well-behaved, and on the loopback interface.
//
//	files := fstest.MapFS{"docs/hello.gmi": {Data: []byte("# Hello\n")}}
//	server := geminitest.NewServer(files)
//	defer server.Close()
//
//	// The client under test fetches server.URL + "/docs/hello.gmi", and then:
//	for _, request := range server.Transcript() {
//		fmt.Printf("%q\n", request) // "gemini://127.0.0.1:40001/docs/hello.gmi\r\n"
//	}
//
// The server reads any [fs.FS] and writes nothing. A directory is its index.gmi, or else a page of
// links. The media type of a file is that of its name's ending. The server answers for any host, so
// that a proxy may stand before it. [Input], [Secret] and [Private] add features that a file system
// does not have.
//
// Its certificate vouches for itself, as most do; see [Server.Roots]. All servers of the process
// have the same one, but for those with the option [Until].
//
// Options make the server a broken one, too ([Faults], [Reply], [ReplyFunc], [Rate],
// [NoNotify], [MaxConnections]).
package geminitest

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is a Gemini server on a loopback port. Its methods may be called from any goroutine,
// and also after Close.
type Server struct {
	URL  string // "gemini://127.0.0.1:port", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	fsys     fs.FS
	inputs   map[string]input    // by path
	private  map[string][]string // the fingerprints that may see a path; none is all that show one
	replies  server.Replies[Request]
	faults   []*fault
	rate     int
	noNotify bool

	tls         *tls.Config
	certificate *x509.Certificate

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

// NewServer starts a Gemini server for fsys, which must be safe for use by several goroutines.
// The caller closes the server. NewServer panics if there is no loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := NewUnstarted(fsys, opts...)
	s.Start()
	return s
}

// NewUnstarted returns a server that listens, so that URL and Addr are known, and leaves clients
// waiting until Start is called. The caller closes the server, started or not. NewUnstarted
// panics where [NewServer] does.
func NewUnstarted(fsys fs.FS, opts ...Option) *Server {
	s := &Server{fsys: fsys, inputs: make(map[string]input), private: make(map[string][]string), base: server.New("geminitest")}
	s.tls, s.certificate = certificate.Loopback()
	s.base.Refuse = s.refuse
	s.apply(opts)
	s.base.Listen()
	s.Addr = s.base.Addr
	s.URL = "gemini://" + s.Addr
	return s
}

// Start lets the server answer, after further options, which can be made of its address.
// [Listen] comes too late. Start panics if the server is started already.
func (s *Server) Start(opts ...Option) {
	s.apply(opts)
	s.tls = s.tls.Clone()
	s.tls.ClientAuth = tls.RequestClientCert
	s.base.Serve(s.serve)
}

func (s *Server) apply(opts []Option) {
	for _, opt := range opts {
		opt(s)
	}
}

// Close stops the server: it closes the listener and every connection, also in the middle of an
// answer, and waits until nothing of the server runs any more. Closing twice is fine.
func (s *Server) Close() { s.base.Close() }

// Requests returns every request received so far, one for each of the transcript.
func (s *Server) Requests() []Request { return s.requests.All() }

// Transcript returns every request received so far, of all connections in order of arrival: the
// exact octets, with the line end. Requests of more than 2 KiB are not answered and not part of it.
func (s *Server) Transcript() []string {
	return s.requests.Lines(func(r Request) string { return r.Octets })
}

// Connections returns how many connections were accepted, and not refused by [MaxConnections].
func (s *Server) Connections() int { return s.base.Connections() }

// Certificate returns the server's certificate.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }

// Roots returns the certificates by which a client trusts the server without trust on first use.
func (s *Server) Roots() *x509.CertPool { return certificate.Pool(s.certificate) }

// ClientTLS returns the settings of a client that trusts the server, for crypto/tls. The caller
// may change them.
func (s *Server) ClientTLS() *tls.Config { return certificate.Client(s.certificate, s.base.Host()) }
