// Package prosperotest provides servers of Prospero for use in tests, as
// net/http/httptest does for HTTP: small, well-behaved or broken as a test needs
// them, and on the loopback interface.
//
//	server := prosperotest.NewServer(prosperotest.Names{
//		"/pros/name": {Contents: []byte("hello\n")},
//		"/pros": {Links: []prosperotest.Link{{Name: "name", HSOName: "/pros/name"}}},
//	})
//	defer server.Close()
//
//	// The client under test fetches server.URL + "//pros/name", and then:
//	for _, line := range server.Transcript() {
//		fmt.Println(line) // VERSION 5 …, AUTHENTICATE …, GET-OBJECT-INFO …
//	}
//
// The server answers like the directory server of 1994: it quotes from the first
// octet on that needs it, writes "LINK" with two blanks and a FIELD without its
// type, says the total with the last packet only, and stops at the first command
// that fails. Names are looked up in a map and are never those of files.
//
// It implements version 5 of the protocol over version 0 of ARDP. It has no timers: a lost packet
// is sent again when the client asks. Only [Wait] needs a clock, so that a test may run it in a
// bubble of testing/synctest: [NewHandler] and [Server.Handle] are the server without its socket.
//
// Options make it one that has trouble ([Loss], [Drop], [Wait]) or add faults ([Faults]).
package prosperotest

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/netip"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// Names has the objects of the server, by hsoname.
type Names map[string]Object

// Tree returns the names of the files and directories of fsys, as it is now: each is
// its path with a slash before it, and the root is "/". It panics if fsys cannot be
// read.
func Tree(fsys fs.FS) Names {
	names := Names{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hsoname := path.Join("/", name)
		if !d.IsDir() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			content, err := fs.ReadFile(fsys, name)
			names[hsoname] = Object{Contents: content, Modified: info.ModTime()}
			return err
		}
		entries, err := fs.ReadDir(fsys, name)
		links := make([]Link, 0, len(entries))
		for _, e := range entries {
			link := Link{Name: e.Name(), HSOName: path.Join(hsoname, e.Name())}
			if e.IsDir() {
				link.Target = "DIRECTORY"
			}
			links = append(links, link)
		}
		names[hsoname] = Object{Directory: true, Links: links}
		return err
	})
	if err != nil {
		panic("prosperotest: " + err.Error())
	}
	return names
}

// An Object is the object that a name stands for. If it has only Links, it is a directory
// of names, without attributes.
type Object struct {
	// Contents is the value of PROSPERO-CONTENTS. If nil, there is none.
	Contents []byte
	Modified time.Time

	// Methods are the tokens of each access method, best first. If there are
	// Contents and no PROSPERO-CONTENTS among them, it goes before the others.
	Methods [][]string

	// Attributes are further lines ATTRIBUTE, without that word, as they
	// stand in a message. One for SIZE takes the place of the server's own.
	Attributes []string

	// Directory means that the object is a directory on the server's disk. The server of 1994
	// answers a request for its attributes as if it were a file with PROSPERO-CONTENTS, unless the
	// request has UNIX-MODES.
	Directory bool
	Links     []Link

	// Forward is the text after FORWARDED in a message. In it SERVER stands for the Host of the
	// server.
	Forward string

	// Answer, if not empty, is the whole answer to any request.
	Answer string
}

// A Link is a link of a directory.
type Link struct {
	Union      bool
	Target     string // FILE if empty
	Name       string
	Host       string // that of the server if empty
	HSOName    string
	Version    int
	ID         string   // "REMOTE 4711"
	Attributes []string // as those of an Object
}

// A Server is a server of Prospero. Its methods may be called from any goroutine,
// and also after Close.
type Server struct {
	URL  string // "prospero://127.0.0.1:port", without a slash at the end
	Addr string // "127.0.0.1:port"
	Host string // "127.0.0.1(port)", as it stands in a message

	// Set by the options and not changed afterwards.
	addr       string // to listen at
	names      Names
	window     int
	packet     int
	drop       []int
	loss       *loss
	faults     map[Fault]bool
	wait       int
	delay      time.Duration
	redirectTo netip.AddrPort
	stopAfter  int
	script     func(request string) (answer string)

	socket, other *net.UDPConn
	started       atomic.Bool
	done          chan struct{}
	wg            sync.WaitGroup

	requests server.Log[Request]

	mu        sync.Mutex
	exchanges map[key]*exchange
	order     []key
	sent      int
	acks      int
	cancels   int
}

// NewHandler returns a server without a socket, for Handle. There is nothing to close.
func NewHandler(names Names, opts ...Option) *Server {
	s := &Server{
		Host: "127.0.0.1", addr: "127.0.0.1:0", names: names, window: 16, packet: 1250,
		faults: make(map[Fault]bool), exchanges: make(map[key]*exchange), done: make(chan struct{}),
	}
	s.apply(opts)
	return s
}

// New starts a server for a test, which closes it when it ends, and shows the transcript
// if it failed. It is [NewServer] otherwise.
func New(t wire.TB, names Names, opts ...Option) *Server {
	t.Helper()
	s := NewServer(names, opts...)
	server.Cleanup(t, s)
	return s
}

// NewServer starts a server. The caller closes it. NewServer panics if there is no
// loopback port to listen on.
func NewServer(names Names, opts ...Option) *Server {
	s := NewUnstarted(names, opts...)
	s.Start()
	return s
}

// NewUnstarted returns a server that has its port, so that URL, Addr and Host are known, and
// leaves datagrams waiting until Start is called. The caller closes the server, started or
// not. NewUnstarted panics where [NewServer] does.
func NewUnstarted(names Names, opts ...Option) *Server {
	s := NewHandler(names, opts...)
	s.socket = listen(s.addr)
	s.Addr = s.socket.LocalAddr().String()
	at := s.socket.LocalAddr().(*net.UDPAddr)
	s.other = listen(net.JoinHostPort(at.IP.String(), "0"))
	s.URL = "prospero://" + s.Addr
	s.Host = fmt.Sprintf("%s(%d)", at.IP, at.Port)
	return s
}

// Start lets the server answer, after further options, which can be made of its address.
// [Listen] comes too late. Start panics if the server is started already.
func (s *Server) Start(opts ...Option) {
	s.apply(opts)
	if s.started.Swap(true) {
		panic("prosperotest: the server is started already")
	}
	s.wg.Go(s.serve)
}

func (s *Server) apply(opts []Option) {
	for _, opt := range opts {
		opt(s)
	}
}

func listen(addr string) *net.UDPConn {
	socket, err := net.ListenPacket("udp", addr)
	if err != nil {
		panic("prosperotest: " + err.Error())
	}
	return socket.(*net.UDPConn)
}

func (s *Server) serve() {
	p := make([]byte, 65535)
	for {
		n, from, err := s.socket.ReadFromUDPAddrPort(p)
		if err != nil {
			return // Closed.
		}
		s.Handle(from, p[:n], func(datagram []byte) {
			from := from
			socket := s.socket
			if s.faults[OtherPort] {
				socket = s.other
			}
			socket.WriteToUDPAddrPort(datagram, from)
		})
	}
}

// Close stops the server and waits until nothing of it runs any more. Closing twice
// is fine.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.done:
	default:
		close(s.done)
	}
	s.mu.Unlock()
	if s.socket != nil {
		s.socket.Close()
		s.other.Close()
	}
	s.wg.Wait()
}

// A Request is a request that a client has sent, whole.
type Request struct {
	From  netip.AddrPort
	ID    uint16 // of ARDP
	Lines []string
}

// Requests returns every request received so far, without repeated packets.
func (s *Server) Requests() []Request { return s.requests.All() }

// Transcript returns the lines of every request, in order of arrival, without repeated packets.
func (s *Server) Transcript() []string {
	var lines []string
	for _, r := range s.requests.All() {
		lines = append(lines, r.Lines...)
	}
	return lines
}

// Acknowledgements returns how many packets were acknowledgements.
func (s *Server) Acknowledgements() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.acks
}

// Cancels returns how many requests were cancelled.
func (s *Server) Cancels() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancels
}

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:1525" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) {
		if s.socket != nil {
			panic("prosperotest: the server listens already")
		}
		s.addr = addr
	}
}

// Window is how many packets are sent before one has to be acknowledged, unless the client requests
// another number. The default is 16.
func Window(packets int) Option { return func(s *Server) { s.window = packets } }

// PacketSize is how many octets of a reply go into a packet, 1250 otherwise.
func PacketSize(octets int) Option { return func(s *Server) { s.packet = octets } }

// Drop does not send these of all packets of the server, counted from 1.
func Drop(numbers ...int) Option { return func(s *Server) { s.drop = append(s.drop, numbers...) } }

// Loss has each datagram, coming or going, lost with the probability drop, and of those of the
// server some doubled and some overtaken by later ones. Equal seeds and equal conversations have
// equal losses.
func Loss(seed uint64, drop, double, overtake float64) Option {
	return func(s *Server) {
		s.loss = &loss{Rand: rand.New(rand.NewPCG(seed, 0)), drop: drop, double: double, overtake: overtake}
	}
}

type loss struct {
	*rand.Rand
	drop, double, overtake float64
}

// Wait answers every request with the demand to wait for a number of seconds, and after the delay
// with the answer, which ends the demand. If the delay is less than 0, there is no answer.
func Wait(seconds int, delay time.Duration) Option {
	return func(s *Server) { s.wait, s.delay = seconds, delay }
}

// Redirect sends every request to another server by ARDP.
func Redirect(to netip.AddrPort) Option { return func(s *Server) { s.redirectTo = to } }

// StopAfter sends the first packets of a reply, and never the others.
func StopAfter(packets int) Option { return func(s *Server) { s.stopAfter = packets } }
