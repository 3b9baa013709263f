package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An op is the operation of a step.
type op int

const (
	mustSend op = iota // the client sends
	maySend            // the client sends, or does not
	send
	sendData
	beginTLS
	closeControl
	cutControl
	resetControl
	stallControl
	closeData
	resetData
	stallData
	nextConnection
)

// fromClient reports whether the step is the client's.
func (o op) fromClient() bool { return o == mustSend || o == maySend }

// onData reports whether the step is about the data connection.
func (o op) onData() bool {
	return o == sendData || o == closeData || o == resetData || o == stallData
}

var verbs = map[string]op{
	"! tls":        beginTLS,
	"! close":      closeControl,
	"! cut":        cutControl,
	"! reset":      resetControl,
	"! stall":      stallControl,
	"! data close": closeData,
	"! data reset": resetData,
	"! data stall": stallData,
	"! connection": nextConnection,
}

var marks = map[string]op{
	"C:": mustSend, "C?": maySend, "C-": mustSend,
	"S:": send, "S-": send, "S*": send,
	"D:": sendData, "D-": sendData, "D*": sendData,
}

// A step is one line of the section wire.
type step struct {
	line  int
	op    op
	mark  string // "S:", "D*", ...; the whole line for a verb
	times int    // how often text is sent: 1, except after S* and D*
	text  string // as written: placeholders and escapes are in place
}

// parseStep parses one line that is not a remark.
func parseStep(source string) (step, error) {
	if source[0] == '!' {
		o, ok := verbs[source]
		if !ok {
			return step{}, fmt.Errorf("unknown verb %q", source)
		}
		return step{op: o, mark: source}, nil
	}
	mark, text, _ := strings.Cut(source, " ")
	o, ok := marks[mark]
	if !ok {
		return step{}, fmt.Errorf("%q is neither a step nor a remark", source)
	}
	st := step{op: o, mark: mark, times: 1, text: text}
	if mark[1] == '*' {
		number, text, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || text == "" {
			return step{}, fmt.Errorf("%q: %s wants a number and a text", source, mark)
		}
		st.times, st.text = n, text
	}
	if mark == "C-" && text == "" {
		return step{}, errors.New("no text after C-")
	}
	if strings.Contains(text, "\r") {
		return step{}, errors.New(`a CR in the file itself; write \r`)
	}
	if _, err := Unescape(st.text); err != nil {
		return step{}, err
	}
	return st, nil
}

// bytes returns the bytes that the server sends once. text is the text of the step with its
// placeholders replaced.
func (st step) bytes(text string) []byte {
	// parseStep has checked the escapes, and no placeholder adds new ones.
	b, _ := Unescape(text)
	if st.mark[1] == ':' || st.mark[1] == '?' {
		b += "\r\n"
	}
	return []byte(b)
}

// A pattern matches bytes of the client: its pieces, and between them any bytes, or any bytes of
// the same line.
type pattern struct {
	pieces [][]byte
	octets bool
}

// pattern returns the pattern of the client's bytes in the step. text is the text of the step with
// its placeholders replaced.
func (st step) pattern(text string) (p pattern) {
	for piece := range strings.SplitSeq(text, "***") {
		b, _ := Unescape(piece)
		p.pieces = append(p.pieces, []byte(b))
	}
	p.octets = st.mark[1] == '-'
	if !p.octets {
		last := len(p.pieces) - 1
		p.pieces[last] = append(p.pieces[last], "\r\n"...)
	}
	return p
}

// match returns how many bytes of buf match p. ok reports whether they match all of p. more reports
// whether further bytes may complete the match.
func (p pattern) match(buf []byte) (n int, ok, more bool) {
	for i, piece := range p.pieces {
		rest := buf[n:]
		at := 0
		switch {
		case i == 0:
			have := min(len(rest), len(piece))
			if !bytes.Equal(rest[:have], piece[:have]) {
				return 0, false, false
			}
			if have < len(piece) {
				return 0, false, true
			}
		case len(piece) == 0: // the end of a C- line
			if at = bytes.IndexAny(rest, "\r\n"); at < 0 {
				at = len(rest)
			}
			if at == 0 {
				return 0, false, len(rest) == 0
			}
		default:
			if at = bytes.Index(rest, piece); at < 0 {
				return 0, false, p.octets || bytes.IndexByte(rest, '\n') < 0
			}
			if !p.octets && bytes.ContainsAny(rest[:at], "\r\n") {
				return 0, false, false
			}
		}
		n += at + len(piece)
	}
	return n, true, false
}

// String returns the text of p, with *** in place of any bytes.
func (p pattern) String() string { return quote(bytes.Join(p.pieces, []byte("***"))) }

// String returns the step as it is written in a script.
func (st step) String() string {
	switch {
	case st.mark[0] == '!':
		return st.mark
	case st.mark[1] == '*':
		return fmt.Sprintf("%s %d %s", st.mark, st.times, st.text)
	case st.text == "":
		return st.mark
	}
	return st.mark + " " + st.text
}

// Unescape replaces the escapes of the script notation, \xNN \r \n \t \0 \\, by the bytes they
// stand for. Line ends in text stay, so that a whole section can be unescaped.
func Unescape(text string) (string, error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `\`)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		if after == "" {
			return "", errors.New(`a \ at the end; write \\`)
		}
		text = after[1:]
		switch after[0] {
		case 'r':
			b.WriteByte('\r')
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case '0':
			b.WriteByte(0)
		case '\\':
			b.WriteByte('\\')
		case 'x':
			digits := text[:min(2, len(text))]
			n, err := strconv.ParseUint(digits, 16, 8)
			if err != nil || len(digits) < 2 {
				return "", fmt.Errorf(`\x wants two hexadecimal digits, got %q`, digits)
			}
			b.WriteByte(byte(n))
			text = text[2:]
		default:
			return "", fmt.Errorf("unknown escape %q", after[:1])
		}
	}
}

// escape is the inverse of Unescape.
func escape(data []byte) string {
	var b strings.Builder
	for _, c := range data {
		switch {
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\\':
			b.WriteString(`\\`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
