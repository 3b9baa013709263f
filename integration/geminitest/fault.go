package geminitest

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is the failure of an answer. It strikes when After octets of it are sent, the first line
// included; a shorter answer is whole.
type Fault struct {
	Path  string // of the URL; "" means any
	After int64  // octets
	Do    Action // the effect
	Once  bool   // strike one answer only
}

// String returns the fault as "/a.gmi: Reset after 4, once".
func (f Fault) String() string {
	return server.Describe("", f.Path, f.Do.String(), f.After, f.Once)
}

// An Action is the effect of a [Fault].
type Action int

const (
	Cut   Action = iota // close the connection without the close_notify of TLS
	Reset               // reset it; octets on their way may be lost
	Stall               // send nothing more, until the client leaves or the server is closed
	Hold                // send all, and then do not close
)

var actions = []string{"Cut", "Reset", "Stall", "Hold"}

// String returns the name of the action, such as "Cut".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes answers go wrong. Each gets the first fault for its path which is not used up.
func Faults(faults ...Fault) Option {
	return func(s *Server) {
		for _, f := range faults {
			s.faults = append(s.faults, &fault{Fault: f})
		}
	}
}

// Rate limits every answer to this many octets per second.
func Rate(octetsPerSecond int) Option {
	return func(s *Server) { s.rate = octetsPerSecond }
}

type fault struct {
	Fault
	used atomic.Bool
}

// faultFor returns the fault for the next answer, or nil.
func (s *Server) faultFor(path string) *fault {
	for _, f := range s.faults {
		if (f.Path == "" || f.Path == path) && (!f.Once || f.used.CompareAndSwap(false, true)) {
			return f
		}
	}
	return nil
}

// send copies an answer to the client, as far as faults and the rate allow.
func (s *Server) send(ctx context.Context, conn *tls.Conn, tcp *net.TCPConn, path string, r io.Reader) {
	w := server.Pace(ctx, conn, s.rate)
	f := s.faultFor(path)
	if f == nil || f.Do == Hold {
		io.Copy(w, r)
		if f != nil {
			io.Copy(io.Discard, conn) // Nothing comes; this ends when either side closes.
		} else if !s.noNotify {
			conn.CloseWrite()
		}
		return
	}
	if _, err := io.CopyN(w, r, f.After); err != nil {
		if err == io.EOF { // Shorter than After.
			conn.CloseWrite()
		}
		return
	}
	switch f.Do {
	case Reset:
		tcp.SetLinger(0) // Close is a reset now.
	case Stall:
		io.Copy(io.Discard, conn)
	}
}
