// Package webtest provides servers of HTTP for programs that are no tests, and so do not
// link net/http/httptest: small, real, well-behaved, and on the loopback interface. In a
// test it serves as well.
//
//	files := fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}}
//	server := webtest.NewServer(files)
//	defer server.Close()
//
//	// The client under test fetches server.URL + "/pub/hello.txt", and then:
//	for _, request := range server.Transcript() {
//		fmt.Printf("%q\n", request) // "GET /pub/hello.txt HTTP/1.1\r\nHost: 127.0.0.1:…\r\n"
//	}
//
// The server reads any [fs.FS] as [http.FileServerFS] does: a directory is a page of links, and
// files are served in ranges. It uses HTTP/1.1 only, so that the exchange is readable.
package webtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is an HTTP server on a loopback port. Its methods may be called from any
// goroutine, and also after Close.
type Server struct {
	URL  string // "http://127.0.0.1:port" or "https:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	tls         *tls.Config // nil without TLS
	certificate *x509.Certificate

	files    http.Handler
	http     *http.Server
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

// NewServer starts an HTTP server for fsys, which must be safe for use by several
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
	s := &Server{files: http.FileServerFS(fsys), base: server.New("webtest")}
	s.http = &http.Server{
		Handler:     http.HandlerFunc(s.answer),
		ErrorLog:    log.New(io.Discard, "", 0), // a client may distrust the certificate
		ConnContext: withNumber,
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
	s.URL = "http://" + s.Addr
	if s.tls != nil {
		s.URL = "https://" + s.Addr
	}
}

// Close stops the server: it closes the listener and every connection, also in the
// middle of an answer, and waits until nothing of the server runs any more. Closing
// twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns the head of every request received so far, of all connections in
// order of arrival: the request line, Host, and the other fields by name. Each of those
// lines ends in CR LF.
func (s *Server) Transcript() []string { return s.requests.Lines(Request.head) }

// Connections returns how many connections were accepted, and not refused by
// [MaxConnections].
func (s *Server) Connections() int { return s.base.Connections() }

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:8080" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) { s.base.At(addr) }
}

// MaxConnections answers each further connection with 503, and closes it, while n are open.
func MaxConnections(n int) Option {
	return func(s *Server) { s.base.Max = n }
}

// TLS makes every connection a TLS connection from its first octet, and the URL one of the scheme
// https. The certificate of the server is for 127.0.0.1, ::1 and localhost, and valid for clients
// that trust [Server.Roots].
func TLS() Option {
	return func(s *Server) { s.tls, s.certificate = certificate.Loopback() }
}

// Handler answers every request by h, in place of the files.
func Handler(h http.HandlerFunc) Option {
	return func(s *Server) { s.files = h }
}

// Certificate returns the server's certificate, or nil if it has no TLS.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }

// Roots returns the certificates by which a client trusts this server, and any other of the
// process.
func (s *Server) Roots() *x509.CertPool { return certificate.Pool(s.certificate) }

// ClientTLS returns the settings of a client that trusts the server, for crypto/tls or for
// net/http, or nil if the server has no TLS. The caller may change them.
func (s *Server) ClientTLS() *tls.Config { return certificate.Client(s.certificate, s.base.Host()) }

// serve answers the requests of one connection, until either side closes it.
func (s *Server) serve(_ context.Context, tcp *net.TCPConn, number int) {
	l, conn := single(tcp, number)
	if s.tls != nil {
		conn = tls.Server(conn, s.tls)
	}
	l.conns <- conn
	s.http.Serve(l)
}

// refuse answers a connection that is one too many.
func (s *Server) refuse(tcp *net.TCPConn) {
	conn := net.Conn(tcp)
	if s.tls != nil {
		conn = tls.Server(conn, s.tls)
	}
	io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
}

// answer records a request and answers it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	number, _ := r.Context().Value(numberKey{}).(int)
	s.requests.Add(Request{
		Conn: number, Method: r.Method, Target: r.RequestURI, Proto: r.Proto,
		Host: r.Host, Header: r.Header.Clone(), TLS: r.TLS != nil,
	})
	s.files.ServeHTTP(w, r)
}
