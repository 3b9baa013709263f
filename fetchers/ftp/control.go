package ftp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// maxReply bounds what a server may answer to one command. The longest honest
// replies are greetings and the help texts of some servers, of a few KiB.
const maxReply = 64 << 10

// A control is the control connection as the library sees it. It lets out whole
// lines only, reads along, and remembers what the library forgets.
type control struct {
	*wire.Conn
	trace *fetchers.Trace

	noPassword bool   // none is known, so PASS cannot be sent
	instead    string // what to send in place of the next RETR

	partial  []byte // of a command
	verb     string // of the last command
	in       *bufio.Reader
	budget   int    // what is left of maxReply
	line     []byte // of a reply, as far as it has been read
	multi    string // the code of the multi-line reply we are in
	last     fetchers.Reply
	features map[string]bool // first words of the reply to FEAT
	broken   error           // why the connection is of no more use
}

func newControl(ctx context.Context, c *wire.Conn) *control {
	return &control{
		Conn: c, trace: fetchers.ContextTrace(ctx), in: bufio.NewReader(c),
		budget: maxReply, features: make(map[string]bool),
	}
}

// RemoteAddr returns the peer's address. The library takes the IP for data
// connections from it, and panics if it is no TCP address.
func (c *control) RemoteAddr() net.Addr {
	if a, ok := c.Conn.RemoteAddr().(*net.TCPAddr); ok {
		return a
	}
	return &net.TCPAddr{}
}

// Write sends a command once it is whole; the library may write a long one in
// pieces.
func (c *control) Write(p []byte) (int, error) {
	if c.broken != nil {
		return 0, c.broken
	}
	c.partial = append(c.partial, p...)
	if !bytes.HasSuffix(c.partial, []byte("\r\n")) {
		return len(p), nil
	}
	line := string(c.partial)
	c.partial = c.partial[:0]
	if c.instead != "" && strings.HasPrefix(line, "RETR ") {
		line, c.instead = c.instead+"\r\n", ""
	}
	c.verb, _, _ = strings.Cut(strings.TrimSuffix(line, "\r\n"), " ")
	if err := wire.CheckLine([]byte(line)); err != nil {
		return 0, c.breaks(err)
	}
	shown := line[:len(line)-2]
	if c.verb == "PASS" {
		if c.noPassword {
			return 0, c.breaks(fetchers.ErrLogin)
		}
		shown = "PASS ***"
	}
	c.trace.Sent(shown)
	c.budget = maxReply
	if _, err := c.Conn.Write([]byte(line)); err != nil {
		return 0, c.breaks(err)
	}
	return len(p), nil
}

// Read reads replies and hands them on by the line, so that what the library has
// read is what we have seen: a server may send its next reply before the library
// asks for it.
func (c *control) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		b, err := c.in.ReadByte()
		if err == io.EOF {
			c.breaks(fetchers.Temporary(fmt.Errorf("the server closed the connection: %w", io.ErrUnexpectedEOF)))
			return n, io.EOF
		}
		if err != nil {
			return n, c.breaks(err)
		}
		if c.budget--; c.budget < 0 {
			return n, c.breaks(fmt.Errorf("%w: a reply of more than %d bytes", fetchers.ErrProtocol, maxReply))
		}
		p[n] = b
		n++
		c.line = append(c.line, b)
		if b == '\n' {
			err := c.reply(strings.TrimRight(string(c.line), "\r\n"))
			c.line = c.line[:0]
			return n, err
		}
	}
	return n, nil
}

// breaks records the first reason why the connection is of no more use.
func (c *control) breaks(err error) error {
	if c.broken == nil {
		c.broken = err
	}
	return err
}

// reply takes in one line of a reply (RFC 959, section 4.2): "123-" begins a
// reply of several lines, which "123 " ends.
func (c *control) reply(line string) error {
	c.trace.Got(line)
	code, text, ok := cutCode(line)
	switch {
	case c.multi != "" && (code != c.multi || line[3:] != "" && line[3] == '-'):
		if c.verb == "FEAT" {
			feature, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			c.features[strings.ToUpper(feature)] = true
		}
	case !ok:
		return c.breaks(fmt.Errorf("%w: %.60q", fetchers.ErrProtocol, line))
	case line[3:] != "" && line[3] == '-':
		c.multi = code
	default:
		c.multi = ""
		c.last.Code, _ = strconv.Atoi(code)
		c.last.Text = text
	}
	return nil
}

// cutCode slices a reply's line into its three digits and its text.
func cutCode(line string) (code, text string, ok bool) {
	if len(line) < 3 || len(line) > 3 && line[3] != ' ' && line[3] != '-' {
		return "", "", false
	}
	for i := range 3 {
		if line[i] < '0' || '9' < line[i] {
			return "", "", false
		}
	}
	return line[:3], strings.TrimSpace(line[min(4, len(line)):]), true
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

// crowded matches the words of servers that answer 530 because too many users
// are there, rather than because this one may not come in.
var crowded = regexp.MustCompile(`(?i)too many|maximum|limit|try again|busy|full`)

// forbidden matches the words of a 550 that is about a file that is there.
var forbidden = regexp.MustCompile(`(?i)denied|permission|not allowed|not permitted|forbidden|prohibited`)

// classOf says what sort of refusal a reply is (RFC 959, section 4.2.1).
func classOf(r fetchers.Reply) error {
	switch {
	case r.Code/100 == 4, r.Code == 530 && crowded.MatchString(r.Text):
		return fetchers.ErrTemporary
	case r.Code == 530:
		return fetchers.ErrLogin
	case r.Code == 532, r.Code == 550 && forbidden.MatchString(r.Text), r.Code == 553:
		return fs.ErrPermission
	case r.Code == 550:
		return fs.ErrNotExist
	case r.Code/100 == 5:
		return errRefused
	}
	return fetchers.ErrProtocol
}

// errRefused is the class of a command that the server does not have, or does
// not have in this form.
var errRefused = errors.New("command refused")
