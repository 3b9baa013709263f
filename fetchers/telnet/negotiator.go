package telnet

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// maxTalk limits the bytes of negotiation that a server may send without data, while the user types
// nothing. A real server begins with about a hundred. A server that contradicts every refusal would
// otherwise keep the client answering forever.
const maxTalk = 64 << 10

// maxSub is the maximum stored length of a subnegotiation: enough for SB TTYPE SEND, the only one
// with an answer.
const maxSub = 16

// A negotiator is a connection that answers the server's negotiation. Read returns only data, in
// which IAC is still doubled.
type negotiator struct {
	*transport.Conn
	trace fetchers.Tracer
	stall time.Duration // timeout for sending

	// Used by Read only.
	raw   [4096]byte
	ready []byte // data that Read has not returned yet
	at    place
	verb  byte   // WILL, WONT, DO or DONT
	sub   []byte // the beginning of a subnegotiation
	cr    bool   // the last byte of data was CR
	err   error  // the error that ended reading

	mu   sync.Mutex // guards the fields below, and makes writes atomic
	opt  options
	out  []byte
	talk int // see maxTalk
}

// A place is the state of the parser after the last byte.
type place uint8

const (
	inData      place = iota
	afterIAC          // IAC
	afterVerb         // IAC WILL
	inSub             // IAC SB TTYPE
	afterSubIAC       // IAC SB TTYPE IAC
)

// Read returns data as received, with doubled IAC. A connection that ends within a command is
// io.ErrUnexpectedEOF.
func (n *negotiator) Read(p []byte) (int, error) {
	for len(n.ready) == 0 {
		if n.err != nil {
			return 0, n.err
		}
		got, err := n.Conn.Read(n.raw[:])
		if n.err = n.take(n.raw[:got]); n.err == nil {
			n.err = err
		}
		if n.err == io.EOF && n.at != inData {
			n.err = fmt.Errorf("%w within a command", io.ErrUnexpectedEOF)
		}
	}
	copied := copy(p, n.ready)
	n.ready = n.ready[copied:]
	return copied, nil
}

// take parses received bytes, and sends the answers.
func (n *negotiator) take(p []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ready = n.ready[:0]
	for _, c := range p {
		n.octet(c)
	}
	if n.talk > maxTalk {
		return fmt.Errorf("%w: a negotiation without end", fetchers.ErrProtocol)
	}
	return n.flush("")
}

// octet parses one byte.
func (n *negotiator) octet(c byte) {
	switch n.at {
	case inData:
		if c == cmdIAC {
			n.at = afterIAC
			return
		}
		n.data(c)
	case afterIAC:
		n.command(c)
	case afterVerb:
		n.at = inData
		n.talk += 3 // including the IAC and the verb
		n.request(n.verb, c)
	case inSub:
		n.talk++
		if c == cmdIAC {
			n.at = afterSubIAC
		} else if len(n.sub) < maxSub {
			n.sub = append(n.sub, c)
		}
	case afterSubIAC:
		n.talk++
		switch c {
		case cmdIAC: // no stored subnegotiation contains an IAC
			n.at = inSub
		case cmdSE:
			n.at = inData
			n.subnegotiation()
		default: // another command ends the subnegotiation
			n.command(c)
		}
	}
}

// command parses the byte after an IAC.
func (n *negotiator) command(c byte) {
	n.at = inData
	switch c {
	case cmdIAC:
		n.data(c)
	case cmdWILL, cmdWONT, cmdDO, cmdDONT:
		n.at, n.verb = afterVerb, c
	case cmdSB:
		n.at, n.sub = inSub, n.sub[:0]
	}
	// NOP, DM, GA, EOR, AYT and others need no answer from a client.
}

// data adds a byte of data. CR NUL means CR (RFC 854), unless the server sends binary.
func (n *negotiator) data(c byte) {
	n.talk = 0
	if c == 0 && n.cr && !n.opt.him[optBinary] {
		n.cr = false
		return
	}
	n.cr = c == '\r'
	n.ready = append(n.ready, c)
	if c == cmdIAC {
		n.ready = append(n.ready, c)
	}
}

// request answers a WILL, WONT, DO or DONT.
func (n *negotiator) request(verb, option byte) {
	n.trace.Got(verbName(verb) + " " + optionName(option))
	reply, ok := n.opt.answer(verb, option)
	if !ok {
		return
	}
	n.trace.Sent(verbName(reply) + " " + optionName(option))
	n.out = append(n.out, cmdIAC, reply, option)
	if reply == cmdWILL && option == optNAWS {
		n.size()
	}
}

// subnegotiation answers SB TTYPE SEND. The client has one terminal type, and repeats it if the
// server asks for another (RFC 1091).
func (n *negotiator) subnegotiation() {
	if len(n.sub) != 2 || n.sub[0] != optTTYPE || n.sub[1] != ttypeSEND || !n.opt.us[optTTYPE] {
		return
	}
	name := terminalType(n.opt.terminal)
	n.trace.Got("SB TTYPE SEND")
	n.trace.Sent("SB TTYPE IS " + name)
	n.out = append(n.out, cmdIAC, cmdSB, optTTYPE, ttypeIS)
	n.out = append(n.out, name...)
	n.out = append(n.out, cmdIAC, cmdSE)
}

// size sends the size of the terminal (RFC 1073): two bytes each, high byte first.
func (n *negotiator) size() {
	w, h := min(n.opt.width, 0xFFFF), min(n.opt.height, 0xFFFF)
	n.trace.Sent(fmt.Sprintf("SB NAWS %d %d", w, h))
	n.out = append(n.out, cmdIAC, cmdSB, optNAWS)
	for _, c := range []byte{byte(w >> 8), byte(w), byte(h >> 8), byte(h)} {
		n.out = append(n.out, c)
		if c == cmdIAC {
			n.out = append(n.out, c)
		}
	}
	n.out = append(n.out, cmdIAC, cmdSE)
}

// resize stores a new size, and sends it if the server has asked for it.
func (n *negotiator) resize(width, height int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.opt.width, n.opt.height = width, height
	if n.opt.us[optNAWS] {
		n.size()
	}
	return n.flush("")
}

// echoes reports whether the server echoes typed data.
func (n *negotiator) echoes() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.opt.him[optEcho]
}

// send sends data. It doubles IAC, and sends LF or else NUL after CR (RFC 854), unless the client
// sends binary. It returns how many bytes of p were sent.
func (n *negotiator) send(p []byte) (sent int, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.talk = 0
	for i, c := range p {
		n.out = append(n.out, c)
		switch {
		case c == cmdIAC:
			n.out = append(n.out, c)
		case c == '\r' && !n.opt.us[optBinary] && (i+1 == len(p) || p[i+1] != '\n'):
			n.out = append(n.out, 0)
		}
		if len(n.out) >= len(n.raw) {
			if err := n.flush(typed); err != nil {
				return sent, err
			}
			sent = i + 1
		}
	}
	if err := n.flush(typed); err != nil {
		return sent, err
	}
	return len(p), nil
}

// typed replaces typed data in a Trace, since it may be a password.
const typed = "***"

// flush sends the buffered bytes. The Trace gets shown in place of them, or all of them if shown is
// "".
func (n *negotiator) flush(shown string) error {
	if len(n.out) == 0 {
		return nil
	}
	if n.stall > 0 {
		n.Conn.SetWriteDeadline(time.Now().Add(n.stall))
	}
	_, err := n.WriteAs(n.out, cmp.Or(shown, string(n.out)))
	n.out = n.out[:0]
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, fetchers.ErrStalled) {
		return fmt.Errorf("%w: the server took nothing for %v", fetchers.ErrStalled, n.stall)
	}
	return err
}
