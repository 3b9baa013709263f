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
// The server reads any [fs.FS] as [http.FileServerFS] does: a directory is a page of
// links, and a file can be had in ranges. It speaks HTTP/1.1 only, so that the exchange
// can be read.
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
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Server is an HTTP server on a loopback port. Its methods may be called from any
// goroutine, and also after Close.
type Server struct {
	URL  string // "http://127.0.0.1:port" or "https:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	tls         *tls.Config // nil without TLS
	certificate *x509.Certificate

	files http.Handler
	http  *http.Server
	base  *server.Server
}

// NewServer starts an HTTP server for fsys, which must be safe for use by several
// goroutines. The caller closes the server. NewServer panics if there is no
// loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := &Server{files: http.FileServerFS(fsys)}
	for _, opt := range opts {
		opt(s)
	}
	s.http = &http.Server{
		Handler:  http.HandlerFunc(s.answer),
		ErrorLog: log.New(io.Discard, "", 0), // a client may distrust the certificate
	}
	s.base = server.Listen("webtest")
	s.Addr = s.base.Addr
	s.URL = "http://" + s.Addr
	if s.tls != nil {
		s.URL = "https://" + s.Addr
	}
	s.base.Serve(s.serve)
	return s
}

// Close stops the server: it closes the listener and every connection, also in the
// middle of an answer, and waits until nothing of the server runs any more. Closing
// twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns the head of every request received so far, of all connections in
// order of arrival: the request line, Host, and the other fields by name. Each of those
// lines ends in CR LF.
func (s *Server) Transcript() []string { return s.base.Transcript() }

// Connections returns how many connections were accepted.
func (s *Server) Connections() int { return s.base.Connections() }

// An Option changes how a Server behaves.
type Option func(*Server)

// TLS makes every connection a TLS connection from its first octet, and the URL one of
// the scheme https. The server's certificate is for 127.0.0.1 and localhost, and good
// in the eyes of those who trust [Server.Roots].
func TLS() Option {
	return func(s *Server) { s.tls, s.certificate = certificate.Loopback() }
}

// Certificate returns the server's certificate, or nil if it has no TLS.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }

// Roots returns what a client must trust to believe the server, and any other of
// the process.
func (s *Server) Roots() *x509.CertPool { return certificate.Pool(s.certificate) }

// serve answers the requests of one connection, until either side closes it.
func (s *Server) serve(_ context.Context, tcp *net.TCPConn) {
	l, conn := single(tcp)
	if s.tls != nil {
		conn = tls.Server(conn, s.tls)
	}
	l.conns <- conn
	s.http.Serve(l)
}

// answer records a request and answers it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	var head strings.Builder
	head.WriteString(r.Method + " " + r.RequestURI + " " + r.Proto + "\r\nHost: " + r.Host + "\r\n")
	r.Header.Write(&head)
	s.base.Record(head.String())
	s.files.ServeHTTP(w, r)
}
