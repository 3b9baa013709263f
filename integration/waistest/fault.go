package waistest

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/internal/apdu"
)

// A Fault is the failure of an answer.
type Fault struct {
	Command Command // of the request that is answered
	After   int     // number of answers with a body, of any kind, before the fault
	Do      Action  // the effect
	Once    bool    // strike one answer only
}

// String returns the fault as "Retrieve: Reset after 3, once".
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
	Empty                // a message without a body
	NAK                  // a message of type n
	Huge                 // a header that announces 9,999,999,999 octets
	Packed               // a header that says the answer is compressed
	Longer               // a header that announces an octet more than there is, and then another message
	Junk                 // a body of which nothing is right
	Nested               // an element that is longer than the element around it
	Double               // the answer twice
	Slow                 // the answer octet by octet, which is nothing wrong
)

var actions = []string{"Hang", "Cut", "Reset", "Stall", "Empty", "NAK", "Huge", "Packed", "Longer", "Junk", "Nested",
	"Double", "Slow"}

// String returns the name of the action, such as "Cut".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes answers go wrong. Each answer gets the first fault for its command
// that is not used up.
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
	if len(message) > apdu.HeaderSize {
		c.sent++
	}
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
	h, body := apdu.Plain, message[apdu.HeaderSize:]
	switch do {
	case Empty:
		body = nil
	case NAK:
		h.Type = 'n'
	case Packed:
		h.Compression = 'u'
	case Junk:
		body = []byte("\x00\x2cNothing of this is an APDU of any kind.")
	case Nested:
		// The user information claims two octets more than there are.
		body = []byte("\x00\x0e\x17\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x1b\x01\x00\x63\x05\x81\x19\x00")
	case Huge:
		return append([]byte("9999999999"), message[10:]...)
	case Longer:
		longer := h.Append(nil, append(body[:len(body):len(body)], 0))
		return append(longer[:len(longer)-1], message...)
	case Double:
		return append(message, message...)
	}
	return h.Append(nil, body)
}
