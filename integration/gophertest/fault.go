package gophertest

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is the failure of an answer. It strikes when After octets of it are sent, the status line
// included; a shorter answer is whole.
type Fault struct {
	Path  string // selector, with a slash before it or without; "" means any
	After int64  // octets
	Do    Action // the effect
	Once  bool   // strike one answer only
}

// String returns the fault as "/pub/a: Reset after 4, once".
func (f Fault) String() string {
	return server.Describe("", f.Path, f.Do.String(), f.After, f.Once)
}

// An Action is the effect of a [Fault].
type Action int

const (
	Cut   Action = iota // close the connection, as if that were all
	Reset               // reset it; octets on their way may be lost
	Stall               // send nothing more, until the client leaves or the server is closed
	Hold                // send all, and then do not close
)

var actions = []string{"Cut", "Reset", "Stall", "Hold"}

// String returns the name of the action, such as "Cut".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes answers go wrong. Each gets the first fault for its path which is
// not used up.
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
func (s *Server) faultFor(selector string) *fault {
	for _, f := range s.faults {
		if (f.Path == "" || clean(f.Path) == clean(selector)) && (!f.Once || f.used.CompareAndSwap(false, true)) {
			return f
		}
	}
	return nil
}

// send copies an answer to the client, as far as faults and the rate allow.
func (s *Server) send(ctx context.Context, conn net.Conn, tcp *net.TCPConn, selector string, r io.Reader) {
	w := server.Pace(ctx, conn, s.rate)
	f := s.faultFor(selector)
	if f == nil || f.Do == Cut {
		if f != nil {
			r = io.LimitReader(r, f.After)
		}
		io.Copy(w, r)
		if secured, ok := conn.(*tls.Conn); ok && !s.noNotify {
			secured.CloseWrite()
		}
		return
	}
	if f.Do == Hold {
		io.Copy(w, r)
		io.Copy(io.Discard, conn) // Nothing comes; this ends when either side closes.
		return
	}
	if _, err := io.CopyN(w, r, f.After); err != nil {
		return // Shorter than After, or the client has gone.
	}
	switch f.Do {
	case Reset:
		tcp.SetLinger(0) // Close is a reset now.
	case Stall:
		io.Copy(io.Discard, conn)
	}
}
