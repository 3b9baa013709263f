package message

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// parseUUBegin parses "begin 644 the file.bin" (POSIX, uuencode).
func parseUUBegin(line string) (name string, ok bool) {
	mode, name, ok := strings.Cut(strings.TrimPrefix(line, "begin "), " ")
	if !ok || len(mode) < 3 || len(mode) > 4 || strings.Trim(mode, "01234567") != "" {
		return "", false
	}
	return strings.TrimSpace(name), true
}

// isUU reports whether the next line, which begins with "begin ", begins a file: the line after it
// has to look like uuencode, unlike a sentence such as "begin 100 things".
func isUU(in *bufio.Reader) bool {
	line, err := peekLine(in)
	if err != nil {
		return false
	}
	if _, ok := parseUUBegin(line); !ok {
		return false
	}
	text, _ := in.Peek(len(line) + 2 + 1 + 84)
	_, text = cutLine(text)
	encoded, _ := cutLine(text)
	n, ok := uuLength(string(encoded))
	return ok && len(encoded) <= 1+(n+2)/3*4+1
}

// cutLine returns a line without its end, and the text after it.
func cutLine(text []byte) (line, rest []byte) {
	for i, c := range text {
		if c == '\n' {
			line, rest = text[:i], text[i+1:]
			if i > 0 && line[i-1] == '\r' {
				line = line[:i-1]
			}
			return line, rest
		}
	}
	return text, nil
}

// uuLength returns the number of bytes that a line encodes. It returns false if the line is not
// uuencode.
func uuLength(line string) (n int, ok bool) {
	for i := range len(line) {
		if line[i] < ' ' || line[i] > '`' {
			return 0, false
		}
	}
	if line == "" {
		return 0, false
	}
	return int(line[0]-' ') & 63, true
}

// beginUU returns the file that a line "begin" begins, or nil if that is text.
func beginUU(in *bufio.Reader) (*File, error) {
	if !isUU(in) {
		return nil, nil
	}
	line, err := readLine(in)
	if err != nil {
		return nil, err
	}
	name, _ := parseUUBegin(line)
	return &File{Name: name, MediaType: "application/octet-stream", Body: &uu{in: in}}, nil
}

// A uu decodes a file up to its line "end".
type uu struct {
	in   *bufio.Reader
	line [63]byte // decoded
	rest []byte   // of it
	err  error
}

func (u *uu) Read(p []byte) (int, error) {
	for len(u.rest) == 0 && u.err == nil {
		u.err = u.next()
	}
	if len(u.rest) == 0 {
		return 0, u.err
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// next decodes a line. Some programs have taken away the blanks at its end.
func (u *uu) next() error {
	line, err := readLine(u.in)
	if err != nil {
		return err
	}
	if line == "end" {
		return io.EOF
	}
	if line == "" {
		return nil // after a line of no octets whose blank is gone
	}
	n, ok := uuLength(line)
	if !ok {
		return fmt.Errorf("%w: %.60q in uuencode", ErrMalformed, line)
	}
	octet := func(i int) byte {
		if i >= len(line) {
			return 0
		}
		return (line[i] - ' ') & 63
	}
	out := u.line[:0]
	for i := 1; len(out) < n; i += 4 {
		a, b, c, d := octet(i), octet(i+1), octet(i+2), octet(i+3)
		out = append(out, a<<2|b>>4, b<<4|c>>2, c<<6|d)
	}
	u.rest = out[:n]
	return nil
}
