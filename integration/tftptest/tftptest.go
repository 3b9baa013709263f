// Package tftptest provides TFTP servers for use in tests, as net/http/httptest does for
// HTTP: small, well-behaved or broken as a test needs them, and on the loopback interface.
//
//	server := tftptest.NewServer(fstest.MapFS{"boot/image": {Data: image}})
//	defer server.Close()
//
//	// The client under test fetches server.URL + "/boot/image", and then:
//	for _, line := range server.Transcript() {
//		fmt.Println(line) // RRQ boot/image octet blksize=1428
//	}
//
// The server implements RFC 1350 with the options blksize, tsize, timeout and windowsize (RFC 2347,
// 2348, 2349, 7440), and each transfer has a port of its own. A copy of an acknowledgement is not
// answered (RFC 1123, section 4.2.3.1). It refuses WRQ.
//
// Options remove features ([Without], [RefuseOptions]), add a bad network ([Loss]), or add faults
// ([Faults]).
package tftptest

import (
	"context"
	"io/fs"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Server is a TFTP server on a loopback port. Its methods may be called from any goroutine,
// and also after Close.
type Server struct {
	URL  string // "tftp://127.0.0.1:port", without a slash at the end
	Addr string // "127.0.0.1:port"

	// Set by the options and not changed afterwards.
	addr    string // to listen at
	fsys    fs.FS
	without map[string]bool
	refuses bool
	wait    time.Duration
	faults  []*fault

	loss     *loss
	socket   *net.UDPConn
	requests server.Log[Request]
	acks     server.Log[uint16]
	started  atomic.Bool
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup
}

// A Request is a request that a client has sent.
type Request struct {
	File    string
	Mode    string   // in lower case
	Options []string // "blksize=1428", in the client's order
}

// New starts a server for a test, which closes it when it ends, and shows the transcript
// if it failed. It is [NewServer] otherwise.
func New(t wire.TB, fsys fs.FS, opts ...Option) *Server {
	t.Helper()
	s := NewServer(fsys, opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts a server for fsys, which must be safe for use by several goroutines. The
// caller closes the server. NewServer panics if there is no loopback port to listen on.
func NewServer(fsys fs.FS, opts ...Option) *Server {
	s := NewUnstarted(fsys, opts...)
	s.Start()
	return s
}

// NewUnstarted returns a server that listens, so that URL and Addr are known, and leaves
// clients waiting until Start is called. The caller closes the server, started or not.
// NewUnstarted panics where [NewServer] does.
func NewUnstarted(fsys fs.FS, opts ...Option) *Server {
	s := &Server{addr: "127.0.0.1:0", fsys: fsys, without: map[string]bool{}, wait: time.Second}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.apply(opts)
	at, err := net.ResolveUDPAddr("udp", s.addr)
	if err == nil {
		s.socket, err = net.ListenUDP("udp", at)
	}
	if err != nil {
		panic("tftptest: " + err.Error())
	}
	s.Addr = s.socket.LocalAddr().String()
	s.URL = "tftp://" + s.Addr
	return s
}

// Start lets the server answer, after further options, which can be made of its address.
// [Listen] comes too late. Start panics if the server is started already.
func (s *Server) Start(opts ...Option) {
	s.apply(opts)
	if s.started.Swap(true) {
		panic("tftptest: the server is started already")
	}
	s.wg.Go(s.serve)
}

func (s *Server) apply(opts []Option) {
	for _, opt := range opts {
		opt(s)
	}
}

// Close stops the server and its transfers, and waits until nothing of it runs any more.
// Closing twice is fine.
func (s *Server) Close() {
	s.cancel()
	s.socket.Close()
	s.wg.Wait()
}

// Requests returns every request received so far, in order of arrival. A request that was sent
// again is there again.
func (s *Server) Requests() []Request { return s.requests.All() }

// Transcript returns the requests as "RRQ file mode option=value…".
func (s *Server) Transcript() []string {
	return s.requests.Lines(func(r Request) string {
		return strings.Join(append([]string{"RRQ", r.File, r.Mode}, r.Options...), " ")
	})
}

// Acks returns the blocks that clients have acknowledged, in order of arrival.
func (s *Server) Acks() []uint16 { return s.acks.All() }

// serve receives requests.
func (s *Server) serve() {
	p := make([]byte, 1<<16)
	var running sync.Map // clients that have a transfer: a copy of a request is passed over
	for {
		n, from, err := s.socket.ReadFromUDP(p)
		if err != nil {
			return
		}
		r, ok := parseRequest(string(p[:n]))
		if !ok {
			s.socket.WriteToUDP(errorPacket(4, "Illegal TFTP operation"), from)
			continue
		}
		s.requests.Add(r)
		key := from.String() + strings.Join(r.Options, " ")
		if _, copied := running.LoadOrStore(key, true); !copied {
			s.wg.Go(func() {
				defer running.Delete(key)
				s.transfer(r, from)
			})
		}
	}
}

// parseRequest reads a request to read.
func parseRequest(datagram string) (r Request, ok bool) {
	if !strings.HasPrefix(datagram, "\x00\x01") || !strings.HasSuffix(datagram, "\x00") {
		return r, false
	}
	words := strings.Split(datagram[2:len(datagram)-1], "\x00")
	if len(words) < 2 || len(words)%2 != 0 {
		return r, false
	}
	r.File, r.Mode = words[0], strings.ToLower(words[1])
	for i := 2; i < len(words); i += 2 {
		r.Options = append(r.Options, strings.ToLower(words[i])+"="+words[i+1])
	}
	return r, r.Mode == "octet" || r.Mode == "netascii"
}
