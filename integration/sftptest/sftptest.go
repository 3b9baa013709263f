// Package sftptest provides SFTP servers for use in tests, as net/http/httptest does for HTTP:
// small, real, well-behaved, and on the loopback interface.
//
//	files := fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}}
//	server := sftptest.NewServer(files)
//	defer server.Close()
//
//	// The client under test trusts server.KnownHosts(), fetches server.URL + "/pub/hello.txt",
//	// and then:
//	for _, request := range server.Transcript() {
//		fmt.Println(request) // STAT "/pub/hello.txt"
//	}
//
// The server reads any [fs.FS] and writes nothing. It implements version 3 of SFTP, as OpenSSH
// does, on the SSH of golang.org/x/crypto/ssh. It accepts every client, or with [User],
// [AuthorizedKey] and [Question] only those that pass one of them.
//
// Options make the server a broken one, too ([Faults], [Reply], [MaxConnections]), and
// [Server.ChangeHostKey] makes it another one.
package sftptest

import (
	"crypto/ed25519"
	"crypto/rand"
	"io/fs"
	"net"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is an SFTP server on a loopback port. Its methods may be called from any goroutine,
// and also after Close.
type Server struct {
	URL  string // "sftp://127.0.0.1:port", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	fsys        fs.FS
	home        string
	users       map[string]string
	keys        map[string]bool // by their octets
	questions   [][2]string
	instruction string
	both        bool
	jump        bool
	banner      string
	relay       string
	replies     []reply
	faults      []*fault

	base     *server.Server
	requests server.Log[string]

	mu   sync.Mutex
	key  ssh.Signer
	file int // the number of the last handle
}

// A reply is an answer that a test has written.
type reply struct {
	prefix string
	octets []byte
}

// New starts a server for a test, which closes it when it ends, and shows the transcript
// if it failed. It is [NewServer] otherwise.
func New(t wire.TB, fsys fs.FS, opts ...Option) *Server {
	t.Helper()
	s := NewServer(fsys, opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts an SFTP server for fsys, which must be safe for use by several goroutines. The
// caller closes the server. NewServer panics if there is no loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := &Server{fsys: fsys, users: make(map[string]string), keys: make(map[string]bool), instruction: "Please answer.", base: server.New("sftptest")}
	for _, opt := range opts {
		opt(s)
	}
	s.ChangeHostKey()
	s.base.Listen()
	s.Addr = s.base.Addr
	s.URL = "sftp://" + s.Addr
	s.base.Serve(s.serve)
	return s
}

// Close stops the server: it closes the listener and every connection, also in the
// middle of an answer, and waits until nothing of the server runs any more. Closing
// twice is fine.
func (s *Server) Close() { s.base.Close() }

// Transcript returns a line for every request received so far, of all connections in order of
// arrival: its name and, quoted, its path, or the octets of a READ.
func (s *Server) Transcript() []string { return s.requests.All() }

// Connections returns how many connections were accepted, and not refused by [MaxConnections].
func (s *Server) Connections() int { return s.base.Connections() }

// KnownHosts returns the line for the server in a file of known hosts.
func (s *Server) KnownHosts() string {
	host, port, _ := net.SplitHostPort(s.Addr)
	return "[" + host + "]:" + port + " " + string(ssh.MarshalAuthorizedKey(s.hostKey().PublicKey()))
}

// Fingerprint returns the fingerprint of the key of the server: "SHA256:…".
func (s *Server) Fingerprint() string { return ssh.FingerprintSHA256(s.hostKey().PublicKey()) }

// ChangeHostKey gives the server another key, for further connections.
func (s *Server) ChangeHostKey() {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic("sftptest: " + err.Error())
	}
	signer, err := ssh.NewSignerFromSigner(key)
	if err != nil {
		panic("sftptest: " + err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = signer
}

func (s *Server) hostKey() ssh.Signer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key
}
