package oddhttp

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
)

// An oddity makes one part of an answer odd. The first word of its name is the part. make
// returns false if the answer has no such part.
type oddity struct {
	name string
	make func(a *answer, r *rand.Rand) bool
}

// always makes an oddity that each answer can have.
func always(name string, change func(a *answer)) oddity {
	return oddity{name, func(a *answer, _ *rand.Rand) bool { change(a); return true }}
}

// field makes an oddity that is one more field, in a place by chance.
func field(name, line string) oddity {
	return oddity{"field " + name, func(a *answer, r *rand.Rand) bool {
		at := r.IntN(len(a.fields) + 1)
		a.fields = append(a.fields[:at:at], append([]string{line}, a.fields[at:]...)...)
		return true
	}}
}

// of makes an oddity of answers that tell their end in one way.
func of(way framing, name string, change func(a *answer)) oddity {
	return oddity{name, func(a *answer, _ *rand.Rand) bool {
		if a.framing != way {
			return false
		}
		change(a)
		return true
	}}
}

// length makes an oddity in the field of the length. text has %d for it.
func length(name string, texts ...string) oddity {
	return of(byLength, "length "+name, func(a *answer) {
		for _, text := range texts {
			a.length = append(a.length, strings.ReplaceAll(text, "%d", fmt.Sprint(len(a.coded))))
		}
	})
}

// transfer makes an oddity in how it is said that the body is chunked.
func transfer(name string, texts ...string) oddity {
	return of(byChunks, "transfer "+name, func(a *answer) { a.codings = texts })
}

// chunk makes an oddity in how chunks are written.
func chunk(name string, change func(c *chunks)) oddity {
	return of(byChunks, "chunk "+name, func(a *answer) { change(&a.chunks) })
}

// coding makes an oddity in how a body is coded. It has to be made before the body is framed.
func coding(name, field string, code func(content []byte) []byte) oddity {
	return oddity{"coding " + name, func(a *answer, _ *rand.Rand) bool {
		if a.length != nil {
			return false
		}
		a.coding, a.coded = field, code(a.content)
		return true
	}}
}

func asIs(content []byte) []byte { return content }

// member returns a gzip stream of one member with optional parts of its header (RFC 1952).
func member(content []byte, flags byte, optional string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content)
	w.Close()
	head := append([]byte{0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3}, optional...)
	if flags&2 != 0 {
		sum := crc32.ChecksumIEEE(head)
		head = append(head, byte(sum), byte(sum>>8))
	}
	return append(head, b.Bytes()[10:]...)
}

func zipped(content []byte) []byte { return member(content, 0, "") }

// optional codes by a gzip member with optional parts of its header.
func optional(flags byte, text string) func([]byte) []byte {
	return func(content []byte) []byte { return member(content, flags, text) }
}

// oddities are the ways in which answers are odd.
var oddities = []oddity{
	always("version 1.0", func(a *answer) { a.version = "HTTP/1.0" }),
	always("version 1.2", func(a *answer) { a.version = "HTTP/1.2" }),
	always("version 1.9", func(a *answer) { a.version = "HTTP/1.9" }),
	always("version in small letters", func(a *answer) { a.version = "http/1.1" }),
	always("version of two digits", func(a *answer) { a.version = "HTTP/1.10" }),
	always("version without minor", func(a *answer) { a.version = "HTTP/1" }),
	always("version of HTTP/2", func(a *answer) { a.version = "HTTP/2" }),
	always("status after two spaces", func(a *answer) { a.gap = "  " }),
	always("status after a tab", func(a *answer) { a.gap = "\t" }),
	always("status of four digits", func(a *answer) { a.status = "2000" }),
	always("status of two digits", func(a *answer) { a.status = "20" }),
	always("status 299", func(a *answer) { a.status = "299" }),
	always("status 404", func(a *answer) { a.status = "404" }),
	always("status 503", func(a *answer) { a.status = "503" }),
	always("status 600", func(a *answer) { a.status = "600" }),
	always("status 999", func(a *answer) { a.status = "999" }),
	always("status 099", func(a *answer) { a.status = "099" }),
	always("status 204", func(a *answer) { a.status = "204" }),
	always("status 205", func(a *answer) { a.status = "205" }),
	always("status 206", func(a *answer) { a.status = "206" }),
	always("status 302", func(a *answer) { a.status = "302" }),
	always("status 304", func(a *answer) { a.status = "304" }),
	always("reason left out", func(a *answer) { a.reason = "" }),
	always("reason of a space", func(a *answer) { a.reason = " " }),
	always("reason without a space", func(a *answer) { a.reason = "OK" }),
	always("reason in Latin 1", func(a *answer) { a.reason = " d\xe9j\xe0" }),
	always("reason with a CR", func(a *answer) { a.reason = " O\rK" }),
	always("reason with a NUL", func(a *answer) { a.reason = " O\x00K" }),
	always("reason with an escape", func(a *answer) { a.reason = " \x1b[31m" }),
	always("reason of 5,000 octets", func(a *answer) { a.reason = " " + strings.Repeat("long ", 1000) }),
	always("start with an empty line", func(a *answer) { a.blank = "\r\n" }),
	always("start with a space", func(a *answer) { a.blank = " " }),
	always("lines end in LF", func(a *answer) { a.eol = "\n" }),
	always("lines end in CR CR LF", func(a *answer) { a.eol = "\r\r\n" }),
	field("that is folded", "X-Fold: a\r\n b"),
	field("that is folded by a tab", "X-Fold:\r\n\tb"),
	{"field first is folded", func(a *answer, _ *rand.Rand) bool { a.fields[0] = " X-First: b"; return true }},
	{"field first is blank", func(a *answer, _ *rand.Rand) bool { a.fields[0] = "   "; return true }},
	length("folded", "\r\n %d"),
	field("without a colon", "X-Nothing"),
	field("without a name", ": nothing"),
	field("without a value", "X-Empty:"),
	field("without a space", "X-Tight:b"),
	field("with tabs", "X-Tabs:\t\tb\t"),
	field("with a space before the colon", "X-Space : b"),
	field("with a space in its name", "X Space: b"),
	field("with an odd name", "X(Odd)[@]: b"),
	field("with a name in Latin 1", "X-\xe9: b"),
	field("with a value in Latin 1", "X-Latin: \xe9"),
	field("with a NUL in its value", "X-Nul: a\x00b"),
	field("with a NUL in its name", "X\x00Nul: b"),
	field("with a CR in its value", "X-CR: a\rb"),
	field("with an escape", "X-Escape: \x1b[31m"),
	field("with a DEL", "X-Del: a\x7fb"),
	field("of 20,000 octets", "X-Long: "+strings.Repeat("a", 20_000)),
	field("twice", "X-Twice: a\r\nX-Twice: b"),
	field("connection keep-alive", "Connection: keep-alive"),
	field("connection close", "Connection: close"),
	field("connection odd", "Connection: close, , keep-alive,"),
	field("trailer forbidden", "Trailer: Content-Length"),
	{"field 300 times", func(a *answer, _ *rand.Rand) bool {
		for i := range 300 {
			a.fields = append(a.fields, fmt.Sprintf("X-%d: %d", i, i))
		}
		return true
	}},
	length("twice the same", "%d", "%d"),
	length("twice in one field", "%d, %d"),
	length("three times in one field", "%d,%d , %d"),
	length("twice in one field and differing", "%d, 1%d"),
	length("twice and differing", "%d", "1%d"),
	length("and a comma", "%d,"),
	length("with a plus", "+%d"),
	length("with zeros", "000%d"),
	length("with space", "  %d \t"),
	length("in quotes", `"%d"`),
	length("and a parameter", "%d;x"),
	length("in hex", "0x%d"),
	length("empty", ""),
	length("no number", "much"),
	length("negative", "-%d"),
	length("beyond 63 bits", "9223372036854775808"),
	length("beyond 64 bits", "18446744073709551617"),
	length("too long", "1%d"),
	of(byLength, "length too short", func(a *answer) { a.length = []string{fmt.Sprint(len(a.coded) / 2)} }),
	of(byLength, "length before a space and colon", func(a *answer) { a.space = " " }),
	of(byChunks, "length of a body in chunks", func(a *answer) { a.length = []string{fmt.Sprint(len(a.coded))} }),
	of(byChunks, "length of a body in chunks and wrong", func(a *answer) { a.length = []string{"1"} }),
	transfer("in capitals", "CHUNKED"),
	transfer("with space", " \tchunked\t "),
	transfer("and a comma", "chunked,"),
	transfer("twice", "chunked", "chunked"),
	transfer("twice in one field", "chunked, chunked"),
	transfer("with a parameter", "chunked;a=b"),
	transfer("in quotes", `"chunked"`),
	transfer("unknown", "xchunked"),
	transfer("identity and chunked", "identity, chunked"),
	transfer("chunked and identity", "chunked, identity"),
	transfer("unknown and chunked", "foo, chunked"),
	transfer("after a VT", "\vchunked"),
	transfer("empty", ""),
	of(byLength, "transfer identity", func(a *answer) { a.codings = []string{"identity"} }),
	of(byClose, "transfer identity without a length", func(a *answer) { a.codings = []string{"identity"} }),
	{"transfer gzip and chunked", func(a *answer, _ *rand.Rand) bool {
		if a.framing != byChunks || a.coding != "" {
			return false
		}
		a.codings, a.coded = []string{"gzip, chunked"}, zipped(a.content)
		return true
	}},
	chunk("lines end in LF", func(c *chunks) { c.eol = "\n" }),
	chunk("all ends are LF", func(c *chunks) { c.eol, c.end, c.final = "\n", "\n", "\n" }),
	chunk("data end in LF", func(c *chunks) { c.end = "\n" }),
	chunk("final line ends in LF", func(c *chunks) { c.final = "\n" }),
	chunk("with an extension", func(c *chunks) { c.after = ";a=b" }),
	chunk("with a quoted extension", func(c *chunks) { c.after = ` ; a="b;\"c" ;d` }),
	chunk("with a long extension", func(c *chunks) { c.after = ";" + strings.Repeat("a", 3000) }),
	chunk("with spaces", func(c *chunks) { c.after = "   " }),
	chunk("with a tab", func(c *chunks) { c.after = "\t" }),
	chunk("after a space", func(c *chunks) { c.size = " %x" }),
	chunk("in capitals", func(c *chunks) { c.size = "%X" }),
	chunk("with zeros", func(c *chunks) { c.size = "%08x" }),
	chunk("with many zeros", func(c *chunks) { c.size = "%020x" }),
	chunk("with 0x", func(c *chunks) { c.size = "0x%x" }),
	chunk("with a minus", func(c *chunks) { c.size = "-%x" }),
	chunk("and junk", func(c *chunks) { c.after = "zz" }),
	chunk("without an end", func(c *chunks) { c.end = "" }),
	chunk("with two ends", func(c *chunks) { c.end = "\r\n\r\n" }),
	chunk("size ends in CR", func(c *chunks) { c.eol = "\r" }),
	chunk("last is missing", func(c *chunks) { c.last, c.eol, c.final = "", "\r\n", "" }),
	chunk("last is 000", func(c *chunks) { c.last = "000" }),
	chunk("last has an extension", func(c *chunks) { c.last = "0;a=b" }),
	chunk("final line is missing", func(c *chunks) { c.final = "" }),
	chunk("with a trailer", func(c *chunks) { c.trailer = "X-Trailer: a\r\n" }),
	chunk("with a folded trailer", func(c *chunks) { c.trailer = "X-Trailer: a\r\n b\r\n" }),
	chunk("with a trailer without colon", func(c *chunks) { c.trailer = "X-Trailer\r\n" }),
	chunk("with a trailer that has the length", func(c *chunks) { c.trailer = "Content-Length: 1\r\n" }),
	chunk("with a trailer that ends in LF", func(c *chunks) { c.trailer = "X-Trailer: a\n" }),
	chunk("with a trailer of 20,000 octets", func(c *chunks) { c.trailer = "X-Trailer: " + strings.Repeat("a", 20_000) + "\r\n" }),
	coding("none", "none", asIs),
	coding("identity", "identity", asIs),
	coding("Identity in capitals", "IDENTITY", asIs),
	coding("gzip", "gzip", zipped),
	coding("x-gzip", "x-gzip", zipped),
	coding("GZIP in capitals", "GZIP", zipped),
	coding("gzip and a comma", "gzip,", zipped),
	coding("gzip and identity", "identity, gzip", zipped),
	coding("gzip with a comment", "gzip", optional(16, "a comment\x00")),
	coding("gzip with a name", "gzip", optional(8, "name.txt\x00")),
	coding("gzip with a long name", "gzip", optional(8, strings.Repeat("long", 2000)+"\x00")),
	coding("gzip with an extra field", "gzip", optional(4, "\x06\x00AB\x02\x00ab")),
	coding("gzip with all of them", "gzip", optional(31, "\x06\x00AB\x02\x00abname\x00comment\x00")),
	coding("gzip with reserved flags", "gzip", optional(0x80, "")),
	coding("gzip in two members", "gzip", func(content []byte) []byte {
		return append(zipped(content[:len(content)/2]), zipped(content[len(content)/2:])...)
	}),
	coding("gzip with zeros behind", "gzip", func(content []byte) []byte { return append(zipped(content), make([]byte, 8)...) }),
	coding("gzip with junk behind", "gzip", func(content []byte) []byte { return append(zipped(content), "junk"...) }),
	coding("gzip cut", "gzip", func(content []byte) []byte { return zipped(content)[:len(zipped(content))-9] }),
	coding("gzip with a wrong sum", "gzip", func(content []byte) []byte {
		z := zipped(content)
		z[len(z)-8] ^= 1
		return z
	}),
	coding("gzip that is none", "gzip", asIs),
	coding("unknown", "foo", asIs),
	always("interim 100", func(a *answer) { a.interim = []string{"HTTP/1.1 100 Continue\r\n\r\n"} }),
	always("interim 103", func(a *answer) { a.interim = []string{"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"} }),
	always("interim with a length", func(a *answer) { a.interim = []string{"HTTP/1.1 102 Processing\r\nContent-Length: 5\r\n\r\n"} }),
	always("interim 20 times", func(a *answer) {
		for range 20 {
			a.interim = append(a.interim, "HTTP/1.1 100 Continue\r\n\r\n")
		}
	}),
	always("interim 101", func(a *answer) { a.interim = []string{"HTTP/1.1 101 Switching Protocols\r\n\r\n"} }),
	always("behind are octets", func(a *answer) { a.behind = "junk" }),
	always("behind is an empty line", func(a *answer) { a.behind = "\r\n" }),
	always("behind is an answer", func(a *answer) { a.behind = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nfourth" }),
}
