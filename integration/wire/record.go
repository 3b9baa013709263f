package wire

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	// maxRun is the maximum of bytes in a row from a server that a script has. Of a longer row,
	// keptEnd bytes are its end, which may mark the end of a reply.
	maxRun  = 64 << 10
	keptEnd = 1 << 10

	// maxRecord is the maximum size of a script.
	maxRecord = 4 << 20

	// longLine is how many octets stand in one line of the script.
	longLine = 512
)

// A Recorder writes the exchanges of connections as the section wire of a script. Connections
// follow each other in a script, so each is written as a whole, in the order in which they were
// opened. Its methods may be called by several goroutines.
//
// If a server sends more than 64 KiB at a time, the script has the beginning, the end, and zeros
// between them, with a remark. After 4 MiB the script ends.
type Recorder struct {
	mu    sync.Mutex
	conns []*Recording
	hosts []host
	kept  int
}

// A host is a server by the name that it has on the wire.
type host struct {
	authority   string
	link, field *regexp.Regexp
}

// A Recording has the bytes of one connection.
type Recording struct {
	r       *Recorder
	lineEnd string
	runs    []*run
	ended   string     // the verb at the end
	control *Recording // of a data connection
	data    *run       // of a data connection; nil before something comes
	ports   []int      // of its data connections
}

// A run has the bytes in one direction between two in the other direction.
type run struct {
	mark      byte // of the steps: C, S or D
	head, end []byte
	cut       int    // how much between them is not here
	verb      string // after D steps
}

// Server replaces authority, the host and port of a server in a URL, by SERVER: in URLs and Host
// fields that are sent, and in fields with links that are received. The scheme of such a URL
// becomes one without TLS.
func (r *Recorder) Server(authority string) {
	if authority == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.hosts, func(h host) bool { return h.authority == authority }) {
		return
	}
	quoted := regexp.QuoteMeta(escape([]byte(authority)))
	r.hosts = append(r.hosts, host{
		authority: authority,
		link:      regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*)://((?:[^/?#\s]*@)?)` + quoted + `([/?#\s">,;]|$)`),
		field:     regexp.MustCompile(`(?i)^(host: )` + quoted + `$`),
	})
}

// URL returns the text of a URL of a server with SERVER in the place of that.
func (r *Recorder) URL(text string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.linked(text)
}

func (r *Recorder) linked(text string) string {
	for _, h := range r.hosts {
		text = h.link.ReplaceAllStringFunc(text, func(found string) string {
			m := h.link.FindStringSubmatch(found)
			return clearScheme(m[1]) + "://" + m[2] + "SERVER" + m[3]
		})
	}
	return text
}

// Connect begins a connection. Its lines end in lineEnd, which is CR LF except for datagrams, such
// as those of prospero. If lineEnd is empty, the bytes of each call are a datagram, and a step.
func (r *Recorder) Connect(lineEnd string) *Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &Recording{r: r, lineEnd: lineEnd}
	r.conns = append(r.conns, c)
	return c
}

// Data begins the data connection to a port that the server has named on c.
func (c *Recording) Data(port int) *Recording {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	c.ports = append(c.ports, port)
	return &Recording{r: c.r, lineEnd: c.lineEnd, control: c}
}

// Sent records bytes of the client. "***" in them will match anything.
func (c *Recording) Sent(p []byte) { c.add('C', p) }

// Got records bytes of the server.
func (c *Recording) Got(p []byte) {
	if c.control != nil {
		c.add('D', p)
		return
	}
	c.add('S', p)
}

// End records how the server ended the connection: "close", "reset" or "stall".
func (c *Recording) End(how string) {
	if c.control == nil {
		c.r.mu.Lock()
		defer c.r.mu.Unlock()
		if c.ended == "" {
			c.ended = "! " + how
		}
		return
	}
	c.add('D', nil) // though it be empty
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	if how != "close" && c.data != nil {
		c.data.verb = "! data " + how
	}
}

// add records octets.
func (c *Recording) add(mark byte, p []byte) {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	to := c.run(mark)
	if to == nil {
		return
	}
	room := maxRecord - c.r.kept
	if mark != 'C' {
		room = min(room, maxRun-len(to.head))
	}
	n := min(len(p), max(room, 0))
	to.head = append(to.head, p[:n]...)
	c.r.kept += n
	to.end = append(to.end, p[n:]...)
	if more := len(to.end) - keptEnd; more > 0 {
		to.cut += more
		to.end = slices.Delete(to.end, 0, more)
	}
}

// run returns where octets are added, or nil if nothing is any more. All that comes
// over a data connection stands together.
func (c *Recording) run(mark byte) *run {
	on := c
	switch {
	case c.data != nil:
		return c.data
	case c.control != nil:
		on = c.control
	}
	if on.ended != "" || c.r.kept >= maxRecord {
		return nil
	}
	if last := len(on.runs) - 1; mark != 'D' && last >= 0 && on.runs[last].mark == mark && c.lineEnd != "" {
		return on.runs[last]
	}
	to := &run{mark: mark}
	on.runs = append(on.runs, to)
	if mark == 'D' {
		c.data = to
	}
	return to
}

// WriteTo writes the section wire, without its marker.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b bytes.Buffer
	for i, c := range r.conns {
		if i > 0 {
			b.WriteString("! connection\n")
		}
		for j, run := range c.runs {
			c.write(&b, run, j == len(c.runs)-1)
		}
		switch {
		case c.lineEnd != "\r\n":
		case c.ended != "":
			b.WriteString(c.ended + "\n")
		case i < len(r.conns)-1:
			// In the script the next one may be to the same server, and this one
			// would do.
			b.WriteString("! close\n")
		}
	}
	if r.kept >= maxRecord {
		fmt.Fprintf(&b, "# The rest is left out, as this is more than %d octets.\n", maxRecord)
	}
	return b.WriteTo(w)
}

// write writes the steps of a run.
func (c *Recording) write(b *bytes.Buffer, r *run, last bool) {
	switch {
	case r.cut > 0:
		c.steps(b, r.mark, r.head)
		fmt.Fprintf(b, "# %d octets are left out. Zeros stand for them.\n%c* %d \\x00\n", r.cut, r.mark, r.cut)
		c.steps(b, r.mark, r.end)
	case last && r.mark == 'C' && string(r.head) == "QUIT"+c.lineEnd:
		b.WriteString("C? QUIT\n") // the client does not wait for the answer
	case len(r.head) == 0 && r.mark == 'D':
		b.WriteString("D-\n")
	default:
		c.steps(b, r.mark, append(r.head, r.end...))
	}
	if r.verb != "" {
		b.WriteString(r.verb + "\n")
	}
}

// steps writes octets as steps.
func (c *Recording) steps(b *bytes.Buffer, mark byte, octets []byte) {
	if c.lineEnd == "" {
		fmt.Fprintf(b, "%c- %s\n", mark, c.text(mark, octets))
		return
	}
	for line := range bytes.Lines(octets) {
		if text, ok := bytes.CutSuffix(line, []byte(c.lineEnd)); ok {
			fmt.Fprintf(b, "%c: %s\n", mark, c.text(mark, text))
			continue
		}
		for piece := range slices.Chunk(line, longLine) {
			fmt.Fprintf(b, "%c- %s\n", mark, c.text(mark, piece))
		}
	}
}

// placeholders are words that octets may have in them without being meant.
var placeholders = strings.NewReplacer("SERVER", `\x53ERVER`, "DATAPORT", `\x44ATAPORT`, "DATAPASV", `\x44ATAPASV`)

var (
	leads   = regexp.MustCompile(`(?i)^(location|content-location|link): `)
	address = regexp.MustCompile(`[0-9]+,[0-9]+,[0-9]+,[0-9]+,([0-9]+),([0-9]+)`)
)

// text returns octets as the text of a step, with placeholders for the names of hosts and the ports
// of data connections.
func (c *Recording) text(mark byte, octets []byte) string {
	text := placeholders.Replace(escape(octets))
	if mark == 'C' || leads.MatchString(text) {
		text = c.r.linked(text)
		for _, h := range c.r.hosts {
			text = h.field.ReplaceAllString(text, "${1}SERVER")
		}
	}
	if mark != 'S' || len(c.ports) == 0 {
		return text
	}
	for _, port := range c.ports {
		switch {
		case strings.HasPrefix(text, "229 "):
			text = strings.ReplaceAll(text, fmt.Sprintf("|||%d|", port), "|||DATAPORT|")
		case strings.HasPrefix(text, "227 "):
			if m := address.FindStringSubmatch(text); m != nil && number(m[1])<<8|number(m[2]) == port {
				text = address.ReplaceAllString(text, "DATAPASV")
			}
		}
	}
	return text
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// clearScheme returns the scheme for the same without TLS, as a Player has none.
func clearScheme(scheme string) string {
	switch s := strings.ToLower(scheme); s {
	case "https", "ftps", "gophers", "nntps", "telnets":
		return strings.TrimSuffix(s, "s")
	case "snews":
		return "news"
	}
	return scheme
}
