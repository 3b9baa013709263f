package ardp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

// Flags in octet 11, and the options in octet 12 that a client needs.
const (
	flagAddress  = 0x01 // its length is in its second octet
	flagPriority = 0x02 // two octets
	flagProtocol = 0x04 // two octets
	flagWindow   = 0x08 // two octets; not in the appendix
	flagUnknown  = 0x30 // of arguments nobody knows
	flagControl  = 0x40
	flagAck      = 0x80

	optionCancel      = 1 // "refused", from a server
	optionReset       = 2
	optionRedirect    = 4
	optionRedirectAll = 5 // for later requests too, of which there are none here
	optionVersion     = 8 // of the library of 1998
	optionQueue       = 254
)

// maxHeader is the length from which on an octet 0 is no header: all programs of
// the time take 32 and more for the beginning of a text without one.
const maxHeader = 31

// A header is what a server's datagram says before its data.
type header struct {
	id       uint16
	number   uint16 // 0 is a control packet
	total    uint16 // 0 is not known
	received uint16 // 0 if it does not say
	wait     int    // in seconds; -1 if it does not say
	flags    byte
	option   byte
	to       netip.AddrPort // of a redirect
	queue    queue
}

// A queue is how a request stands in the queue of a busy server; 0 is not known.
type queue struct {
	position uint16
	seconds  uint32
}

// errOther are the errors of what is not version 0 of ARDP.
var (
	errEmpty   = errors.New("its answer is an empty datagram")
	errText    = errors.New("its answer has no ARDP header")
	errVersion = errors.New("it does not speak version 0 of ARDP")
	errLater   = errors.New("it speaks version 1 of ARDP")
	errLong    = errors.New("the header of its answer is longer than the datagram")
	errRuns    = errors.New("the header of its answer ends before what its flags announce")
)

// parse takes a datagram apart. Unknown flags and options are ignored.
func parse(datagram []byte) (h header, data []byte, err error) {
	if len(datagram) == 0 {
		return header{}, nil, errEmpty
	}
	switch n := datagram[0]; {
	case n == 0:
		return header{}, nil, errVersion
	case n == 129:
		return header{}, nil, errLater
	case n > maxHeader:
		return header{}, nil, errText
	case int(n) > len(datagram):
		return header{}, nil, errLong
	}
	head, data := datagram[:datagram[0]], datagram[datagram[0]:]
	field := func(at int) (uint16, bool) {
		if len(head) < at+2 {
			return 0, false
		}
		return binary.BigEndian.Uint16(head[at:]), true
	}
	h = header{number: 1, total: 1, wait: -1}
	h.id, _ = field(1)
	if number, ok := field(3); ok {
		h.number = number
		h.total, _ = field(5)
	}
	h.received, _ = field(7)
	if wait, ok := field(9); ok {
		h.wait = int(wait)
	}
	if len(head) > 11 {
		h.flags = head[11]
	}
	if len(head) > 12 {
		h.option = head[12]
		err = h.arguments(head[13:])
	}
	return h, data, err
}

// arguments reads what flags and option need: those of the flags first, from the
// low bit on.
func (h *header) arguments(rest []byte) error {
	if h.flags&flagUnknown != 0 {
		return nil // so it cannot be said where the option's begin
	}
	skip := 0
	if h.flags&flagAddress != 0 {
		if len(rest) < 2 {
			return errRuns
		}
		skip += 2 + int(rest[1])
	}
	for _, flag := range []byte{flagPriority, flagProtocol, flagWindow} {
		if h.flags&flag != 0 {
			skip += 2
		}
	}
	if skip > len(rest) {
		return errRuns
	}
	rest = rest[skip:]
	switch h.option {
	case optionRedirect, optionRedirectAll:
		if len(rest) < 6 {
			return errRuns
		}
		addr := netip.AddrFrom4([4]byte(rest))
		h.to = netip.AddrPortFrom(addr, binary.BigEndian.Uint16(rest[4:]))
	case optionQueue:
		if len(rest) == 0 {
			return errRuns
		}
		known := rest[0]
		rest = rest[1:]
		if known&1 != 0 && len(rest) >= 2 {
			h.queue.position, rest = binary.BigEndian.Uint16(rest), rest[2:]
		}
		if known&2 != 0 && len(rest) >= 4 {
			h.queue.seconds = binary.BigEndian.Uint32(rest)
		}
	}
	return nil
}

// maxData is how much of a message one datagram carries.
const maxData = 1250

// pack returns a message as datagrams. The total is always said: without it a
// server waits for more and never answers.
func pack(id uint16, message []byte) ([][]byte, error) {
	total := max(1, (len(message)+maxData-1)/maxData)
	if total > maxRequest {
		return nil, fmt.Errorf("a request of %d octets is too long", len(message))
	}
	packets := make([][]byte, 0, total)
	for number := 1; number <= total; number++ {
		part := message[:min(maxData, len(message))]
		message = message[len(part):]
		packets = append(packets, append(plain(id, uint16(number), uint16(total), 0), part...))
	}
	return packets, nil
}

// maxRequest is how many packets a request may have. One line with the longest
// name that is asked for has less than half of them.
const maxRequest = 16

// acknowledgement returns the packet that says how far we are.
func acknowledgement(id, received uint16) []byte { return plain(id, 0, 0, received) }

// cancellation returns the packet that says that we are gone.
func cancellation(id uint16) []byte {
	p := append(plain(id, 0, 0, 0), 0, 0, 0, optionCancel)
	p[0] = byte(len(p))
	return p
}

// receivedThrough sets octets 7 and 8 of a packet whose header has nine octets or more.
func receivedThrough(packet []byte, received uint16) {
	binary.BigEndian.PutUint16(packet[7:], received)
}

// plain returns a header of nine octets.
func plain(id, number, total, received uint16) []byte {
	p := make([]byte, 0, 9+maxData)
	p = append(p, 9)
	for _, field := range []uint16{id, number, total, received} {
		p = binary.BigEndian.AppendUint16(p, field)
	}
	return p
}
