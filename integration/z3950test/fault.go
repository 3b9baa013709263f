package z3950test

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/internal/z3950"
)

// A Fault is the failure of an answer.
type Fault struct {
	Command Command // of the request that is answered
	After   int     // number of answers, of any kind, before the fault
	Do      Action  // the effect
	Once    bool    // strike one answer only
}

// String returns the fault as "Present: Reset after 3, once".
func (f Fault) String() string {
	return server.Describe(f.Command.String(), "", f.Do.String(), int64(f.After), f.Once)
}

// An Action is the effect of a [Fault].
type Action int

// The actions.
const (
	Hang   Action = iota // close the connection in place of an answer
	Cut                  // close it in the middle of the answer
	Reset                // reset it there; octets on their way may be lost
	Stall                // send half the answer and nothing more, until the client leaves
	Leave                // a Close that says that the server shuts down, in place of the answer
	Huge                 // a length of 2^62 octets
	Deep                 // a thousand elements within each other
	Nested               // an element that is longer than the element around it
	Junk                 // text in place of the answer
	Other                // an answer to another kind of request
	Double               // the answer twice
	Slow                 // the answer octet by octet, which is nothing wrong
)

var actions = []string{"Hang", "Cut", "Reset", "Stall", "Leave", "Huge", "Deep", "Nested", "Junk", "Other", "Double", "Slow"}

// String returns the name of the action, such as "Cut".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes answers go wrong. Each answer gets the first fault for its command that is not
// used up.
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

// strikes returns the effect of a fault on the next answer of c.
func (c *session) strikes(kind Command) (do Action, ok bool) {
	for _, f := range c.server.faults {
		if f.Command == kind && c.sent >= f.After && (!f.Once || f.used.CompareAndSwap(false, true)) {
			return f.Do, true
		}
	}
	return 0, false
}

// send sends an answer, with the effect of a fault. It reports whether the connection can be used
// afterwards.
func (c *session) send(kind Command, message []byte) bool {
	do, struck := c.strikes(kind)
	c.sent++
	switch {
	case !struck:
	case do <= Stall:
		c.leave(do, message[:len(message)/2])
		return false
	case do == Slow:
		return c.drip(message)
	default:
		message = mangle(do, message)
	}
	_, err := c.conn.Write(message)
	return err == nil
}

// leave ends the conversation, after half an answer if need be.
func (c *session) leave(do Action, half []byte) {
	if do == Hang {
		return
	}
	c.conn.Write(half)
	switch do {
	case Reset:
		c.conn.SetLinger(0)
	case Stall:
		io.Copy(io.Discard, c.conn) // this ends when either side closes
	}
}

// drip sends a message octet by octet, a small one slowly.
func (c *session) drip(message []byte) bool {
	for _, octet := range message {
		if _, err := c.conn.Write([]byte{octet}); err != nil {
			return false
		}
		if len(message) < 1000 {
			time.Sleep(50 * time.Microsecond)
		}
	}
	return true
}

// mangle returns a message with the effect of a fault.
func mangle(do Action, message []byte) []byte {
	first := message[0]
	switch do {
	case Leave:
		return (&z3950.Close{Reason: 1, Text: "shutting down"}).Append(nil)
	case Huge:
		return append([]byte{first, 0x88, 0x40, 0, 0, 0, 0, 0, 0, 0}, message...)
	case Deep:
		return append([]byte{first, 0x80}, bytes.Repeat([]byte{0x30, 0x80}, 1000)...)
	case Nested:
		return []byte{first, 4, 0x30, 0x7F, 0, 0}
	case Junk:
		return []byte("HTTP/1.1 400 Bad Request\r\n\r\n")
	case Other:
		other := z3950.Tag(z3950.PresentResponseTag)
		if bytes.HasPrefix(message, (&z3950.Response{Tag: other}).Append(nil)[:1]) {
			other = z3950.SearchResponseTag
		}
		return (&z3950.Response{Tag: other, Found: true}).Append(nil)
	}
	return append(message, message...)
}
