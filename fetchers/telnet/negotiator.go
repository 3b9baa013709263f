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

// maxTalk bounds the octets of negotiation that a server may send without any
// data, and while nothing is typed. An honest server opens with a hundred. One
// that contradicts every refusal would otherwise have us talk for ever.
const maxTalk = 64 << 10

// maxSub is how much of a subnegotiation is kept: enough for the one that asks
// something, SB TTYPE SEND.
const maxSub = 16

// A line is a connection of which the negotiation is taken care of: what Read
// returns is data, in which IAC is still doubled, and no command at all.
type line struct {
	*transport.Conn
	trace fetchers.Tracer
	stall time.Duration // for how long a server may refuse to take what we send

	// Of Read alone.
	raw   [4096]byte
	ready []byte // what Read has yet to return
	at    place
	verb  byte   // WILL, WONT, DO or DONT
	sub   []byte // the beginning of a subnegotiation
	cr    bool   // the last octet of data was CR
	err   error  // what ended the reading

	mu   sync.Mutex // guards what follows, and holds together what is sent
	opt  options
	out  []byte
	talk int // see maxTalk
}

// A place is where in the stream the last octet was.
type place uint8

const (
	inData      place = iota
	afterIAC          // IAC
	afterVerb         // IAC WILL
	inSub             // IAC SB TTYPE
	afterSubIAC       // IAC SB TTYPE IAC
)

// Read returns data as it came, with IAC doubled. A connection that ends within
// a command is cut short.
func (l *line) Read(p []byte) (int, error) {
	for len(l.ready) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		n, err := l.Conn.Read(l.raw[:])
		if l.err = l.take(l.raw[:n]); l.err == nil {
			l.err = err
		}
		if l.err == io.EOF && l.at != inData {
			l.err = fmt.Errorf("%w within a command", io.ErrUnexpectedEOF)
		}
	}
	n := copy(p, l.ready)
	l.ready = l.ready[n:]
	return n, nil
}

// take reads octets that came, and answers what is to be answered.
func (l *line) take(p []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready = l.ready[:0]
	for _, c := range p {
		l.octet(c)
	}
	if l.talk > maxTalk {
		return fmt.Errorf("%w: a negotiation without end", fetchers.ErrProtocol)
	}
	return l.flush("")
}

// octet takes one octet further.
func (l *line) octet(c byte) {
	switch l.at {
	case inData:
		if c == cmdIAC {
			l.at = afterIAC
			return
		}
		l.data(c)
	case afterIAC:
		l.command(c)
	case afterVerb:
		l.at = inData
		l.talk += 3 // with the IAC and the verb
		l.request(l.verb, c)
	case inSub:
		l.talk++
		if c == cmdIAC {
			l.at = afterSubIAC
		} else if len(l.sub) < maxSub {
			l.sub = append(l.sub, c)
		}
	case afterSubIAC:
		l.talk++
		switch c {
		case cmdIAC: // of what is kept nothing can hold one
			l.at = inSub
		case cmdSE:
			l.at = inData
			l.subnegotiation()
		default: // it was never ended
			l.command(c)
		}
	}
}

// command takes the octet after an IAC.
func (l *line) command(c byte) {
	l.at = inData
	switch c {
	case cmdIAC:
		l.data(c)
	case cmdWILL, cmdWONT, cmdDO, cmdDONT:
		l.at, l.verb = afterVerb, c
	case cmdSB:
		l.at, l.sub = inSub, l.sub[:0]
	}
	// NOP, DM, GA, EOR, AYT and the like ask nothing of a client.
}

// data takes an octet of data. CR NUL is CR (RFC 854), unless the server sends
// binary.
func (l *line) data(c byte) {
	l.talk = 0
	if c == 0 && l.cr && !l.opt.him[optBinary] {
		l.cr = false
		return
	}
	l.cr = c == '\r'
	l.ready = append(l.ready, c)
	if c == cmdIAC {
		l.ready = append(l.ready, c)
	}
}

// request answers one of WILL, WONT, DO and DONT.
func (l *line) request(verb, option byte) {
	l.trace.Got(verbName(verb) + " " + optionName(option))
	reply, ok := l.opt.answer(verb, option)
	if !ok {
		return
	}
	l.trace.Sent(verbName(reply) + " " + optionName(option))
	l.out = append(l.out, cmdIAC, reply, option)
	if reply == cmdWILL && option == optNAWS {
		l.size()
	}
}

// subnegotiation answers SB TTYPE SEND. We have one type of terminal, which is
// said again for those who ask for another (RFC 1091).
func (l *line) subnegotiation() {
	if len(l.sub) != 2 || l.sub[0] != optTTYPE || l.sub[1] != ttypeSEND || !l.opt.us[optTTYPE] {
		return
	}
	name := terminalType(l.opt.terminal)
	l.trace.Got("SB TTYPE SEND")
	l.trace.Sent("SB TTYPE IS " + name)
	l.out = append(l.out, cmdIAC, cmdSB, optTTYPE, ttypeIS)
	l.out = append(l.out, name...)
	l.out = append(l.out, cmdIAC, cmdSE)
}

// size tells the size of the terminal (RFC 1073): two octets each, high one first.
func (l *line) size() {
	w, h := min(l.opt.width, 0xFFFF), min(l.opt.height, 0xFFFF)
	l.trace.Sent(fmt.Sprintf("SB NAWS %d %d", w, h))
	l.out = append(l.out, cmdIAC, cmdSB, optNAWS)
	for _, c := range []byte{byte(w >> 8), byte(w), byte(h >> 8), byte(h)} {
		l.out = append(l.out, c)
		if c == cmdIAC {
			l.out = append(l.out, c)
		}
	}
	l.out = append(l.out, cmdIAC, cmdSE)
}

// resize takes note of a new size, and tells it to a server that wants to know.
func (l *line) resize(width, height int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opt.width, l.opt.height = width, height
	if l.opt.us[optNAWS] {
		l.size()
	}
	return l.flush("")
}

// echoes reports whether the server echoes what it is sent.
func (l *line) echoes() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opt.him[optEcho]
}

// send sends data: IAC is doubled, and CR is followed by LF or else by NUL (RFC
// 854), unless we send binary. It returns how much of p was sent.
func (l *line) send(p []byte) (sent int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.talk = 0
	for i, c := range p {
		l.out = append(l.out, c)
		switch {
		case c == cmdIAC:
			l.out = append(l.out, c)
		case c == '\r' && !l.opt.us[optBinary] && (i+1 == len(p) || p[i+1] != '\n'):
			l.out = append(l.out, 0)
		}
		if len(l.out) >= len(l.raw) {
			if err := l.flush(typed); err != nil {
				return sent, err
			}
			sent = i + 1
		}
	}
	if err := l.flush(typed); err != nil {
		return sent, err
	}
	return len(p), nil
}

// typed is what others may see of what is typed, which may be a password.
const typed = "***"

// flush sends what is to be sent, of which shown may be seen; "" is all.
func (l *line) flush(shown string) error {
	if len(l.out) == 0 {
		return nil
	}
	if l.stall > 0 {
		l.Conn.SetWriteDeadline(time.Now().Add(l.stall))
	}
	_, err := l.WriteAs(l.out, cmp.Or(shown, string(l.out)))
	l.out = l.out[:0]
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, fetchers.ErrStalled) {
		return fmt.Errorf("%w: the server took nothing for %v", fetchers.ErrStalled, l.stall)
	}
	return err
}
