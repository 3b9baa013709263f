package httpfield

import (
	"fmt"
	"strconv"
	"strings"
)

// A Status is a status line of HTTP/1 (RFC 9112, section 4).
type Status struct {
	Proto        string // such as HTTP/1.1
	Major, Minor int
	Code         int
	Text         string // from the code on, such as "200 OK"
	Reason       string
	Odd          bool // it violates RFC 9112
	Doubled      bool // its line ends in CR CR LF, because the server writes CR LF in text mode
}

// EndsHeader reports whether line is the empty line that ends the header after s. That may be CR CR
// LF if the status line ends so.
func (s Status) EndsHeader(line []byte) bool {
	return string(line) == "\r\n" || string(line) == "\n" || s.Doubled && string(line) == "\r\r\n"
}

// ParseStatus parses a status line with its end. A lower-case version, a reason that follows the
// code without a space, and a CR or another control, which becomes a space (RFC 9112, section 2.2),
// make it odd. A NUL byte is an error, as in a field.
func ParseStatus(line string) (s Status, err error) {
	s.Doubled = strings.HasSuffix(line, "\r\r\n")
	line = strings.TrimRight(line, "\r\n")
	if strings.Contains(line, "\x00") {
		return s, malformed(line)
	}
	line, controls := clean(line)
	version, rest, _ := strings.Cut(line, " ")
	s.Proto = strings.ToUpper(version)
	s.Odd = s.Proto != version || s.Doubled || controls
	digits, ok := strings.CutPrefix(s.Proto, "HTTP/")
	if !ok || len(digits) != 3 || digits[1] != '.' || !isDigits(digits[:1]+digits[2:]) {
		return s, malformed(line)
	}
	s.Major, s.Minor = int(digits[0]-'0'), int(digits[2]-'0')
	s.Text = strings.TrimLeft(rest, " ")
	code := s.Text[:min(3, len(s.Text))]
	after := s.Text[len(code):]
	if len(code) < 3 || !isDigits(code) || code[0] == '0' || after != "" && isDigits(after[:1]) {
		return s, malformed(line)
	}
	s.Code, _ = strconv.Atoi(code)
	reason, spaced := strings.CutPrefix(after, " ")
	if after != "" && !spaced {
		s.Odd, s.Text = true, code+" "+after
	}
	s.Reason = reason
	return s, nil
}

func malformed(line string) error {
	return fmt.Errorf("malformed HTTP: %.60q in place of a status", line)
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
