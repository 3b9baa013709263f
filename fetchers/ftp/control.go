package ftp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// maxReply is the maximum size of the reply to one command, in bytes. The longest regular replies
// are greetings and help texts of a few KiB.
const maxReply = 64 << 10

// A control is the control connection. It sends complete commands and reads complete replies. Each
// reply is returned to the caller that sent the command, and is not stored anywhere else.
type control struct {
	*transport.Conn
	trace fetchers.Tracer

	between time.Duration
	plain   bool        // send one command at a time, without flights
	flights [][]string  // planned flights, in order
	queue   []*exchange // sent commands, in order, until a caller takes the reply
	flown   bool        // a flight was sent
	heard   int         // number of replies to the last flight
	awaited string      // verb of the command whose reply is or was last waited for; "" once it arrived
	early   *exchange   // final reply of a transfer, if it was read before the data
	secret  string      // password in the last flight, which the server may repeat

	in        *bufio.Reader
	budget    int    // remaining bytes of maxReply
	verb      string // verb of the command that was answered last
	last      fetchers.Reply
	features  map[string]bool // first words of the lines of the reply to FEAT
	featured  bool            // the server has answered FEAT, so features is complete
	without   map[string]bool // commands that the server has refused as unknown
	broken    error           // reason why the connection cannot be used any more
	stumbled  bool            // the reason is a flight
	portDoubt bool            // the last data port was received in a flight
	greeted   bool            // the server has sent a reply
	leaving   bool            // the server has sent 421: it closes the connection
}

// newControl returns a control over a connection.
func newControl(conn *transport.Conn) *control {
	return &control{
		Conn: conn, trace: conn.Trace(), in: bufio.NewReader(conn), budget: conn.HeaderLimit(maxReply),
		features: make(map[string]bool), without: make(map[string]bool),
	}
}

// ask sends a command, unless it was sent in a flight, and returns the reply.
func (c *control) ask(command string) (fetchers.Reply, error) {
	x, err := c.exchange(command)
	if err != nil {
		return fetchers.Reply{}, err
	}
	return x.reply, nil
}

// exchange is ask, but returns all lines of the reply.
func (c *control) exchange(command string) (*exchange, error) {
	x, err := c.send(command)
	if err != nil {
		return nil, err
	}
	return x, c.record(x, c.hearUntil(x))
}

// next reads a reply that belongs to no command: a greeting, or the final reply of a transfer.
func (c *control) next() (*exchange, error) {
	x := new(exchange)
	if c.broken != nil {
		return x, c.broken
	}
	if c.early != nil {
		x, c.early = c.early, nil
		return x, c.record(x, nil)
	}
	c.Await()
	return x, c.record(x, c.hear(x))
}

// refusesData reports whether the server has ended the transfer by a reply while no data connection
// exists.
func (c *control) refusesData() bool {
	if c.early == nil && c.speaks() {
		x := new(exchange)
		c.Await()
		if err := c.hear(x); err != nil {
			c.record(x, err)
			return true
		}
		c.early = x
	}
	return c.early != nil && c.early.reply.Code >= 400
}

// speaks reports whether the server has sent bytes, or ended the connection. It does not wait.
func (c *control) speaks() bool {
	if c.in.Buffered() > 0 {
		return true
	}
	octet := make([]byte, 1)
	c.Flow()
	n, err := c.ReadUntil(octet, time.Now().Add(time.Millisecond))
	if n > 0 {
		c.in.Reset(io.MultiReader(bytes.NewReader(octet), c.Conn))
	}
	return n > 0 || !errors.Is(err, os.ErrDeadlineExceeded)
}

// record stores the facts about the server that the reply of x contains. If err is not nil, there
// is no reply, or it is 421.
func (c *control) record(x *exchange, err error) error {
	if x.answered {
		c.last = x.reply
	}
	if err != nil {
		return err
	}
	if x.verb != "" {
		c.verb = x.verb
	}
	switch x.reply.Code {
	case 202, 500, 502:
		c.without[c.verb] = true // RFC 959, section 4.2.2: the command is unknown, not implemented or superfluous
	case 211:
		c.featured = c.featured || x.verb == "FEAT"
	}
	if x.verb == "EPSV" || x.verb == "PASV" {
		c.portDoubt = x.together
	}
	return nil
}

// offers reports whether the server may support a command of RFC 3659: FEAT lists it, or the server
// does not support FEAT and has not refused the command.
func (c *control) offers(verb string) bool {
	return c.features[verb] || !c.featured && !c.without[verb]
}

// hear reads one reply (RFC 959, section 4.2): "123-" begins a reply of several lines, which "123 "
// ends.
func (c *control) hear(x *exchange) error {
	several, banner := "", ""
	for {
		line, err := c.readLine()
		if err != nil && banner != "" && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			err = noReply(banner)
		}
		if err != nil {
			return c.breaks(err)
		}
		if c.secret != "" {
			line = transport.Masked(line, c.secret) // some servers repeat the password
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
		case line == "": // some servers send an empty line before the greeting
			continue
		case !ok && !c.greeted:
			if banner == "" {
				banner = line
				c.AwaitFor(lastWord) // a server of another protocol may send nothing more
			}
			continue
		case !ok:
			return c.breaks(noReply(line))
		case more:
			several = code
		default:
			x.answered, x.reply.Text = true, text
			x.reply.Code, _ = strconv.Atoi(code)
			x.text = fmt.Appendf(x.text, "%s %s\r\n", code, text) // some servers send the code alone
			return c.check421(x.reply)
		}
		x.text = append(x.text, line+"\r\n"...)
	}
}

// noReply returns the error for a line that is no reply.
func noReply(line string) error { return fmt.Errorf("%w: %.60q", fetchers.ErrProtocol, line) }

// check421 ends the use of the connection after the reply 421, by which the server announces that it
// closes it (RFC 959, section 4.2.2). The reply must not count as the refusal of an optional
// command such as SIZE: the data after it would have no known length.
func (c *control) check421(r fetchers.Reply) error {
	if r.Code != 421 {
		return nil
	}
	c.leaving = true
	return c.breaks(&fetchers.StatusError{Reply: r, Class: classOf(r)})
}

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
		if b == 0 {
			return "", fmt.Errorf("%w: a NUL in a reply", fetchers.ErrProtocol)
		}
		if b == '\n' {
			return strings.TrimRight(string(line), "\r"), nil
		}
		line = append(line, b)
	}
}

// breaks records the first error after which the connection cannot be used any more.
func (c *control) breaks(err error) error {
	if c.broken == nil {
		c.broken = err
	}
	return err
}

// failure returns the error of a failed exchange: that of the connection or of the last reply if
// they exist, since they are more specific than err.
func (c *control) failure(err error) error {
	switch r := c.last; {
	case c.broken != nil:
		return c.broken
	case (c.verb == "USER" || c.verb == "PASS") && classOf(r) == errors.ErrUnsupported:
		return &fetchers.StatusError{Reply: r, Class: fetchers.ErrLogin}
	case r.Code >= 400:
		return &fetchers.StatusError{Reply: r, Class: classOf(r)}
	case r.Code == 332:
		return fmt.Errorf("%w: %d %s: an account is required, but a URL has none", fs.ErrPermission, r.Code, r.Text)
	}
	return fmt.Errorf("%w: %v", fetchers.ErrProtocol, err)
}

// inStep reports whether all replies have arrived and the server has sent nothing else.
func (c *control) inStep() bool {
	return c.broken == nil && c.in.Buffered() == 0 && c.early == nil && !c.owed()
}
