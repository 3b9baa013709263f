// Package s3test provides S3 servers for use in tests, as net/http/httptest does for HTTP: small,
// real, well-behaved, and on the loopback interface.
//
//	files := fstest.MapFS{"bucket/pub/hello.txt": {Data: []byte("hello\n")}}
//	server := s3test.NewServer(files)
//	defer server.Close()
//
//	// The client under test has the endpoint server.URL, fetches s3://bucket/pub/hello.txt, and
//	// then:
//	for _, request := range server.Transcript() {
//		fmt.Printf("%q\n", request) // "GET /bucket/pub/hello.txt HTTP/1.1\r\nHost: 127.0.0.1:…\r\n"
//	}
//
// The server reads any [fs.FS] and, unless it is [Writable], stores nothing: the directories of the
// root are buckets, and the files in them are objects, with their MD5 as ETag. It implements GetObject, HeadObject and
// ListObjectsV2, in the style of paths, and for hosts below amazonaws.com in that of virtual hosts.
// Unsigned requests may read all objects unless there is a [User]. A signature is always verified
// (Signature Version 4).
//
// Options make the server an odd or a broken one, too ([Region], [Clock], [Object], [Deny],
// [Faults], [Fail]).
package s3test

import (
	"io/fs"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/webtest"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is an S3 server on a loopback port. Its methods may be called from any goroutine,
// and also after Close.
type Server struct {
	URL  string // the endpoint, "http://127.0.0.1:port" or "https:…", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	fsys    fs.FS
	users   map[string]string // secrets by access key
	token   string            // that requests have to have
	regions map[string]string // by bucket; "" is for all others
	clock   time.Duration
	page    int // how many names a page of a listing has at most
	plain   bool
	objects []object
	denied  []string
	faults  []*fault
	failed  []*failure
	written *written // nil if the server takes nothing
	lying   bool
	web     []webtest.Option

	*webtest.Server
}

// New starts a server for a test, which closes it when it ends, and shows the transcript if it
// failed. It is [NewServer] otherwise.
func New(t wire.TB, fsys fs.FS, opts ...Option) *Server {
	t.Helper()
	s := NewServer(fsys, opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts an S3 server for fsys, which must be safe for use by several goroutines. The
// caller closes the server. NewServer panics if there is no loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := NewUnstarted(fsys, opts...)
	s.Start()
	return s
}

// NewUnstarted returns a server that listens, so that URL and Addr are known, and leaves clients
// waiting until Start is called. The caller closes the server, started or not. NewUnstarted
// panics where [NewServer] does.
func NewUnstarted(fsys fs.FS, opts ...Option) *Server {
	s := &Server{fsys: fsys, users: make(map[string]string), regions: make(map[string]string), page: 1000}
	s.apply(opts)
	s.Server = webtest.NewUnstarted(fsys, append(s.web, webtest.Handler(s.answer))...)
	s.URL, s.Addr = s.Server.URL, s.Server.Addr
	return s
}

// Start lets the server answer, after further options, which can be made of its address.
// [Listen], [TLS] and [MaxConnections] come too late. Start panics if the server is started
// already.
func (s *Server) Start(opts ...Option) {
	s.apply(opts)
	s.Server.Start()
}

func (s *Server) apply(opts []Option) {
	for _, opt := range opts {
		opt(s)
	}
}
