package robots

import "strings"

// A pattern is the path of a rule.
type pattern struct {
	text   string   // in normal form; its length decides between rules
	pieces []string // the text between "*"
	whole  bool     // it ends in "$": the match has to reach the end of the path
}

func newPattern(path string) pattern {
	path, whole := strings.CutSuffix(path, "$")
	p := pattern{pieces: strings.Split(path, "*"), whole: whole}
	for i, piece := range p.pieces {
		p.pieces[i] = normal(piece)
	}
	p.text = strings.Join(p.pieces, "*")
	if whole {
		p.text += "$"
	}
	return p
}

// fits reports whether p matches a path in normal form. Each piece matches at its first occurrence,
// which leaves the most for the following pieces.
func (p pattern) fits(path string) bool {
	rest, ok := strings.CutPrefix(path, p.pieces[0])
	if !ok {
		return false
	}
	last := len(p.pieces) - 1
	if last == 0 {
		return !p.whole || rest == ""
	}
	for _, piece := range p.pieces[1:last] {
		at := strings.Index(rest, piece)
		if at < 0 {
			return false
		}
		rest = rest[at+len(piece):]
	}
	if p.whole {
		return strings.HasSuffix(rest, p.pieces[last])
	}
	return strings.Contains(rest, p.pieces[last])
}

const upperHex = "0123456789ABCDEF"

// normal returns a path in the form for comparison: unnecessary escapes are decoded, the digits of
// others are in upper case, and bytes outside ASCII are escaped (RFC 9309, section 2.2.2). "*" and
// "$", which a rule can contain only as escapes, are escaped too, and so is a "%" that does not
// begin an escape.
func normal(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]) {
			c = value(path[i+1])<<4 | value(path[i+2])
			i += 2
			if !unreserved(c) {
				b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
				continue
			}
		}
		if c <= ' ' || c >= 0x7f || c == '%' || c == '*' || c == '$' {
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// unreserved reports whether c needs no escape (RFC 3986, section 2.3).
func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func value(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
