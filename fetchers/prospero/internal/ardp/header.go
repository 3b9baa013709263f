package ardp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

// Flags in byte 11, and the options in byte 12 that a client needs.
const (
	flagAddress  = 0x01 // its length is in its second byte
	flagPriority = 0x02 // two bytes
	flagProtocol = 0x04 // two bytes
	flagWindow   = 0x08 // two bytes; not in the appendix
	flagUnknown  = 0x30 // with unknown arguments
	flagControl  = 0x40
	flagAck      = 0x80

	optionCancel      = 1 // from a server, "refused"
	optionReset       = 2
	optionRedirect    = 4
	optionRedirectAll = 5 // also for later requests, which this client does not send
	optionVersion     = 8 // in the library of 1998
	optionQueue       = 254
)

// maxHeader is the maximum length of a header: all programs of that time treat a first byte of 32
// or more as a text without a header.
const maxHeader = 31

// A header is the parsed header of a datagram from a server.
type header struct {
	id       uint16
	number   uint16 // 0 means a control packet
	total    uint16 // 0 means unknown
	received uint16 // 0 if absent
	wait     int    // in seconds; -1 if absent
	flags    byte
	option   byte
	to       netip.AddrPort // of a redirect
	queue    queue
}

// A queue is the position of a request in the queue of a busy server; 0 means unknown.
type queue struct {
	position uint16
	seconds  uint32
}

// The errors for datagrams other than version 0 of ARDP.
var (
	errEmpty   = errors.New("its answer is an empty datagram")
	errText    = errors.New("its answer has no ARDP header")
	errVersion = errors.New("it does not speak version 0 of ARDP")
	errLater   = errors.New("it speaks version 1 of ARDP")
	errLong    = errors.New("the header of its answer is longer than the datagram")
	errRuns    = errors.New("the header of its answer ends before the fields that its flags announce")
)

// parse parses a datagram. It ignores unknown flags and options.
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

// arguments parses the arguments of the flags, from the low bit on, and then those of the option.
func (h *header) arguments(rest []byte) error {
	if h.flags&flagUnknown != 0 {
		return nil // the position of the option's arguments is unknown
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

// maxData is the maximum size of the data in one datagram.
const maxData = 1250

// pack splits a message into datagrams. It always sets the total: without it, a server waits for
// more packets and never answers.
func pack(id uint16, message []byte) ([][]byte, error) {
	total := max(1, (len(message)+maxData-1)/maxData)
	if total > maxRequest {
		return nil, fmt.Errorf("a request of %d bytes is too long", len(message))
	}
	packets := make([][]byte, 0, total)
	for number := 1; number <= total; number++ {
		part := message[:min(maxData, len(message))]
		message = message[len(part):]
		packets = append(packets, append(plain(id, uint16(number), uint16(total), 0), part...))
	}
	return packets, nil
}

// maxRequest limits the packets of a request. A line with the longest allowed name has less than
// half of them.
const maxRequest = 16

// acknowledgement returns a packet that acknowledges packets up to received.
func acknowledgement(id, received uint16) []byte { return plain(id, 0, 0, received) }

// cancellation returns a packet that cancels a request.
func cancellation(id uint16) []byte {
	p := append(plain(id, 0, 0, 0), 0, 0, 0, optionCancel)
	p[0] = byte(len(p))
	return p
}

// receivedThrough sets bytes 7 and 8 of a packet whose header has at least nine bytes.
func receivedThrough(packet []byte, received uint16) {
	binary.BigEndian.PutUint16(packet[7:], received)
}

// plain returns a header of nine bytes.
func plain(id, number, total, received uint16) []byte {
	p := make([]byte, 0, 9+maxData)
	p = append(p, 9)
	for _, field := range []uint16{id, number, total, received} {
		p = binary.BigEndian.AppendUint16(p, field)
	}
	return p
}
