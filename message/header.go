package message

import (
	"bytes"
	"net/textproto"
	"strings"
)

// ParseHeader reads the header of a message, which an empty line may end. Lines
// that were folded are joined by a space. What is no field is passed over: of a
// header that strangers wrote, the rest is still wanted.
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
