package telnet

import (
	"io"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A Session is an open telnet connection. It transfers written and read bytes as data, unchanged.
// One goroutine may read while others write.
type Session struct {
	negotiator *negotiator
	in         io.Reader
}

func newSession(conn *transport.Conn, stall time.Duration, terminal string) (*Session, error) {
	n := &negotiator{Conn: conn, trace: conn.Trace(), stall: stall, opt: options{terminal: terminal}}
	in, err := newReader(n)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Session{negotiator: n, in: in}, nil
}

// Read reads the output of the server.
func (s *Session) Read(p []byte) (int, error) { return s.in.Read(p) }

// Write sends typed data. A CR without a following LF is sent as CR NUL.
func (s *Session) Write(p []byte) (int, error) { return s.negotiator.send(p) }

// Resize sets the size of the terminal, in characters. The server gets it if it has asked for it;
// before the first Resize, it gets 0 by 0, which means unknown.
func (s *Session) Resize(width, height int) error { return s.negotiator.resize(width, height) }

// Echoes reports whether the server echoes typed data. Until it does, the program has to show them.
func (s *Session) Echoes() bool { return s.negotiator.echoes() }

// Close ends the session at once.
func (s *Session) Close() error { return s.negotiator.Conn.Close() }
