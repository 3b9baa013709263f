package fault_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// A stream is one direction of a connection in memory. It holds the octets that one end has sent
// and the other has not read. It waits on a sync.Cond, which testing/synctest supports, so that in
// a bubble a minute of silence takes no time.
type stream struct {
	mu       sync.Mutex
	change   *sync.Cond
	octets   []byte
	ended    error // the error of read, once octets are read
	left     bool  // the reader has closed
	sent     int64 // how many octets were sent in all
	deadline time.Time
	timer    *time.Timer
}

// window is how many octets a stream holds before its writer has to wait.
const window = 256 << 10

func newStream() *stream {
	s := new(stream)
	s.change = sync.NewCond(&s.mu)
	return s
}

// read waits for octets, for the end of the stream, or for its deadline.
func (s *stream) read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.left:
			return 0, net.ErrClosed
		case s.late():
			return 0, os.ErrDeadlineExceeded
		case len(s.octets) > 0:
			n := copy(p, s.octets)
			s.octets = s.octets[n:]
			s.change.Broadcast()
			return n, nil
		case s.ended != nil:
			return 0, s.ended
		}
		s.change.Wait()
	}
}

// write waits until the reader has made room.
func (s *stream) write(p []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		room := window - len(s.octets)
		switch {
		case s.ended != nil:
			return n, net.ErrClosed
		case s.left:
			return n, &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
		case len(p) == 0:
			return n, nil
		case room > 0:
			m := min(room, len(p))
			s.octets = append(s.octets, p[:m]...)
			s.sent += int64(m)
			n, p = n+m, p[m:]
			s.change.Broadcast()
			continue
		}
		s.change.Wait()
	}
}

// end makes read return err after the octets that were sent.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = err
	}
	s.change.Broadcast()
}

// leave makes reads and writes fail from now on.
func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.change.Broadcast()
}

func (s *stream) late() bool { return !s.deadline.IsZero() && !time.Now().Before(s.deadline) }

func (s *stream) setDeadline(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = t
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if !t.IsZero() {
		s.timer = time.AfterFunc(time.Until(t), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.change.Broadcast()
		})
	}
	s.change.Broadcast()
}

// A link is one end of a connection in memory.
type link struct {
	in, out       *stream
	local, remote net.Addr
}

// newLink returns the two ends of a connection to a port.
func newLink(port string) (client, server *link) {
	n, _ := strconv.Atoi(port)
	near := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40_000}
	far := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: n}
	there, back := newStream(), newStream()
	return &link{back, there, near, far}, &link{there, back, far, near}
}

func (l *link) Read(p []byte) (int, error)  { return l.in.read(p) }
func (l *link) Write(p []byte) (int, error) { return l.out.write(p) }

// Close ends the connection in order.
func (l *link) Close() error {
	l.out.end(io.EOF)
	l.in.leave()
	return nil
}

// reset resets the connection.
func (l *link) reset() {
	l.out.end(&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)})
	l.in.leave()
}

func (l *link) LocalAddr() net.Addr  { return l.local }
func (l *link) RemoteAddr() net.Addr { return l.remote }

func (l *link) SetDeadline(t time.Time) error     { return l.SetReadDeadline(t) }
func (l *link) SetReadDeadline(t time.Time) error { l.in.setDeadline(t); return nil }

// SetWriteDeadline does nothing: a server of the campaign always reads its requests.
func (l *link) SetWriteDeadline(time.Time) error { return nil }

// serve makes talk the server at an address of the scene's network in memory.
func (s *scene) serve(addr string, talk func(*link)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.servers == nil {
		s.servers = make(map[string]func(*link))
		s.Cleanup(s.close)
	}
	s.servers[addr] = talk
}

// mostConnections is how many connections a client may open. A client that connects again
// and again without a pause would stop the clock of its bubble.
const mostConnections = 500

// connect opens a connection in memory, or returns nil if no server is at the address. If
// the address has none, a server for its port at any host takes the connection, as for
// FTP data.
func (s *scene) connect(addr string) net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, port, _ := net.SplitHostPort(addr)
	talk := s.servers[addr]
	if talk == nil {
		talk = s.servers[":"+port]
	}
	if talk == nil {
		return nil
	}
	if len(s.links) >= mostConnections {
		s.crime = fmt.Sprintf("%d connections are opened", mostConnections)
		return nil
	}
	client, server := newLink(port)
	s.links = append(s.links, server)
	s.talks.Go(func() {
		defer server.Close()
		talk(server)
	})
	return client
}

// close ends the servers in memory.
func (s *scene) close() {
	s.mu.Lock()
	links := s.links
	s.mu.Unlock()
	for _, l := range links {
		l.in.leave()
		l.out.leave()
		l.out.end(io.EOF)
	}
	s.talks.Wait()
}
