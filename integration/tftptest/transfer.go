package tftptest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// maxSends is how often a window is sent before the server ends the transfer.
const maxSends = 20

// A transfer is one file for one client.
type transfer struct {
	server *Server
	socket *net.UDPConn
	to     *net.UDPAddr
	faults []Fault
	held   []byte // a datagram that the next one overtakes
	over   bool   // the server has given up

	text   []byte
	block  int
	window int
}

func errorPacket(code byte, text string) []byte {
	return append(append([]byte{0, 5, 0, code}, text...), 0)
}

// transfer sends a file from a port of its own.
func (s *Server) transfer(r Request, to *net.UDPAddr) {
	t := &transfer{server: s, to: to, faults: s.faultsOf(r.File), block: 512, window: 1}
	at := &net.UDPAddr{IP: s.socket.LocalAddr().(*net.UDPAddr).IP}
	if t.has(OtherMachine, 0) {
		at.IP = net.IPv4(127, 0, 0, 2)
	}
	var err error
	if t.socket, err = net.DialUDP("udp", at, to); err != nil {
		return
	}
	defer t.socket.Close()
	defer context.AfterFunc(s.ctx, func() { t.socket.Close() })()
	t.text, err = fs.ReadFile(s.fsys, strings.TrimPrefix(r.File, "/"))
	switch {
	case t.has(Junk, 0):
		t.send([]byte("220 welcome\r\n"))
	case errors.Is(err, fs.ErrPermission):
		t.send(errorPacket(2, "Access violation"))
	case err != nil:
		t.send(errorPacket(1, "File not found"))
	case s.refuses && len(r.Options) > 0:
		t.send(errorPacket(8, "no options here"))
	default:
		if r.Mode == "netascii" {
			t.text = toNetASCII(t.text)
		}
		t.run(r)
	}
}

// toNetASCII translates line ends.
func toNetASCII(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\r\x00"))
	return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
}

// has reports whether a fault strikes at a block.
func (t *transfer) has(do Action, block int) bool {
	for _, f := range t.faults {
		if f.Do == do && (f.Block == 0 || f.Block == block) {
			return true
		}
	}
	return false
}

// agree returns the OACK for the options of a request, or nil if none is known.
func (t *transfer) agree(r Request) []byte {
	var answer []byte
	add := func(name string, value int) {
		answer = append(answer, name+"\x00"+strconv.Itoa(value)+"\x00"...)
	}
	for _, option := range r.Options {
		name, text, _ := strings.Cut(option, "=")
		value, err := strconv.Atoi(text)
		if err != nil || t.server.without[name] {
			continue
		}
		switch {
		case name == "blksize" && value >= 8:
			t.block = min(value, 65464)
			if t.has(Greedy, 0) {
				value++
			}
			add(name, value)
		case name == "windowsize" && value >= 1:
			t.window = min(value, 64)
			add(name, t.window)
		case name == "timeout":
			add(name, value)
		case name == "tsize" && r.Mode == "octet":
			size := len(t.text)
			if t.has(OneMore, 0) {
				size--
			}
			if t.has(OneLess, 0) {
				size++
			}
			add(name, size)
		}
	}
	if t.has(Unasked, 0) {
		add("multicast", 1)
	}
	if answer == nil {
		return nil
	}
	return append([]byte{0, 6}, answer...)
}

// run sends OACK, and then the blocks.
func (t *transfer) run(r Request) {
	if oack := t.agree(r); oack != nil {
		if !t.until(func() { t.send(oack) }, func(uint16) bool { return true }) {
			return
		}
	}
	last := len(t.text)/t.block + 1
	for base := 0; base < last; {
		end := min(base+t.window, last)
		moved := 0
		ok := t.until(func() {
			for n := base + 1; n <= end && !t.over; n++ {
				t.sendBlock(n)
			}
		}, func(ack uint16) bool {
			for n := base + 1; n <= end; n++ {
				if number(t, n) == ack {
					moved = n - base
				}
			}
			// If the acknowledgement shows that the first blocks are missing, the window is sent
			// again. With a window of one block it is a copy.
			return moved > 0 || t.window > 1 && ack == number(t, base)
		})
		if !ok {
			return
		}
		base += moved
	}
}

// number returns the number of a block, as it is sent.
func number(t *transfer, block int) uint16 {
	if block > 65535 && t.has(SkipZero, 0) {
		return uint16((block-1)%65535 + 1)
	}
	return uint16(block)
}

// sendBlock sends a block, with the effect of a fault.
func (t *transfer) sendBlock(n int) {
	from := (n - 1) * t.block
	data := t.text[from:min(from+t.block, len(t.text))]
	packet := append(binary.BigEndian.AppendUint16([]byte{0, 3}, number(t, n)), data...)
	switch {
	case t.silent(n):
		return
	case t.has(GiveUp, n):
		t.send(errorPacket(0, "out of order"))
		t.over = true
		return
	case t.has(TooLong, n):
		packet = append(packet, bytes.Repeat([]byte("x"), t.block)...)
	case t.has(Wrong, n):
		wrong := bytes.Clone(packet)
		binary.BigEndian.PutUint16(wrong[2:], number(t, n)+1000)
		t.send(wrong)
	case t.has(Stray, n):
		t.send([]byte{0, 4, 0, byte(n)})
	case t.has(OtherPort, n):
		if other, err := net.ListenUDP("udp", &net.UDPAddr{IP: t.socket.LocalAddr().(*net.UDPAddr).IP}); err == nil {
			other.WriteToUDP(append(bytes.Clone(packet[:4]), "no block of this file"...), t.to)
			defer other.Close()
		}
	}
	t.send(packet)
	if t.has(Double, n) {
		t.send(packet)
	}
}

// silent reports whether nothing is sent from an earlier block on.
func (t *transfer) silent(n int) bool {
	for _, f := range t.faults {
		if f.Do == Silent && n >= f.Block {
			return true
		}
	}
	return false
}

// until sends, again and again, until an acknowledgement is enough. It reports false if the
// client has given up, or never answers.
func (t *transfer) until(send func(), enough func(ack uint16) bool) bool {
	p := make([]byte, 1<<10)
	for range maxSends {
		if send(); t.over {
			return false
		}
		deadline := time.Now().Add(t.server.wait)
		for {
			t.socket.SetReadDeadline(deadline)
			n, err := t.socket.Read(p)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break // it is time to send again
			}
			if err != nil {
				return false // the client has left, or the server is closed
			}
			if l := t.server.loss; l != nil && l.happens(l.drop) || n < 4 {
				continue
			}
			if p[1] == 5 {
				return false
			}
			ack := binary.BigEndian.Uint16(p[2:])
			t.server.acks.Add(ack)
			if p[1] == 4 && enough(ack) {
				return true
			}
		}
	}
	return false
}

// send sends a datagram, with the faults of the network.
func (t *transfer) send(packet []byte) {
	l := t.server.loss
	switch {
	case l == nil:
	case l.happens(l.drop):
		return
	case l.happens(l.overtake) && t.held == nil:
		t.held = bytes.Clone(packet)
		return
	case l.happens(l.double):
		t.socket.Write(packet)
	}
	t.socket.Write(packet)
	if t.held != nil {
		t.socket.Write(t.held)
		t.held = nil
	}
}
