package telnet

import (
	"io"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A Session is an open telnet connection, octet for octet: what is written
// arrives as data, and what is read is data. One goroutine may read while
// others write.
type Session struct {
	line *line
	in   io.Reader
}

func newSession(conn *transport.Conn, stall time.Duration, terminal string) (*Session, error) {
	l := &line{Conn: conn, trace: conn.Trace(), stall: stall, opt: options{terminal: terminal}}
	in, err := newReader(l)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Session{line: l, in: in}, nil
}

// Read reads what the server has for the terminal.
func (s *Session) Read(p []byte) (int, error) { return s.in.Read(p) }

// Write sends what was typed. A CR that no LF follows is sent as CR NUL.
func (s *Session) Write(p []byte) (int, error) { return s.line.send(p) }

// Resize says how large the terminal is, in characters. The server is told if it
// wants to know; until the first Resize it is told that we do not say.
func (s *Session) Resize(width, height int) error { return s.line.resize(width, height) }

// Echoes reports whether the server echoes what it is sent. Until it does, that
// is up to who writes.
func (s *Session) Echoes() bool { return s.line.echoes() }

// Close ends the session at once.
func (s *Session) Close() error { return s.line.Conn.Close() }
