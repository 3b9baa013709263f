package oddhttp

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A framing is the way in which a message tells its end (RFC 9112, section 6.3).
type framing int

const (
	byLength framing = iota
	byChunks
	byClose
)

// An answer is a response of HTTP/1 in parts, so that each can be made odd by itself.
type answer struct {
	interim []string // whole interim responses
	blank   string   // bytes before the status line
	version string
	gap     string // between version and status
	status  string
	reason  string // with the space before it
	eol     string // the end of each line of the header
	fields  []string
	framing framing
	length  []string // the values of Content-Length
	codings []string // the values of Transfer-Encoding
	space   string   // between the name and the colon of Content-Length
	chunks  chunks
	coding  string // Content-Encoding; "" is none
	most    int    // octets of a chunk
	content []byte // before the coding
	coded   []byte // after it
	behind  string // bytes after the body
	odd     []string
}

// chunks has the variants of a chunked body (RFC 9112, section 7.1).
type chunks struct {
	size    string // a format for the size
	after   string // between the size and the end of its line
	eol     string // the end of the line of a size
	end     string // the end of a chunk
	last    string
	trailer string
	final   string
}

// usual are fields as RFC 9112 has them.
var usual = []string{
	"Content-Type: text/plain;charset=utf-8", "content-language:en", "X-Number: \t 5\t ", "Date: Thu, 01 Jan 1970 00:00:00 GMT",
	"ETag: \"a,b\"", "Vary: *", "X-Empty:", "Cache-Control: no-cache , private", "X!#$%&'*+-.^_`|~9: \x80 \xff", "Connection: close", "Allow: ,GET,,HEAD",
}

// plain makes an answer as RFC 9112 has it.
func plain(r *rand.Rand) *answer {
	a := &answer{version: "HTTP/1.1", gap: " ", status: "200", reason: " OK", eol: "\r\n"}
	a.chunks = chunks{size: "%x", eol: "\r\n", end: "\r\n", last: "0", final: "\r\n"}
	a.fields = []string{"Server: odd"}
	for range r.IntN(4) {
		a.fields = append(a.fields, usual[r.IntN(len(usual))])
	}
	a.framing, a.most = framing(r.IntN(3)), 1+r.IntN(150)
	a.content = make([]byte, 1+r.IntN(400))
	const octets = "abcdefghij klmnop\r\n0123456789;"
	for i := range a.content {
		a.content[i] = octets[r.IntN(len(octets))]
	}
	a.coded = a.content
	return a
}

// frame says where the body ends, unless that was made odd before.
func (a *answer) frame() {
	switch {
	case a.framing == byLength && a.length == nil:
		a.length = []string{fmt.Sprint(len(a.coded))}
	case a.framing == byChunks && a.codings == nil:
		a.codings = []string{"chunked"}
	}
}

// is reports whether a part of a was made odd in one of some ways.
func (a *answer) is(names ...string) bool {
	return slices.ContainsFunc(a.odd, func(name string) bool { return slices.Contains(names, name) })
}

// octets writes the answer.
func (a *answer) octets() []byte {
	var b bytes.Buffer
	for _, interim := range a.interim {
		b.WriteString(interim)
	}
	b.WriteString(a.blank + a.version + a.gap + a.status + a.reason + a.eol)
	lines := slices.Clone(a.fields)
	for _, v := range a.length {
		lines = append(lines, "Content-Length"+a.space+": "+v)
	}
	for _, v := range a.codings {
		lines = append(lines, "Transfer-Encoding: "+v)
	}
	if a.coding != "" {
		lines = append(lines, "Content-Encoding: "+a.coding)
	}
	for _, line := range lines {
		b.WriteString(line + a.eol)
	}
	b.WriteString(a.eol)
	if a.framing == byChunks {
		a.writeChunks(&b)
	} else {
		b.Write(a.coded)
	}
	b.WriteString(a.behind)
	return b.Bytes()
}

func (a *answer) writeChunks(b *bytes.Buffer) {
	c := a.chunks
	for part := range slices.Chunk(a.coded, a.most) {
		fmt.Fprintf(b, c.size, len(part))
		b.WriteString(c.after + c.eol)
		b.Write(part)
		b.WriteString(c.end)
	}
	b.WriteString(c.last + c.eol + c.trailer + c.final)
}

// generate makes an answer that is odd in the way of first, and up to two more.
func generate(r *rand.Rand, first oddity) *answer {
	a := plain(r)
	for !first.make(a, r) { // it is not for each framing
		a = plain(r)
	}
	a.odd = []string{first.name}
	for range r.IntN(3) {
		o := oddities[r.IntN(len(oddities))]
		if slices.ContainsFunc(a.odd, func(other string) bool { return place(other) == place(o.name) }) {
			continue
		}
		if o.make(a, r) {
			a.odd = append(a.odd, o.name)
		}
	}
	a.frame()
	return a
}

// place is the part of an answer that an oddity is about: its first word.
func place(name string) string {
	first, _, _ := strings.Cut(name, " ")
	return first
}
