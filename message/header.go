package message

import (
	"bytes"
	"net/textproto"
	"strings"
)

// ParseHeader parses the header of a message, up to an empty line if there is one. Folded lines are
// joined with a space. A malformed line is skipped, and the rest is still parsed.
func ParseHeader(text []byte) textproto.MIMEHeader {
	h := make(textproto.MIMEHeader)
	name, value := "", []byte(nil)
	end := func() {
		if name != "" {
			h.Add(name, string(bytes.TrimSpace(value)))
		}
		name, value = "", nil
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case len(line) == 0:
			end()
			return h
		case line[0] == ' ' || line[0] == '\t':
			value = append(append(value, ' '), bytes.TrimSpace(line)...)
		default:
			end()
			field, rest, ok := strings.Cut(string(line), ":")
			if ok && isName(field) {
				name, value = field, []byte(rest)
			}
		}
	}
	end()
	return h
}

// isName reports whether s can be the name of a field (RFC 5322, section 2.2).
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7F })
}
