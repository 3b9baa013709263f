package http

import (
	neturl "net/url"
	"strings"
	"unicode/utf8"
)

// fileName returns the name in a Content-Disposition field, or "" if there is none (RFC 6266). It
// parses the field as browsers do, since servers send spaces, 8-bit characters, duplicate
// parameters and fields without a type. The text before the first semicolon may be a parameter; a
// quoted string ends at a quote that a semicolon follows; the first parameter of a name counts. The
// result is not safe as a file name.
func fileName(field string) string {
	var plain, extended string
	for field != "" {
		var name, value string
		name, value, field = parameter(field)
		switch {
		case name == "filename" && plain == "":
			plain = strings.TrimSpace(utf8Of(value))
		case name == "filename*" && extended == "":
			extended = strings.TrimSpace(extendedValue(value))
		}
	}
	if extended != "" {
		return extended
	}
	return plain
}

// firstName returns the first name that the fields contain, or "".
func firstName(fields []string) string {
	for _, field := range fields {
		if name := fileName(field); name != "" {
			return name
		}
	}
	return ""
}

// parameter returns the first parameter of a field, and the remaining text.
func parameter(field string) (name, value, rest string) {
	end := strings.IndexAny(field, ";=")
	if end < 0 || field[end] == ';' {
		_, rest, _ = strings.Cut(field, ";")
		return "", "", rest
	}
	name = strings.ToLower(strings.TrimSpace(field[:end]))
	text := strings.TrimLeft(field[end+1:], " \t")
	if !strings.HasPrefix(text, `"`) {
		value, rest, _ = strings.Cut(text, ";")
		return name, strings.TrimSpace(value), rest
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(`"\`, text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case c != '"':
			b.WriteByte(c) // also a backslash that escapes nothing
		default:
			after, more, _ := strings.Cut(text[i+1:], ";")
			if strings.TrimSpace(after) == "" {
				return name, b.String(), more
			}
			b.WriteByte(c)
		}
	}
	return name, b.String(), ""
}

// extendedValue decodes charset'language'value (RFC 8187, section 3.2). It returns "" for other
// charsets than UTF-8 and ISO-8859-1.
func extendedValue(s string) string {
	charset, rest, ok1 := strings.Cut(s, "'")
	_, coded, ok2 := strings.Cut(rest, "'")
	octets, err := neturl.PathUnescape(coded)
	if !ok1 || !ok2 || err != nil {
		return ""
	}
	switch {
	case strings.EqualFold(charset, "UTF-8") && utf8.ValidString(octets):
		return octets
	case strings.EqualFold(charset, "ISO-8859-1"):
		return latin1(octets)
	}
	return ""
}

// utf8Of returns octets if they are valid UTF-8, and else decodes them as ISO-8859-1.
func utf8Of(octets string) string {
	if utf8.ValidString(octets) {
		return octets
	}
	return latin1(octets)
}

func latin1(octets string) string {
	runes := make([]rune, len(octets))
	for i := range len(octets) {
		runes[i] = rune(octets[i])
	}
	return string(runes)
}
