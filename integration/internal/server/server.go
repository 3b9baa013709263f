// Package server is the common part of the test servers over TCP: a port of the loopback interface
// with an orderly end, and a limit on connections.
package server

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// lingerTime is how long a client that is refused may take to read why.
const lingerTime = time.Second

// A Server accepts connections. Its methods may be called from any goroutine, and
// also after Close, but the fields are set before Listen and Serve.
type Server struct {
	Addr string // "127.0.0.1:port", once it listens

	// Max is how many connections are served at once; 0 means any number. Refuse
	// answers those above. The connection is closed when Refuse returns and the
	// client has read the answer.
	Max    int
	Refuse func(tcp *net.TCPConn)

	name     string // of the package that panics
	listener *net.TCPListener
	ctx      context.Context // of every conversation
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu          sync.Mutex
	serving     bool
	connections int
	open        int
}

// New returns a server that does not listen. It panics in the name of a package.
func New(name string) *Server {
	s := &Server{name: name, Addr: "127.0.0.1:0"}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// At has the server listen at addr, "host:port" with port 0 for a free one. It panics
// once the server listens.
func (s *Server) At(addr string) {
	if s.listener != nil {
		panic(s.name + ": the server listens already")
	}
	s.Addr = addr
}

// Listen opens the port, where clients wait until Serve is called. It panics if there
// is no such port.
func (s *Server) Listen() {
	listener, err := net.Listen("tcp", s.Addr)
	if err != nil {
		panic(s.name + ": " + err.Error())
	}
	s.listener = listener.(*net.TCPListener)
	s.Addr = s.listener.Addr().String()
}

// Host returns the address that the server listens at, without its port.
func (s *Server) Host() string { return s.listener.Addr().(*net.TCPAddr).IP.String() }

// Serve holds a conversation with each client, all at once, and returns immediately.
// Connections have numbers, from 1. A connection is closed when its conversation
// returns, or when the context ends because the server is closed. Serve panics if it
// was called before.
func (s *Server) Serve(converse func(ctx context.Context, conn *net.TCPConn, number int)) {
	s.mu.Lock()
	again := s.serving
	s.serving = true
	s.mu.Unlock()
	if again {
		panic(s.name + ": the server is started already")
	}
	s.Go(func() {
		for {
			conn, err := s.listener.AcceptTCP()
			if err != nil {
				return // Closed.
			}
			number, ok := s.admit()
			s.Go(func() {
				defer conn.Close()
				defer context.AfterFunc(s.ctx, func() { conn.Close() })()
				if !ok {
					s.refuse(conn)
					return
				}
				defer s.leave()
				converse(s.ctx, conn, number)
			})
		}
	})
}

// admit counts a connection in, or reports false if there are too many.
func (s *Server) admit() (number int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Max > 0 && s.open >= s.Max {
		return 0, false
	}
	s.open++
	s.connections++
	return s.connections, true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
}

// refuse reads the octets that the client has sent already: unread octets would cause a reset,
// which could lose the answer.
func (s *Server) refuse(conn *net.TCPConn) {
	if s.Refuse != nil {
		s.Refuse(conn)
	}
	conn.CloseWrite()
	conn.SetReadDeadline(time.Now().Add(lingerTime))
	io.Copy(io.Discard, conn)
}

// Go runs f, for whose return Close waits. Only a conversation may call it.
func (s *Server) Go(f func()) { s.wg.Go(f) }

// Close closes the listener and every connection, and waits until nothing of the
// server runs any more. Closing twice is fine, and so is closing before Serve.
func (s *Server) Close() {
	s.cancel()
	if s.listener != nil {
		s.listener.Close()
	}
	s.wg.Wait()
}

// Connections returns how many connections were accepted and not refused.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}
