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

// A flight is several commands in one write. The server answers them in order, so a
// flight costs one round trip where its commands, one by one, cost one each. The library
// asks one command at a time: plan names the commands that will be asked, the first of
// them to be asked takes the others with it, and the replies wait until the library asks.
//
// These rules keep a flight safe:
//
//   - Nothing is sent together with AUTH, and nothing before the greeting.
//   - A password is sent only after 331 asks for it. The placeholder of the anonymous user
//     is no secret and goes out with USER. Nothing follows PASS in its flight: a server may
//     hand the connection to another process at the login, and what the first had read
//     would be lost.
//   - Nothing follows RETR in its flight. During a transfer Pure-FTPd throws away what
//     it reads, and ProFTPD refuses EPSV, so the port of the next transfer is not asked for
//     before this one is over. Nor is it asked for after that, before there is another
//     errand: a kept connection is known to be in step because the server owes it nothing,
//     and the server would hold a port open that may never be used.
//   - A flight ends before a command that depends on a reply. No second flight is sent
//     before all replies to the first are read.
//   - A flight has at most maxFlight bytes, which a server's socket holds while the server
//     waits for its replies to be read.
//
// A server that takes one command a packet ends the connection at a flight or in the middle
// of it, leaves the rest without a reply, answers out of step, or calls a command unknown or a bad
// sequence. A firewall that looks for the port in the reply to EPSV may look at the first
// reply of a packet only (nf_conntrack_ftp does), so the port told in a flight stays closed.
// In both cases the connection has stumbled. The Fetcher begins again on a new one without
// flights, and uses none for that server from then on.

const (
	maxFlight = 4 << 10         // bytes of a flight
	between   = 5 * time.Second // how long a later reply to a flight but that to PASS, or the dial to its port, may take; also that to FEAT alone
)

// inOrder matches the greetings of servers that are known to take one command at a time.
// The list is the default of ftp:auto-sync-mode in lftp.
var inOrder = regexp.MustCompile(`Microsoft FTP Service|MadGoat|MikroTik`)

// An exchange is a command that is sent, and its reply.
type exchange struct {
	line           string
	verb, argument string // of line
	together       bool   // it went out with others
	answered       bool
	reply          fetchers.Reply
	text           []byte // all lines of the reply
}

// plan announces a flight: commands that will be asked in this order. Without flights, and
// from a line that cannot be sent, they go out one by one, as they are asked.
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

// planned returns how many commands of the present errand are planned, or sent and not yet
// asked for.
func (c *control) planned() (n int) {
	for _, flight := range c.flights {
		n += len(flight)
	}
	for _, x := range c.queue {
		if x.verb != "PASS" { // which was not needed
			n++
		}
	}
	return n
}

// forget drops the flights that were planned, the replies that were not asked for, and the last
// reply.
func (c *control) forget() { c.flights, c.queue, c.last = nil, nil, fetchers.Reply{} }

// disregard drops the replies to a command of a flight that were not asked for, so that it is
// sent again.
func (c *control) disregard(line string) {
	c.queue = slices.DeleteFunc(c.queue, func(x *exchange) bool { return x.answered && x.line == line })
}

// send returns the exchange that line begins. Unless it was sent with another one, line is
// sent now, and the flight that it is of with it.
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

// sent returns the exchange that line began, or nil.
func (c *control) sent(line string) *exchange {
	for _, x := range c.queue {
		if x.line == line {
			return x
		}
	}
	return nil
}

// write sends lines at once.
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

// aloft reports whether the server owes replies to a flight.
func (c *control) aloft() bool {
	return slices.ContainsFunc(c.queue, func(x *exchange) bool { return x.together && !x.answered })
}

// settle reads the replies that the server owes.
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

// stray returns an error if the server has sent more than replies to the commands so far.
func (c *control) stray() error {
	if n := c.in.Buffered(); n > 0 {
		return fmt.Errorf("%w: %d bytes that answer no command", fetchers.ErrProtocol, n)
	}
	return nil
}

// hearUntil takes x out of the queue, and reads the replies up to that of x.
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

// await reads the reply to x, the first command that has none.
func (c *control) await(x *exchange) error {
	if x.answered {
		return nil
	}
	c.awaited = x.verb
	limit := time.Duration(0)
	switch {
	case x.together && c.heard > 0 && x.verb != "PASS", // a login may ask another host
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
		return c.stumbles(err) // it has hung up
	case err != nil:
		return err
	case !x.fits():
		return c.stumbles(fmt.Errorf("%w: %s is answered %d %s", fetchers.ErrProtocol, x.verb, x.reply.Code, x.reply.Text))
	}
	c.heard++
	return nil
}

// stumbles is breaks if the reason is a flight, unless the server has said that it leaves.
func (c *control) stumbles(err error) error {
	c.stumbled = !c.leaving
	return c.breaks(err)
}

// answers are the codes that answer certain commands only.
var answers = map[int][]string{
	125: nil, 150: nil, 221: nil, 226: nil, 425: nil, 426: nil, // to a transfer or to QUIT, in no flight
	211: {"FEAT"},
	213: {"SIZE", "MDTM"},
	227: {"PASV"},
	229: {"EPSV"},
	257: {"PWD"},
	331: {"USER"},
	332: {"USER", "PASS"},
	350: {"REST", "RANG"},
	503: {"PASS", "PBSZ", "PROT"}, // a bad sequence of commands
}

// fits reports whether the reply may be to this command of a flight. A server that takes
// one command a packet does not know a command that has others in it.
func (x *exchange) fits() bool {
	if verbs, ok := answers[x.reply.Code]; ok {
		return slices.Contains(verbs, x.verb)
	}
	switch x.verb {
	case "USER", "CWD", "TYPE":
		return x.reply.Code != 500 && x.reply.Code != 502
	case "SIZE", "MDTM", "EPSV", "PASV":
		return x.reply.Code != 200 && x.reply.Code != 250 // which are to CWD or TYPE
	}
	return true
}
