package telnettest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
)

// Octets of the protocol (RFC 854).
const (
	SE   = 240
	NOP  = 241
	SB   = 250
	WILL = 251
	WONT = 252
	DO   = 253
	DONT = 254
	IAC  = 255
)

// maxLine is the maximum length of a typed line.
const maxLine = 64 << 10

// A Conn is the server's end of a connection. It is for one goroutine.
type Conn struct {
	net.Conn // without the options; TLS, if it is used

	server   *Server
	number   int // of the connection
	tcp      *net.TCPConn
	fault    *fault // nil if there is none
	in       *bufio.Reader
	sent     int           // octets of data
	him      map[byte]bool // options that the client has enabled
	echo     bool          // we do ECHO
	open     map[byte]bool // WILL and DO of ours that have no answer yet, by option
	terminal string
	width    int
	height   int
}

func newConn(s *Server, tcp *net.TCPConn, number int) *Conn {
	c := &Conn{Conn: tcp, server: s, number: number, tcp: tcp, fault: s.fault(), him: map[byte]bool{}, open: map[byte]bool{}}
	if s.tls != nil {
		c.Conn = tls.Server(tcp, s.tls)
	}
	c.in = bufio.NewReader(c.Conn)
	return c
}

// record adds a line of the client to the transcript.
func (c *Conn) record(line string, data bool) {
	c.server.requests.Add(Request{Conn: c.number, Line: line, Data: data, TLS: c.server.tls != nil})
}

// Raw sends octets as they are.
func (c *Conn) Raw(octets ...byte) error {
	_, err := c.Conn.Write(octets)
	return err
}

// Write sends data, in which it doubles 0xFF and follows a lone CR with NUL.
func (c *Conn) Write(p []byte) (int, error) {
	whole := p
	f := c.fault
	strikes := f != nil && f.Do != Argue && c.sent+len(p) >= f.After
	if strikes {
		p = p[:max(0, f.After-c.sent)]
	}
	out := make([]byte, 0, len(p)+16)
	for i, b := range p {
		out = append(out, b)
		switch {
		case b == IAC:
			out = append(out, IAC)
		case b == '\r' && (i+1 == len(whole) || whole[i+1] != '\n'):
			out = append(out, 0)
		}
	}
	if _, err := c.Conn.Write(out); err != nil {
		return 0, err
	}
	c.sent += len(p)
	if strikes {
		c.strike(f.Do)
		return len(p), errStruck
	}
	return len(p), nil
}

// Print sends text.
func (c *Conn) Print(text string) error {
	_, err := c.Write([]byte(text))
	return err
}

// Octet reads one octet of data. CR NUL is CR.
func (c *Conn) Octet() (byte, error) {
	for {
		b, err := c.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if b == '\r' && !c.him[0] {
			if next, err := c.in.Peek(1); err == nil && next[0] == 0 {
				c.in.Discard(1)
			}
		}
		if b != IAC {
			return b, nil
		}
		data, err := c.command()
		if err != nil || data {
			return IAC, err
		}
	}
}

// Line reads a line, which CR NUL, CR LF, CR or LF ends, and echoes it if that is
// ours to do and echo is true.
func (c *Conn) Line(echo bool) (string, error) {
	var line []byte
	for len(line) < maxLine {
		b, err := c.Octet()
		if err != nil {
			return "", err
		}
		end := b == '\r' || b == '\n'
		if b == '\r' {
			if next, err := c.in.Peek(min(1, c.in.Buffered())); err == nil && bytes.Equal(next, []byte("\n")) {
				c.in.Discard(1)
			}
		}
		if c.echo && (echo || end) {
			shown := string([]byte{b})
			if end {
				shown = "\r\n"
			}
			if err := c.Print(shown); err != nil {
				return "", err
			}
		}
		if end {
			break
		}
		line = append(line, b)
	}
	c.record(string(line), true)
	return string(line), nil
}

// negotiate sends offers and returns when all of them have an answer.
func (c *Conn) negotiate(offers []byte) bool {
	for i := 0; i+2 < len(offers); i++ {
		if offers[i] == IAC && (offers[i+1] == WILL || offers[i+1] == DO) {
			c.open[offers[i+2]] = true
		}
	}
	if c.Raw(offers...) != nil {
		return false
	}
	for len(c.open) > 0 {
		b, err := c.in.ReadByte()
		if err != nil || b != IAC {
			return false
		}
		if _, err := c.command(); err != nil {
			return false
		}
	}
	return true
}

// command reads the command after an IAC. A second IAC is data.
func (c *Conn) command() (data bool, err error) {
	verb, err := c.in.ReadByte()
	switch {
	case err != nil:
		return false, err
	case verb == IAC:
		return true, nil
	case verb == SB:
		return false, c.subnegotiation()
	case verb < WILL:
		c.record(fmt.Sprintf("command %d", verb), false)
		return false, nil
	}
	option, err := c.in.ReadByte()
	if err != nil {
		return false, err
	}
	c.record([]string{"WILL", "WONT", "DO", "DONT"}[verb-WILL]+" "+optionName(option), false)
	delete(c.open, option)
	switch {
	case verb == DO && option == 1:
		c.echo = true
	case verb == DONT && option == 1:
		c.echo = false
	case verb == WILL && option == 24 && !c.him[option]:
		c.him[option] = true
		c.open[option] = true
		return false, c.Raw(IAC, SB, 24, 1, IAC, SE)
	case verb == WILL:
		c.him[option] = true
	}
	if c.fault != nil && c.fault.Do == Argue && (verb == WONT || verb == DONT) {
		return false, c.Raw(IAC, map[byte]byte{WONT: DO, DONT: WILL}[verb], option)
	}
	return false, nil
}

// subnegotiation reads a subnegotiation, and records those of known options.
func (c *Conn) subnegotiation() error {
	var sub []byte
	for len(sub) < maxLine {
		b, err := c.in.ReadByte()
		if err == nil && b == IAC {
			if b, err = c.in.ReadByte(); b == SE {
				break
			}
		}
		if err != nil {
			return err
		}
		sub = append(sub, b)
	}
	switch {
	case len(sub) > 1 && sub[0] == 24 && sub[1] == 0:
		c.terminal = string(sub[2:])
		delete(c.open, 24)
		c.record("TTYPE "+c.terminal, false)
	case len(sub) == 5 && sub[0] == 31:
		c.width, c.height = int(sub[1])<<8|int(sub[2]), int(sub[3])<<8|int(sub[4])
		c.record(fmt.Sprintf("NAWS %d %d", c.width, c.height), false)
	default:
		c.record(fmt.Sprintf("SB % x", sub), false)
	}
	return nil
}

func optionName(option byte) string {
	if name, ok := map[byte]string{0: "BINARY", 1: "ECHO", 3: "SGA", 24: "TTYPE", 31: "NAWS", 39: "NEW-ENVIRON"}[option]; ok {
		return name
	}
	return fmt.Sprint(option)
}
