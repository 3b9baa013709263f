package fault_test

import (
	"crypto/tls"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A phase is a moment of a conversation, before the body or right after it, at which a server has a
// fault.
type phase struct {
	reply string // the faulty reply: "the greeting of FTP"

	// serve starts the server in memory, and returns the URL. At its moment it calls
	// strike, and sends no more if that returns true, having put a fault in place of the
	// reply.
	serve func(s *scene, strike func(net.Conn) bool) string

	begun string    // octets of the reply that come before the fault
	text  string    // repeated, it is an endless line
	line  string    // repeated, it is an endless reply
	skip  []string  // breakages that are no fault here
	want  []verdict // outcome if the fault comes every time; empty: an honest error
	ends  []verdict // outcome if the connection ends every time; empty: want
	final bool      // the client may take the fault for a final answer, and not retry

	// bounds has, by breakage, the flag that bounds a body, which has no bound by
	// default.
	bounds map[string]string

	data    [][]byte // as for a trial
	tells   bool
	entries int
}

// The flags that bound bodies.
var (
	bySpeed       = map[string]string{drips: "--speed-limit"}
	bySpeedOrSize = map[string]string{drips: "--speed-limit", longLine: "--max-filesize", endless: "--max-filesize"}
)

// A breakage is a way in which a reply breaks.
type breakage struct {
	name   string // the behaviour of the reply
	does   string // the behaviour of the server after the first octets of the reply
	strike func(s *scene, c net.Conn, p *phase)
	lost   bool // a network may cause it, so that a retry may help
}

const (
	ends     = "ends"
	isReset  = "is reset"
	isSilent = "is silent"
	drips    = "drips"
	longLine = "is a line without end"
	endless  = "does not end"
)

var breakages = []breakage{
	{ends, "closes the connection", func(*scene, net.Conn, *phase) {}, true},
	{isReset, "resets the connection", func(_ *scene, c net.Conn, _ *phase) { reset(c) }, true},
	{isSilent, "sends nothing more", func(_ *scene, c net.Conn, _ *phase) { io.Copy(io.Discard, c) }, true},
	{drips, "sends an octet a second", func(_ *scene, c net.Conn, p *phase) { dripSlowly(c, p.line+p.text) }, false},
	{longLine, "sends a line that never ends", func(s *scene, c net.Conn, p *phase) { s.floodSlowly(c, p.text) }, false},
	{endless, "sends lines that never end", func(s *scene, c net.Conn, p *phase) { s.floodSlowly(c, p.line) }, false},
}

// phases are those of all protocols.
var phases = slices.Concat(httpPhases, ftpPhases, newsPhases, dictPhases, otherPhases, proxyPhases)

var (
	// beforeTheBody has each breakage at each phase, in every attempt.
	beforeTheBody = broken(phases, false)

	// lostOnce has each breakage that a network may cause, at each phase, in the first
	// attempt only. One retry is enough.
	lostOnce = broken(phases, true)
)

// broken returns the trials of phases.
func broken(phases []phase, once bool) (trials []trial) {
	for _, p := range phases {
		for _, b := range breakages {
			if slices.Contains(p.skip, b.name) || once && !b.lost || b.name == longLine && p.text == "" || b.name == endless && p.line == "" {
				continue
			}
			trials = append(trials, p.trial(b, once))
		}
	}
	return trials
}

// trial returns the trial of a breakage at p.
func (p phase) trial(b breakage, once bool) trial {
	t := trial{name: p.reply + " " + b.name, does: "it " + b.does, data: p.data, tells: p.tells, entries: p.entries, want: p.want}
	if p.begun != "" {
		t.does = "it begins " + p.reply + ", and then " + b.does
	}
	switch {
	case once:
		t.name, t.want = t.name+", once", mustBeRight
		t.does += ", the first time; then it is good"
		if p.final || b.name == isSilent { // after a minute of silence the client may give up
			t.want = []verdict{right, honest}
			if b.name == ends {
				t.want = append(t.want, p.ends...)
			}
		}
	case b.name == ends && p.ends != nil:
		t.want = p.ends
	case p.bounds[b.name] != "":
		t.flag, t.want = p.bounds[b.name], needsFlag
	case p.want == nil:
		t.want = mustFail
	}
	switch {
	case p.final || p.want != nil:
	case b.name == isSilent:
		t.class = fetchers.ErrStalled
	case b.name == isReset:
		t.never = fetchers.ErrProtocol
	}
	t.serve = func(s *scene) string {
		s.armed = true
		return p.serve(s, func(c net.Conn) bool {
			if s.strikes.Add(1) > 1 && once {
				return false
			}
			io.WriteString(c, p.begun)
			b.strike(s, c, &p)
			return true
		})
	}
	return t
}

// reset resets a connection in memory, or the one below TLS.
func reset(c net.Conn) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	c.(*link).reset()
}

// dripSlowly sends text again and again, an octet a second, until the client leaves.
func dripSlowly(c net.Conn, text string) {
	for i := 0; ; i++ {
		if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// most is how many octets of an endless reply a client may read.
const most = 16 << 20

// floodSlowly sends text again and again, three megabytes a second, and reports a client that reads
// more than most octets.
func (s *scene) floodSlowly(c net.Conn, text string) {
	b := []byte(strings.Repeat(text, 1+(32<<10)/len(text)))
	for sent := 0; sent < most; sent += len(b) {
		if _, err := c.Write(b); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.accuse("%d octets of a reply without end are taken", most)
}
