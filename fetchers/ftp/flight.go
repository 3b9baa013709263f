package ftp

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A flight is several commands in one write. The server answers them in order, so a flight takes
// one round trip, where separate commands take one each. The library sends one command at a time:
// plan announces the commands that will be asked, the first of them sends the others with it, and
// the replies are held until the library asks for them.
//
// These rules keep a flight safe:
//
//   - Nothing is sent together with AUTH, and nothing before the greeting.
//   - A password is sent only after 331. The placeholder of the anonymous user is no secret and
//     is sent with USER. Nothing follows PASS in its flight: at the login a server may pass the
//     connection to another process, and bytes that the first process had read would be lost.
//   - Nothing follows RETR in its flight. During a transfer Pure-FTPd discards its input, and
//     ProFTPD refuses EPSV; therefore the port of the next transfer is requested only after the
//     current one has ended. It is then requested only for an actual fetch: a kept connection is
//     in step because the server owes it no reply, and the server would hold open a port that may
//     never be used.
//   - A flight ends before a command that depends on a reply. No flight is sent before all
//     replies to the previous one were read.
//   - A flight has at most maxFlight bytes, which fit the socket buffer of a server that waits
//     until its replies are read.
//
// A server that reads one command per packet closes the connection at a flight or within it, omits
// replies, answers out of step, or calls a command unknown or a bad sequence. A firewall that looks
// for the port in the reply to EPSV may inspect only the first reply of a packet (nf_conntrack_ftp
// does), so that the port of a flight remains closed. In both cases the connection has stumbled.
// The Fetcher repeats the fetch on a new connection, and sends no flights to this server from then
// on.

const (
	maxFlight = 4 << 10         // bytes of a flight
	between   = 5 * time.Second // timeout of the second and later replies to a flight except that to PASS, of the dial to its port, and of a separate FEAT
)

// inOrder matches the greetings of servers that are known to accept one command at a time. The list
// is the default of ftp:auto-sync-mode in lftp.
var inOrder = regexp.MustCompile(`Microsoft FTP Service|MadGoat|MikroTik`)

// An exchange is a sent command with its reply.
type exchange struct {
	line           string
	verb, argument string // of line
	together       bool   // it was sent in a flight
	answered       bool
	reply          fetchers.Reply
	text           []byte // all lines of the reply
}

// plan announces a flight: commands that will be asked in this order. If flights are disabled, and
// from a line on that cannot be sent, they are sent one by one when they are asked.
func (c *control) plan(lines ...string) {
	if c.plain {
		return
	}
	if i := slices.IndexFunc(lines, notOneLine); i >= 0 {
		lines = lines[:i]
	}
	for len(lines) > 0 {
		n, size := 1, len(lines[0])+2
		for n < len(lines) && size+len(lines[n])+2 <= maxFlight {
			size += len(lines[n]) + 2
			n++
		}
		c.flights = append(c.flights, lines[:n])
		lines = lines[n:]
	}
}

func notOneLine(line string) bool { return transport.CheckLine([]byte(line+"\r\n")) != nil }

// planned returns how many commands of the current errand are planned, or sent but not yet asked
// for.
func (c *control) planned() (n int) {
	for _, flight := range c.flights {
		n += len(flight)
	}
	for _, x := range c.queue {
		if x.verb != "PASS" { // else it was not needed
			n++
		}
	}
	return n
}

// forget drops planned flights, replies that no caller asked for, and the last reply.
func (c *control) forget() { c.flights, c.queue, c.last = nil, nil, fetchers.Reply{} }

// disregard drops the reply to a command of a flight, so that the command is sent again.
func (c *control) disregard(line string) {
	c.queue = slices.DeleteFunc(c.queue, func(x *exchange) bool { return x.answered && x.line == line })
}

// send returns the exchange of line. If line was not sent in an earlier flight, send writes it now,
// with the planned flight that contains it.
func (c *control) send(line string) (*exchange, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	if x := c.sent(line); x != nil {
		return x, nil
	}
	if err := c.settle(); err != nil {
		return nil, err
	}
	lines := []string{line}
	if len(c.flights) > 0 && slices.Contains(c.flights[0], line) {
		lines, c.flights = c.flights[0], c.flights[1:]
	}
	if err := c.write(lines); err != nil {
		return nil, err
	}
	return c.sent(line), nil
}

// sent returns the exchange of line, or nil.
func (c *control) sent(line string) *exchange {
	for _, x := range c.queue {
		if x.line == line {
			return x
		}
	}
	return nil
}

// write sends lines in one write.
func (c *control) write(lines []string) error {
	octets, shown := "", ""
	c.heard, c.secret = 0, ""
	for _, line := range lines {
		if notOneLine(line) {
			return c.breaks(transport.ErrLine)
		}
		x := &exchange{line: line, together: len(lines) > 1}
		x.verb, x.argument, _ = strings.Cut(line, " ")
		octets += line + "\r\n"
		if x.verb == "PASS" {
			line, c.secret = "PASS ***", x.argument
		}
		c.trace.Sent(line)
		shown += line + "\r\n"
		c.queue = append(c.queue, x)
	}
	c.flown = c.flown || len(lines) > 1
	c.Conceal(c.secret)
	if _, err := c.WriteAs([]byte(octets), shown); err != nil {
		return c.breaks(err)
	}
	return nil
}

// owed reports whether the server has yet to answer a command.
func (c *control) owed() bool {
	return slices.ContainsFunc(c.queue, func(x *exchange) bool { return !x.answered })
}

// aloft reports whether the server has yet to answer a command of a flight.
func (c *control) aloft() bool {
	return slices.ContainsFunc(c.queue, func(x *exchange) bool { return x.together && !x.answered })
}

// settle reads all outstanding replies.
func (c *control) settle() error {
	for _, x := range c.queue {
		if err := c.await(x); err != nil {
			return err
		}
	}
	if err := c.stray(); err != nil && c.flown {
		return c.stumbles(err)
	}
	return nil
}

// stray returns an error if the server has sent more than the replies to the commands so far.
func (c *control) stray() error {
	if n := c.in.Buffered(); n > 0 {
		return fmt.Errorf("%w: %d bytes that answer no command", fetchers.ErrProtocol, n)
	}
	return nil
}

// hearUntil removes x from the queue, and reads the replies up to that of x.
func (c *control) hearUntil(x *exchange) error {
	n := slices.Index(c.queue, x)
	for _, earlier := range c.queue[:n+1] {
		if err := c.await(earlier); err != nil {
			return err
		}
	}
	c.queue = slices.Delete(c.queue, n, n+1)
	return nil
}

// await reads the reply to x, the first command without a reply.
func (c *control) await(x *exchange) error {
	if x.answered {
		return nil
	}
	c.awaited = x.verb
	limit := time.Duration(0)
	switch {
	case x.together && c.heard > 0 && x.verb != "PASS", // a login may depend on another host
		x.verb == "FEAT" && !x.together:
		limit = c.between
	}
	c.budget = c.HeaderLimit(maxReply)
	since := time.Now()
	c.AwaitFor(limit)
	err := c.hear(x)
	if err == nil {
		c.awaited = ""
	}
	switch {
	case !x.together:
		return err
	case err != nil && c.heard > 0 && (!errors.Is(err, fetchers.ErrStalled) || time.Since(since) >= c.between):
		return c.stumbles(err)
	case err != nil && c.heard == 0 && !errors.Is(err, fetchers.ErrStalled) && !errors.Is(err, fetchers.ErrProtocol):
		return c.stumbles(err) // the server has closed the connection
	case err != nil:
		return err
	case !x.fits():
		return c.stumbles(fmt.Errorf("%w: %s is answered %d %s", fetchers.ErrProtocol, x.verb, x.reply.Code, x.reply.Text))
	}
	c.heard++
	return nil
}

// stumbles is breaks with a flight as the reason, unless the server has sent 421.
func (c *control) stumbles(err error) error {
	c.stumbled = !c.leaving
	return c.breaks(err)
}

// answers are the commands that certain codes may answer.
var answers = map[int][]string{
	125: nil, 150: nil, 221: nil, 226: nil, 425: nil, 426: nil, // to a transfer or to QUIT, which are in no flight
	211: {"FEAT"},
	213: {"SIZE", "MDTM"},
	227: {"PASV"},
	229: {"EPSV"},
	257: {"PWD"},
	331: {"USER"},
	332: {"USER", "PASS"},
	350: {"REST", "RANG"},
	503: {"PASS", "PBSZ", "PROT"}, // bad sequence of commands
}

// fits reports whether the reply may belong to this command of a flight. A server that reads one
// command per packet rejects a command that others follow.
func (x *exchange) fits() bool {
	if verbs, ok := answers[x.reply.Code]; ok {
		return slices.Contains(verbs, x.verb)
	}
	switch x.verb {
	case "USER", "CWD", "TYPE":
		return x.reply.Code != 500 && x.reply.Code != 502
	case "SIZE", "MDTM", "EPSV", "PASV":
		return x.reply.Code != 200 && x.reply.Code != 250 // these are for CWD or TYPE
	}
	return true
}
