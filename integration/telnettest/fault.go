package telnettest

import (
	"bytes"
	"errors"
	"io"
)

// A Fault is a way in which a connection goes wrong, when After octets of data
// are sent.
type Fault struct {
	After int
	Do    Action
}

// An Action is what a [Fault] does.
type Action int

const (
	None  Action = iota
	Cut          // close the connection
	Reset        // reset it; octets on their way may be lost, and at the beginning the client's connect may fail
	Half         // send the beginning of a command, IAC WILL, and close
	Sub          // send a subnegotiation that does not end
	Flood        // request options without end
	Stall        // send nothing more, until the client leaves or the server is closed
	Argue        // contradict every refusal, from the beginning
)

// Faults makes connections go wrong.
func Faults(f Fault) Option { return func(s *Server) { s.fault = f } }

var errStruck = errors.New("struck by a fault")

// strike does what a fault does.
func (c *Conn) strike(do Action) {
	switch do {
	case Reset:
		c.SetLinger(0) // Close is a reset now.
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
	c.TCPConn.Close()
}

// endless sends the same again and again until the client has had enough. What
// that answers is read.
func (c *Conn) endless(octets []byte) {
	c.server.wg.Go(func() { io.Copy(io.Discard, c.in) })
	octets = bytes.Repeat(octets, 100)
	for c.Raw(octets...) == nil {
	}
}
