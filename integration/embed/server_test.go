package embed

import (
	"bufio"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// small is the document of a server, in octets.
const small = 1000

// answer is the answer of the server to each request.
var answer = []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nETag: \"1\"\r\nLast-Modified: Tue, 24 Nov 2026 08:00:00 GMT\r\n" +
	"Date: Tue, 24 Nov 2026 09:00:00 GMT\r\nContent-Length: " + strconv.Itoa(small) + "\r\n\r\n" + strings.Repeat("x", small))

// A server gives the same answer to each request, and allocates nothing for that, so that the
// figures are those of the client.
type server struct {
	port string

	mu    sync.Mutex
	conns map[net.Conn]bool
	all   sync.WaitGroup
}

// newServer listens on every address of 127.0.0.0/8.
func newServer(t testing.TB) *server {
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{conns: make(map[net.Conn]bool)}
	_, s.port, _ = net.SplitHostPort(l.Addr().String())
	s.all.Go(func() { s.accept(l) })
	t.Cleanup(func() {
		l.Close()
		s.mu.Lock()
		for c := range s.conns {
			c.Close()
		}
		s.mu.Unlock()
		s.all.Wait()
	})
	return s
}

// accept serves until l is closed.
func (s *server) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[c] = true
		s.mu.Unlock()
		s.all.Go(func() { s.serve(c) })
	}
}

func (s *server) serve(c net.Conn) {
	defer func() {
		c.Close()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
	in := bufio.NewReaderSize(c, 1<<10)
	for {
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) <= 2 {
				break
			}
		}
		if _, err := c.Write(answer); err != nil {
			return
		}
	}
}
