package prosperotest

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"time"
)

// A head is a header of ARDP, with its length in octets.
type head struct {
	size     int
	id       uint16
	number   uint16
	total    uint16
	received uint16
	wait     uint16
	flags    byte
	option   byte
	argument uint16 // of the flag for a window
}

func (h head) octets() []byte {
	b := []byte{0}
	for _, field := range []uint16{h.id, h.number, h.total, h.received, h.wait} {
		b = binary.BigEndian.AppendUint16(b, field)
	}
	b = append(b, h.flags, h.option)
	b = b[:min(h.size, len(b))]
	b[0] = byte(h.size)
	return b
}

// readHead parses the header of a client's packet, and returns the fields that a server needs.
func readHead(p []byte) (h head, data []byte, ok bool) {
	if len(p) == 0 || p[0] == 0 || p[0] > 63 || int(p[0]) > len(p) {
		return head{}, nil, false
	}
	top := p[:p[0]]
	field := func(at int) uint16 {
		if len(top) < at+2 {
			return 0
		}
		return binary.BigEndian.Uint16(top[at:])
	}
	h = head{size: len(top), id: field(1), number: 1, total: 1, received: field(7)}
	if len(top) >= 5 {
		h.number, h.total = field(3), field(5)
	}
	if len(top) > 11 {
		h.flags = top[11]
	}
	if len(top) > 12 {
		h.option = top[12]
	}
	at := 13
	for _, flag := range []byte{2, 4} { // priority, protocol ID
		if h.flags&flag != 0 {
			at += 2
		}
	}
	if h.flags&8 != 0 {
		h.argument = field(at)
	}
	return h, p[len(top):], true
}

// A key tells requests apart.
type key struct {
	from netip.AddrPort
	id   uint16
}

// An exchange is a request and its answer.
type exchange struct {
	key
	parts    map[uint16][]byte // of the request
	total    uint16
	pieces   [][]byte // of the answer; nil if there is none yet
	window   int
	acked    int // the client has all pieces up to this one
	first    bool
	plea     bool // it was asked to wait
	late     [][]byte
	answered bool
}

// remembered is the number of requests whose answers a server keeps, so that a second copy gets the
// same answer.
const remembered = 4096

// Handle takes a datagram and sends the answers of the server. Datagrams that send is given are not
// changed afterwards.
func (s *Server) Handle(from netip.AddrPort, datagram []byte, send func([]byte)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults[Echo] {
		send(bytes.Clone(datagram))
		return
	}
	h, data, ok := readHead(datagram)
	if !ok || s.loss != nil && s.loss.Float64() < s.loss.drop {
		return
	}
	x := s.exchange(key{from, h.id})
	if n := int(h.received); n > x.acked && n <= len(x.pieces) {
		x.acked = n // a repeated request may say it too
	}
	switch {
	case h.number == 0 && h.option == 1:
		s.cancels++
		return
	case h.number == 0:
		s.acks++
	case x.answered:
	default:
		x.parts[h.number] = append([]byte(nil), data...)
		if h.argument != 0 {
			x.window = min(int(h.argument), 256)
		}
		x.total = max(x.total, h.total)
		if h.total == 0 || len(x.parts) < int(x.total) {
			return
		}
		s.begin(x, send)
		return
	}
	if x.pieces != nil {
		s.deliver(x, send)
	}
}

func (s *Server) exchange(k key) *exchange {
	x := s.exchanges[k]
	if x == nil {
		x = &exchange{key: k, parts: make(map[uint16][]byte), window: s.window, first: true}
		s.exchanges[k] = x
		if s.order = append(s.order, k); len(s.order) > remembered {
			delete(s.exchanges, s.order[0])
			s.order = s.order[1:]
		}
	}
	return x
}

// begin answers a request that is complete.
func (s *Server) begin(x *exchange, send func([]byte)) {
	x.answered = true
	request := ""
	for n := uint16(1); n <= x.total; n++ {
		request += string(x.parts[n])
	}
	s.requests.Add(Request{From: x.from, ID: x.id, Lines: splitLines(request)})
	if s.faults[Garbage] {
		for _, g := range garbage(x.id) {
			send(g)
		}
	}
	strange := s.stranger(x.id)
	switch {
	case s.faults[Silent]:
		return
	case strange != nil:
		x.answered = false // it will say so again
		send(strange)
		return
	case s.redirectTo.IsValid():
		x.answered = false
		p := append(head{size: 19, id: x.id, option: 4}.octets(), s.redirectTo.Addr().AsSlice()...)
		send(binary.BigEndian.AppendUint16(p, s.redirectTo.Port()))
		return
	}
	answer := s.answer
	if s.script != nil {
		answer = s.script
	}
	text := s.spoil(answer(request))
	if s.wait > 0 {
		x.plea = true
		send(head{size: 11, id: x.id, wait: uint16(s.wait)}.octets())
		if s.delay < 0 {
			return
		}
		s.wg.Go(func() {
			select {
			case <-time.After(s.delay):
			case <-s.done:
				return
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			x.pieces = s.cut(text)
			s.deliver(x, send)
		})
		return
	}
	x.pieces = s.cut(text)
	s.deliver(x, send)
}

// cut cuts an answer, inside a token or not.
func (s *Server) cut(text string) (pieces [][]byte) {
	if s.faults[Control] {
		pieces = append(pieces, nil)
	}
	for first := true; first || text != ""; first = false {
		n := min(s.packet, len(text))
		pieces, text = append(pieces, []byte(text[:n])), text[n:]
	}
	return pieces
}

// deliver sends the next window of an answer, or the present one again.
func (s *Server) deliver(x *exchange, send func([]byte)) {
	var out [][]byte
	end := min(x.acked+x.window, len(x.pieces))
	for n := x.acked + 1; n <= end; n++ {
		if s.stopAfter > 0 && n > s.stopAfter {
			break
		}
		out = append(out, s.piece(x, n, n == end))
	}
	x.first = false
	if s.faults[Reverse] && len(out) > 1 {
		out = append([][]byte{out[len(out)-1]}, out[:len(out)-1]...)
	}
	s.send(x, out, send)
}

// piece returns piece n of an answer as a datagram.
func (s *Server) piece(x *exchange, n int, last bool) []byte {
	all := len(x.pieces)
	h := head{size: 9, id: x.id, number: uint16(n), total: uint16(all), received: x.total}
	switch {
	case x.first && all == 1 && x.id == 0:
		h.size = 1
	case x.first && all == 1:
		h.size = 3
	case x.first:
		h.size = 7
		if n < all {
			h.total = 0
		}
	}
	if x.plea {
		h.size = 12
	}
	if last && (n < all || x.plea || s.faults[AskAck]) {
		h.size, h.flags = 12, 0x80
	}
	if s.faults[Control] && n == 1 {
		h.size, h.flags = 12, h.flags|0x40
	}
	if s.faults[OtherID] {
		h.id++
	}
	if s.faults[ChangingTotal] && all > 1 {
		h.size, h.total = max(h.size, 7), uint16(all+n)
	}
	if s.faults[AboveTotal] && all > 3 {
		h.size, h.total = max(h.size, 7), 3
	}
	return append(h.octets(), x.pieces[n-1]...)
}

// send sends datagrams, as far as the faults let it.
func (s *Server) send(x *exchange, out [][]byte, send func([]byte)) {
	late := x.late
	x.late = nil
	one := func(p []byte) {
		s.sent++
		for _, n := range s.drop {
			if n == s.sent {
				return
			}
		}
		send(p)
		if s.faults[Duplicate] {
			send(p)
		}
	}
	for _, p := range out {
		if s.loss == nil {
			one(p)
			continue
		}
		switch fate := s.loss.Float64(); {
		case fate < s.loss.drop:
		case fate < s.loss.drop+s.loss.double:
			one(p)
			one(p)
		case fate < s.loss.drop+s.loss.double+s.loss.overtake:
			x.late = append(x.late, p)
		default:
			one(p)
			for _, p := range x.late {
				one(p)
			}
			x.late = nil
		}
	}
	for _, p := range late {
		one(p)
	}
}
