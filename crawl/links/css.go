package links

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A css reads a style sheet (CSS Syntax Level 3). It knows comments, strings, names, url() and
// @import.
type css struct {
	in  *input
	end string // the end tag of a style element, as "</style", or ""

	found func(attr, text string, start, end int64, escape func(string) string)
	long  func(start int64) // called for a URL that is too long to hold

	importing bool // the next string or url() belongs to @import
	naming    bool // the next strings are names, as in @namespace
	depth     int  // of parentheses
	lost      bool // the last token is not held
	set       int  // the depth within image-set(, where strings are URLs; or 0
}

func (c *css) read() {
	for {
		b, ok := c.octet()
		if !ok {
			return
		}
		switch {
		case b == '"' || b == '\'':
			c.string()
		case b == '@':
			c.in.take(1)
			name := c.name()
			c.importing = name == "import"
			c.naming = name == "namespace" || name == "charset" || name == "document" || name == "-moz-document"
		case isName(b):
			c.word()
		case b == '/' && string(c.in.peek(2)) == "/*":
			c.comment()
		case b == '\\':
			c.in.take(1)
			c.escape()
		default:
			c.in.take(1)
			c.delimiter(b)
		}
	}
}

// octet returns the next byte of the style sheet. It reports false at its end.
func (c *css) octet() (byte, bool) {
	b, ok := c.in.octet()
	if ok && b == '<' && c.end != "" && endsWith(c.in, c.end) {
		return 0, false
	}
	return b, ok
}

// endsWith reports whether in is at the tag that begins with end, as "</style".
func endsWith(in *input, end string) bool {
	p := in.peek(len(end) + 1)
	return len(p) == len(end)+1 && bytes.EqualFold(p[:len(end)], []byte(end)) && endsName(p[len(end)])
}

func (c *css) delimiter(b byte) {
	switch b {
	case ';', '{', '}':
		c.importing, c.naming = false, false
		c.depth, c.set = 0, 0
	case '(':
		c.depth++
	case ')':
		if c.depth--; c.depth < c.set {
			c.set = 0
		}
		c.depth = max(c.depth, 0)
	}
}

func (c *css) comment() {
	c.in.take(2)
	for {
		b, ok := c.octet()
		if !ok {
			return
		}
		if b == '*' && string(c.in.peek(2)) == "*/" {
			c.in.take(2)
			return
		}
		if c.in.take(1); b != '*' && b != '<' {
			c.in.seek("*<")
		}
	}
}

// maxName is the maximum length of a relevant name of an element, attribute or rule.
const maxName = 64

// name reads a name, and returns it in lower case. It is "" if it is too long to be relevant.
func (c *css) name() string {
	var name [maxName]byte
	n := 0
	for _, ok := c.in.octet(); ok; _, ok = c.in.octet() {
		part := c.in.buf[c.in.pos:]
		i := 0
		for i < len(part) && isName(part[i]) {
			i++
		}
		n += copy(name[n:], part[:i])
		if c.in.take(i); i < len(part) {
			break
		}
	}
	if n == maxName {
		return ""
	}
	return strings.ToLower(string(name[:n]))
}

func isName(b byte) bool { return isLetter(b) || isDigit(b) || b == '-' || b == '_' || b >= 0x80 }

// word reads a name, and its arguments if it is a function of URLs.
func (c *css) word() {
	name := c.name()
	if b, ok := c.octet(); !ok || b != '(' {
		return
	}
	c.in.take(1)
	c.depth++
	switch name {
	case "url", "src":
		c.url()
	case "image-set", "-webkit-image-set":
		c.set = c.depth
	}
}

// url reads the argument of url().
func (c *css) url() {
	c.skipSpace()
	b, ok := c.octet()
	if !ok {
		return
	}
	defer c.in.release()
	if b == '"' || b == '\'' {
		if text, start, end, ok := c.quoted(b, true); ok {
			c.link(text, start, end, b)
		}
		return
	}
	text, start, end := c.token(") \t\n\r\f\"'(", true)
	c.skipSpace()
	if b, ok := c.octet(); ok && b != ')' { // not a URL
		c.token(")", false)
		return
	}
	c.link(text, start, end, 0)
}

func (c *css) skipSpace() {
	for b, ok := c.octet(); ok && isSpace(b); b, ok = c.octet() {
		c.in.take(1)
	}
}

// string reads a string. After @import and in image-set() it is a URL.
func (c *css) string() {
	defer c.in.release()
	quote, _ := c.octet()
	counts := c.importing || c.set > 0 && c.depth == c.set
	text, start, end, ok := c.quoted(quote, counts)
	if ok && counts {
		c.link(text, start, end, quote)
	}
}

// quoted reads a string, and returns the text in its quotes. It is not ok if its line ends first.
func (c *css) quoted(quote byte, counts bool) (text string, start, end int64, ok bool) {
	c.in.take(1)
	text, start, end = c.token(string(quote)+"\n\r\f", counts)
	b, more := c.octet()
	if more && b == quote {
		c.in.take(1)
	}
	return text, start, end, !more || b == quote
}

// token reads up to an unescaped byte of ends. If it counts, it is held until its URL has been
// reported, or until it is too long to hold.
func (c *css) token(ends string, counts bool) (text string, start, end int64) {
	start = c.in.at()
	if c.lost = !counts; counts {
		c.in.hold = c.in.pos
	}
	c.in.full = func() {
		if !c.lost && !holdsItself(string(c.in.buf[c.in.hold:][:maxName])) {
			c.long(start)
		}
		c.lost = true
		c.in.hold = c.in.pos
	}
	for c.in.seek(ends + `\<`) {
		b, ok := c.octet()
		if !ok || strings.IndexByte(ends, b) >= 0 {
			break
		}
		if c.in.take(1); b == '\\' {
			c.escape()
		}
	}
	end = c.in.at()
	if !c.lost {
		text = unescapeCSS(string(c.in.slice(start, end)))
	}
	return text, start, end
}

// escape reads the text after a backslash: a character, or hexadecimal digits and white space.
func (c *css) escape() {
	b, ok := c.octet()
	n := 0
	for ; ok && n < 6 && isHex(b); b, ok = c.octet() {
		c.in.take(1)
		n++
	}
	if ok && (n == 0 || isSpace(b)) {
		c.in.take(1)
	}
}

// link reports a URL, in the given quote, or unquoted if quote is 0. A fragment alone refers to the
// page that uses the style sheet, and is not a link.
func (c *css) link(text string, start, end int64, quote byte) {
	attr := "url"
	if c.importing {
		attr = "@import"
	}
	c.importing = false
	if !c.lost && !c.naming && text != "" && text[0] != '#' {
		c.found(attr, text, start, end, func(s string) string { return escapeCSS(s, quote) })
	}
}

// escapeCSS escapes text for a string in quotes, or for url() if quote is 0. It also escapes "<",
// so that a style sheet within a page cannot end early.
func escapeCSS(text string, quote byte) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c == 0x7F || c == '<' || c == ' ' && quote == 0:
			fmt.Fprintf(&b, `\%x `, c)
		case c == '\\' || c == quote || quote == 0 && strings.IndexByte(`"'()`, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescapeCSS decodes the escapes of a string or a URL.
func unescapeCSS(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		i++
		r, n := rune(0), 0
		for n < 6 && i+n < len(s) && isHex(s[i+n]) {
			r = r<<4 | rune(hexValue(s[i+n]))
			n++
		}
		switch {
		case n > 0:
			if r == 0 || !utf8.ValidRune(r) {
				r = utf8.RuneError
			}
			b.WriteRune(r)
			i += n
			if strings.HasPrefix(s[i:], "\r\n") {
				i += 2
			} else if i < len(s) && isSpace(s[i]) {
				i++
			}
		case strings.HasPrefix(s[i:], "\r\n"):
			i += 2
		case i < len(s) && s[i] != '\n' && s[i] != '\r' && s[i] != '\f':
			b.WriteByte(s[i])
			i++
		case i < len(s): // the string continues in the next line
			i++
		}
	}
	return b.String()
}

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
