package telnettest

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is the failure of a connection. It strikes when After octets of data are sent.
type Fault struct {
	After int    // octets of data
	Do    Action // the effect
	Once  bool   // strike one connection only
}

// String returns the fault as "Reset after 4, once".
func (f Fault) String() string {
	return server.Describe("", "", f.Do.String(), int64(f.After), f.Once)
}

// An Action is the effect of a [Fault].
type Action int

const (
	Cut   Action = iota // close the connection
	Reset               // reset it; octets on their way may be lost, and at the beginning the client's connect may fail
	Half                // send the beginning of a command, IAC WILL, and close
	Sub                 // send a subnegotiation that does not end
	Flood               // request options without end
	Stall               // send nothing more, until the client leaves or the server is closed
	Argue               // contradict every refusal, from the beginning
)

var actions = []string{"Cut", "Reset", "Half", "Sub", "Flood", "Stall", "Argue"}

// String returns the name of the action, such as "Cut".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes connections go wrong. Each gets the first fault which is not used up.
func Faults(faults ...Fault) Option {
	return func(s *Server) {
		for _, f := range faults {
			s.faults = append(s.faults, &fault{Fault: f})
		}
	}
}

type fault struct {
	Fault
	used atomic.Bool
}

// fault returns the fault for the next connection, or nil.
func (s *Server) fault() *fault {
	for _, f := range s.faults {
		if !f.Once || f.used.CompareAndSwap(false, true) {
			return f
		}
	}
	return nil
}

var errStruck = errors.New("struck by a fault")

// strike applies a fault.
func (c *Conn) strike(do Action) {
	switch do {
	case Reset:
		c.tcp.SetLinger(0) // Close is a reset now.
	case Half:
		c.Raw(IAC, WILL)
	case Sub:
		c.Raw(IAC, SB, 24)
		c.endless([]byte("x"))
	case Flood:
		c.endless([]byte{IAC, WILL, 1, IAC, WONT, 1})
	case Stall:
		io.Copy(io.Discard, c.in)
	}
	c.tcp.Close()
}

// endless sends the same octets until the client closes the connection. It reads the answers of the
// client.
func (c *Conn) endless(octets []byte) {
	c.server.base.Go(func() { io.Copy(io.Discard, c.in) })
	octets = bytes.Repeat(octets, 100)
	for c.Raw(octets...) == nil {
	}
}
