package waistest

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/wais/apdu"
)

// A Request is a kind of request.
type Request int

// The requests.
const (
	Init Request = iota + 1
	Search
	Retrieve
)

// A Fault is a way in which an answer goes wrong.
type Fault struct {
	Request Request // to which the answer is
	After   int     // so many answers of a connection are spared, of whatever kind
	Do      Action
	Once    bool // strike one answer only
}

// An Action is what a [Fault] does.
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
	Nested               // an element that is longer than what it is in
	Double               // the answer twice
	Slow                 // the answer octet by octet, which is nothing wrong
)

// Faults makes answers go wrong. Each answer gets the first fault for its request
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

// strikes returns what is to happen to the next answer of c.
func (c *session) strikes(kind Request) (do Action, ok bool) {
	for _, f := range c.server.faults {
		if f.Request == kind && c.sent >= f.After && (!f.Once || f.used.CompareAndSwap(false, true)) {
			return f.Do, true
		}
	}
	return 0, false
}

// send sends an answer, or what a fault makes of it. It reports whether the
// connection can be used any more.
func (c *session) send(kind Request, message []byte) bool {
	do, struck := c.strikes(kind)
	c.sent++
	if !struck {
		_, err := c.conn.Write(message)
		return err == nil
	}
	half := message[:len(message)/2]
	body := message[apdu.HeaderSize:]
	header := func(change func(h *apdu.Header)) []byte {
		h := apdu.Plain
		change(&h)
		return h.Append(nil, body)
	}
	switch do {
	case Hang:
		return false
	case Cut:
		c.conn.Write(half)
		return false
	case Reset:
		c.conn.Write(half)
		c.conn.SetLinger(0)
		return false
	case Stall:
		c.conn.Write(half)
		io.Copy(io.Discard, c.conn) // this ends when either side closes
		return false
	case Empty:
		message = message[:0:0]
		message = apdu.Plain.Append(message, nil)
	case NAK:
		message = header(func(h *apdu.Header) { h.Type = 'n' })
	case Packed:
		message = header(func(h *apdu.Header) { h.Compression = 'u' })
	case Huge:
		message = append([]byte("9999999999"), message[10:]...)
	case Longer:
		message = append(apdu.Plain.Append(nil, append(body[:len(body):len(body)], 0))[:len(message)], message...)
	case Junk:
		message = apdu.Plain.Append(nil, []byte("\x00\x2cNothing of this is an APDU of any kind."))
	case Nested:
		// The user information claims two octets more than there are.
		message = apdu.Plain.Append(nil, []byte("\x00\x0e\x17\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x1b\x01\x00\x63\x05\x81\x19\x00"))
	case Double:
		message = append(message, message...)
	case Slow:
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
	_, err := c.conn.Write(message)
	return err == nil
}

// wide writes r with padded lengths and unknown elements.
func wide(r *apdu.Response) []byte {
	var user []byte
	group := func(b []byte, tag ...byte) func(value []byte) []byte {
		return func(value []byte) []byte {
			n := len(value)
			b = append(append(b, tag...), 0x80, byte(n>>14)|0x80, byte(n>>7)|0x80, byte(n)&0x7F)
			return append(b, value...)
		}
	}
	unknown := []byte{0x81, 0x48, 0x02, 'x', 'y'} // element 200
	plain := r.Append(nil)
	front := int(plain[0])<<8 | int(plain[1])
	for _, h := range r.Hits {
		one := (&apdu.Response{Hits: []apdu.Hit{h}}).Append(nil)
		user = group(append(user, unknown...), 0x81, 0x16)(append(unknown, inner(one)...))
	}
	for _, t := range r.Texts {
		one := (&apdu.Response{Texts: []apdu.Text{t}}).Append(nil)
		user = group(append(user, unknown...), 0x81, 0x19)(append(unknown, inner(one)...))
	}
	if len(r.Diagnostics) > 0 {
		one := (&apdu.Response{Diagnostics: r.Diagnostics}).Append(nil)
		user = append(user, skip(one[2+front0(one):])...)
	}
	return group(plain[:2+front:2+front], 0x63)(user)
}

// front0 is the length that stands in front of an APDU.
func front0(b []byte) int { return int(b[0])<<8 | int(b[1]) }

// skip returns the value of the element at the front of b.
func skip(b []byte) []byte {
	for range 2 { // a tag and a length
		for b[0] >= 0x80 {
			b = b[1:]
		}
		b = b[1:]
	}
	return b
}

// inner returns what is in the one record of an APDU.
func inner(one []byte) []byte { return skip(skip(one[2+front0(one):])) }
