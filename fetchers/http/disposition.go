package http

import (
	neturl "net/url"
	"strings"
	"unicode/utf8"
)

// fileName returns the name that a field Content-Disposition suggests, or "" if it
// suggests none (RFC 6266). It is read as browsers read it, since servers write it
// with spaces, in 8 bits, with parameters twice and without a type: what stands
// before the first semicolon may be a parameter too, quotes end before the next
// one, and the first parameter of a name counts. It is not a safe name.
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

// firstName returns the name that the first of several fields suggests that suggests one.
func firstName(fields []string) string {
	for _, field := range fields {
		if name := fileName(field); name != "" {
			return name
		}
	}
	return ""
}

// parameter returns the first parameter of a field, and what follows it.
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
			b.WriteByte(c) // also a backslash that somebody meant to be one
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

// extendedValue decodes charset'language'value (RFC 8187, section 3.2), or returns
// "" if it is in none of the charsets that are used.
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

// utf8Of reads octets as UTF-8 if they can be, else as ISO-8859-1.
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
