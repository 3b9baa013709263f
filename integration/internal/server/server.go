// Package server has what the test servers over TCP share: a port of the loopback
// interface with an orderly end, and the record of what clients have sent to it.
package server

import (
	"context"
	"net"
	"slices"
	"sync"
)

// A Server accepts connections. Its methods may be called from any goroutine, and
// also after Close.
type Server struct {
	Addr string // "127.0.0.1:port"

	listener *net.TCPListener
	cancel   context.CancelFunc // of every conversation
	wg       sync.WaitGroup

	mu          sync.Mutex
	transcript  []string
	connections int
}

// Listen returns a server on a free port, where clients wait until Serve is called. It
// panics in the name of a package if there is no port.
func Listen(name string) *Server {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic(name + ": " + err.Error())
	}
	return &Server{Addr: listener.Addr().String(), listener: listener}
}

// Serve holds a conversation with each client, all at once, and returns immediately.
// A connection is closed when its conversation returns, or when the context ends
// because the server is closed.
func (s *Server) Serve(converse func(ctx context.Context, conn *net.TCPConn)) {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.Go(func() {
		for {
			conn, err := s.listener.AcceptTCP()
			if err != nil {
				return // Closed.
			}
			s.mu.Lock()
			s.connections++
			s.mu.Unlock()
			s.Go(func() {
				defer conn.Close()
				defer context.AfterFunc(ctx, func() { conn.Close() })()
				converse(ctx, conn)
			})
		}
	})
}

// Go runs f, for whose return Close waits. Only a conversation may call it.
func (s *Server) Go(f func()) { s.wg.Go(f) }

// Close closes the listener and every connection, and waits until nothing of the
// server runs any more. Closing twice is fine.
func (s *Server) Close() {
	s.cancel()
	s.listener.Close()
	s.wg.Wait()
}

// Record adds a line to the transcript.
func (s *Server) Record(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.transcript = append(s.transcript, line)
}

// Transcript returns what was recorded so far, of all connections in order of arrival.
func (s *Server) Transcript() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.transcript)
}

// Connections returns how many connections were accepted.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}
