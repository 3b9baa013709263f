package httpfield

import (
	"errors"
	"fmt"
	"net/textproto"
	"strings"
)

// ParseFields parses the fields of a header. block has their lines, with or without the empty line
// (RFC 9112, section 5). It accepts deviations that servers send and that no parser can mistake for
// another message, and reports them as odd: the connection of an odd header must not be used again.
//
//	X-A : b                space before the colon is removed
//	(X): b                 a field with an invalid name is left out
//	X-A: a\rb              a CR or another control is a space; a Set-Cookie with one is left out
//	X-A: b\r\r\n           every CR before an LF belongs to the line end
//	 X-A: b                a first field that begins with space is a field
//	X-A: a\r\n b            a folded line is one line; some parsers disagree
//
// A line without a colon and a NUL byte are errors. So is a malformed field that would define the
// end of the message, if another parser may ignore it.
func ParseFields(block string) (fields map[string][]string, odd bool, err error) {
	n := min(strings.Count(block, "\n"), 100) // bounded, so that lines that are no fields allocate no memory
	p := fieldParser{fields: make(map[string][]string, n), slab: make([]string, n)}
	if strings.Contains(block, "\x00") {
		return nil, true, errors.New("malformed header: it has a NUL")
	}
	for block != "" {
		var line string
		line, block = p.line(block)
		if line == "" && block == "" {
			break
		}
		if err := p.field(line); err != nil {
			return nil, true, err
		}
	}
	return p.fields, p.odd, nil
}

// A fieldParser holds the parsed fields.
type fieldParser struct {
	fields map[string][]string
	slab   []string // storage of the values
	odd    bool
}

// line returns the next line, joined with its continuation lines by spaces, without line ends.
func (p *fieldParser) line(block string) (line, rest string) {
	line, rest, _ = strings.Cut(block, "\n")
	line = p.trimEnd(line)
	if line == "" || !isFolded(rest) {
		return line, rest
	}
	p.odd = true
	var whole strings.Builder
	whole.WriteString(line)
	for isFolded(rest) {
		line, rest, _ = strings.Cut(rest, "\n")
		whole.WriteByte(' ')
		whole.WriteString(strings.Trim(p.trimEnd(line), " \t"))
	}
	return whole.String(), rest
}

// isFolded reports whether block begins with a continuation line (RFC 9112, section 5.2).
func isFolded(block string) bool { return block != "" && (block[0] == ' ' || block[0] == '\t') }

func (p *fieldParser) trimEnd(line string) string {
	text := strings.TrimRight(line, "\r")
	p.odd = p.odd || len(line)-len(text) > 1
	return text
}

// field parses a line.
func (p *fieldParser) field(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return fmt.Errorf("malformed header: %.60q has no colon", line)
	}
	bare := strings.Trim(name, " \t")
	p.odd = p.odd || bare != name
	value = strings.Trim(value, " \t")
	switch proper := isToken(bare); {
	case (!proper || isFolded(name) || strings.ContainsFunc(value, isControl)) && endsMessage(bare):
		return fmt.Errorf("malformed header: %.60q", line)
	case !proper, strings.EqualFold(bare, "Set-Cookie") && strings.ContainsFunc(value, isControl):
		p.odd = true
		return nil
	}
	value, odd := clean(value)
	p.odd = p.odd || odd
	p.add(textproto.CanonicalMIMEHeaderKey(bare), value)
	return nil
}

// isToken reports whether name is a valid field name (RFC 9110, section 5.6.2).
func isToken(name string) bool { return name != "" && strings.Map(token, name) == name }

// token returns c if it is allowed in a token, and else -1.
func token(c rune) rune {
	if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", c) {
		return c
	}
	return -1
}

// add adds a value. Most fields have a single one.
func (p *fieldParser) add(key, value string) {
	values := p.fields[key]
	if values == nil && len(p.slab) > 0 {
		values, p.slab = p.slab[:0:1], p.slab[1:]
	}
	p.fields[key] = append(values, value)
}

// clean replaces each control character by a space (RFC 9110, section 5.5), and reports whether
// there was one.
func clean(text string) (cleaned string, odd bool) {
	if !strings.ContainsFunc(text, isControl) {
		return text, false
	}
	octets := []byte(text)
	for i, c := range octets {
		if isControl(rune(c)) {
			octets[i] = ' '
		}
	}
	return string(octets), true
}

func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7F }

// endsMessage reports whether a name, after removing invalid characters, is that of a field that
// defines the end of a message (RFC 9112, section 6).
func endsMessage(name string) bool {
	name = strings.Map(func(c rune) rune {
		if 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' {
			return c
		}
		return -1
	}, name)
	return strings.EqualFold(name, "Content-Length") || strings.EqualFold(name, "Transfer-Encoding")
}

// List returns the elements of a list field (RFC 9110, section 5.6.1), of all its values. Empty
// elements are left out.
func List(values []string) (elements []string) {
	for _, value := range values {
		for element := range strings.SplitSeq(value, ",") {
			if element = strings.Trim(element, " \t"); element != "" {
				elements = append(elements, element)
			}
		}
	}
	return elements
}
