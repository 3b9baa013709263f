package ftp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// maxReply bounds what a server may answer to one command. The longest honest
// replies are greetings and the help texts of some servers, of a few KiB.
const maxReply = 64 << 10

// A control is the control connection as the library sees it. It lets out whole
// commands only, hands on whole replies only, and remembers what the library
// forgets. Between two calls of the library, ask sends commands of our own.
type control struct {
	*transport.Conn
	trace *fetchers.Trace

	noPassword bool         // none is known, so PASS cannot be sent
	instead    string       // what to send in place of RETR
	restart    string       // and of REST, if it is not empty
	active     func() error // answers EPSV in active mode

	between time.Duration
	plain   bool        // one command at a time, without flights
	flights [][]string  // planned, in their order
	queue   []*exchange // sent, in their order, until the reply is asked for
	current *exchange   // whose reply is read next; nil for one that no command asked for
	flown   bool        // a flight was sent
	heard   int         // replies to the last flight
	secret  string      // the password of the last flight, which the server may repeat

	partial   []byte // of a command
	verb      string // the first word of the command that was answered last
	argument  string // and the rest
	in        *bufio.Reader
	budget    int    // what is left of maxReply
	ready     []byte // what the library has yet to read
	said      string // the whole of the reply to ask
	last      fetchers.Reply
	features  map[string]bool // first words of the reply to FEAT
	noEPSV    bool            // the library uses PASV from now on
	featured  bool            // the server has answered FEAT, so features is complete
	without   map[string]bool // commands that the server has refused as unknown
	broken    error           // why the connection is of no more use
	stumbled  bool            // the reason is a flight
	portDoubt bool            // the last data port was told in a flight
	leaving   bool            // the server has said 421: it closes the connection
}

// newControl returns a control over a connection.
func newControl(conn *transport.Conn) *control {
	return &control{
		Conn: conn, trace: conn.Trace(), in: bufio.NewReader(conn), budget: conn.HeaderLimit(maxReply),
		features: make(map[string]bool), without: make(map[string]bool),
	}
}

// RemoteAddr returns the peer's address. The library panics if it is no TCP
// address, and takes the IP for data connections from it; see session.dial.
func (c *control) RemoteAddr() net.Addr {
	if a, ok := c.Conn.RemoteAddr().(*net.TCPAddr); ok {
		return a
	}
	return &net.TCPAddr{}
}

// Write takes a command from the library, which may write a long one in pieces.
func (c *control) Write(p []byte) (int, error) {
	c.partial = append(c.partial, p...)
	line, whole := bytes.CutSuffix(c.partial, []byte("\r\n"))
	if !whole {
		return len(p), nil
	}
	command := string(line)
	c.partial = c.partial[:0]
	if err := c.command(command); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Read hands replies to the library.
func (c *control) Read(p []byte) (int, error) {
	if len(c.ready) == 0 {
		if err := c.receive(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

// command sends what the library wants to say, or something better.
func (c *control) command(line string) error {
	if c.instead != "" {
		switch {
		case strings.HasPrefix(line, "RETR "):
			line = c.instead
		case strings.HasPrefix(line, "PRET RETR "):
			line = "PRET " + c.instead
		}
	}
	if c.restart != "" && strings.HasPrefix(line, "REST ") {
		line = c.restart
	}
	switch {
	case c.active != nil && line == "EPSV":
		return c.active()
	case c.active != nil && line == "PASV": // EPSV has been refused
		c.answer(c.last)
		return nil
	case c.noPassword && strings.HasPrefix(line, "PASS "):
		return c.breaks(fetchers.ErrLogin)
	}
	return c.send(line)
}

// ask sends a command of our own and returns the reply.
func (c *control) ask(command string) (fetchers.Reply, error) {
	if err := c.send(command); err != nil {
		return fetchers.Reply{}, err
	}
	err := c.receive()
	c.said, c.ready = string(c.ready), nil
	return c.last, err
}

// offers reports whether the server may know a command of RFC 3659: FEAT lists it, or the
// server does not know FEAT and has not refused the command.
func (c *control) offers(verb string) bool {
	return c.features[verb] || !c.featured && !c.without[verb]
}

// passive returns the command with which the library asks for a port.
func (c *control) passive() string {
	if c.noEPSV {
		return "PASV"
	}
	return "EPSV"
}

// answer hands a reply to the library that no server has sent just now.
func (c *control) answer(r fetchers.Reply) {
	c.last, c.ready = r, fmt.Appendf(nil, "%d %s\r\n", r.Code, r.Text)
}

// receive reads the reply to the current command or, if there is none, the next reply.
func (c *control) receive() error {
	if c.broken != nil {
		return c.broken
	}
	x := c.current
	c.ready, c.current = nil, nil
	if x == nil {
		x = &exchange{verb: c.verb, argument: c.argument}
		c.Await()
		if err := c.hear(x); err != nil {
			return err
		}
	} else if err := c.hearUntil(x); err != nil {
		return err
	}
	c.verb, c.argument, c.last, c.ready = x.verb, x.argument, x.reply, x.text
	if c.verb == "EPSV" || c.verb == "PASV" {
		c.portDoubt = x.together
	}
	return c.interpret()
}

// hear reads one reply (RFC 959, section 4.2): "123-" begins one of several
// lines, which "123 " ends.
func (c *control) hear(x *exchange) error {
	several := ""
	for {
		line, err := c.readLine()
		if err != nil {
			return c.breaks(err)
		}
		if c.secret != "" {
			line = transport.Masked(line, c.secret) // some servers say it aloud
		}
		c.trace.Got(line)
		code, text, ok := cutCode(line)
		more := len(line) > 3 && line[3] == '-'
		switch {
		case several != "" && (code != several || more):
			if x.verb == "FEAT" {
				feature, _, _ := strings.Cut(strings.TrimSpace(line), " ")
				c.features[strings.ToUpper(feature)] = true
			}
		case !ok:
			return c.breaks(fmt.Errorf("%w: %.60q", fetchers.ErrProtocol, line))
		case more:
			several = code
		default:
			x.answered, x.reply.Text = true, text
			x.reply.Code, _ = strconv.Atoi(code)
			c.leaving = c.leaving || x.reply.Code == 421
			x.text = fmt.Appendf(x.text, "%s %s\r\n", code, text) // some servers send the code alone
			return nil
		}
		x.text = append(x.text, line+"\r\n"...)
	}
}

// interpret gives the library the reply in the one form that it understands,
// where servers have several.
func (c *control) interpret() error {
	switch r := c.last; {
	case r.Code == 202, r.Code == 500, r.Code == 502:
		c.without[c.verb] = true // RFC 959, section 4.2.2: the command is unknown, not implemented or superfluous
	case r.Code == 211 && c.verb == "FEAT":
		c.featured = true
	}
	switch r := c.last; {
	case r.Code/100 == 2 && (c.verb == "USER" || c.verb == "PASS"):
		c.ready = []byte("230 logged in\r\n") // RFC 959 has 202, and RFC 2228 232
	case r.Code == 229 && c.verb == "EPSV":
		port, ok := extendedPort(r.Text)
		if !ok {
			c.noEPSV = true
			c.trace.Note("the reply to EPSV makes no sense, so PASV is tried")
		}
		c.ready = fmt.Appendf(nil, "229 (|||%s|)\r\n", port)
	case c.verb == "EPSV":
		c.noEPSV = true
	case r.Code == 227 && c.verb == "PASV":
		port, ok := passivePort(r.Text)
		if !ok {
			return c.breaks(fmt.Errorf("%w: %.60q", fetchers.ErrProtocol, r.Text))
		}
		c.ready = fmt.Appendf(nil, "227 (0,0,0,0,%d,%d)\r\n", port>>8, port&0xff)
	case r.Code == 350 && c.verb == "REST":
		if n := number.FindAllString(r.Text, 2); len(n) == 1 && n[0] != c.argument {
			return c.breaks(fmt.Errorf("%w: REST %s is answered %q", fetchers.ErrRange, c.argument, r.Text))
		}
	}
	return nil
}

var number = regexp.MustCompile(`[0-9]+`)

// readLine reads a line of a reply.
func (c *control) readLine() (string, error) {
	var line []byte
	for {
		b, err := c.in.ReadByte()
		switch {
		case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
			return "", fetchers.Temporary(fmt.Errorf("the server closed the connection: %w", io.ErrUnexpectedEOF))
		case err != nil:
			return "", err
		}
		if c.budget--; c.budget < 0 {
			return "", fmt.Errorf("%w: a reply of more than %d bytes", fetchers.ErrProtocol, c.HeaderLimit(maxReply))
		}
		if b == '\n' {
			return strings.TrimRight(string(line), "\r"), nil
		}
		line = append(line, b)
	}
}

// breaks records the first reason why the connection is of no more use.
func (c *control) breaks(err error) error {
	if c.broken == nil {
		c.broken = err
	}
	return err
}

// inStep reports whether the server has said nothing but what it was asked, and stays.
func (c *control) inStep() bool {
	return c.broken == nil && !c.leaving && c.in.Buffered() == 0 && len(c.ready) == 0 && !c.owed()
}

// settled reports whether any reply of 2xx means that the last command did what
// it should. Of the others, the library has to understand the reply.
func (c *control) settled() bool {
	switch c.verb {
	case "CWD", "TYPE", "RETR", "LIST", "MLSD", "NLST":
		return c.last.Code/100 == 2
	}
	return false
}
