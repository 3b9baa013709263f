package http

import (
	"bytes"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
	"github.com/seed1ea3422f/fetch/url"
)

// A mask keeps from a Tap what header fields of HTTP/1.1 keep secret. So headers are told in
// lines.
type mask struct {
	sent   bytes.Buffer
	place  place // of what is sent next
	got    bytes.Buffer
	lines  int              // of the head that comes
	status httpfield.Status // of the head that comes
	field  string           // the name of the field that comes
	body   bool             // what comes is no header
}

// A place is a part of a request.
type place int

const (
	requestLine place = iota
	requestField
	requestContent
)

// Sent returns what a Tap is told of octets of a request.
func (m *mask) Sent(p []byte, end bool) (shown []byte) {
	if len(p) > 0 {
		m.body, m.lines = false, 0
	}
	m.sent.Write(p)
	for line := range whole(&m.sent) {
		shown = append(shown, m.maskedSent(line)...)
	}
	if end {
		if m.sent.Len() > 0 {
			shown = append(shown, m.maskedSent(m.sent.String())...)
			m.sent.Reset()
		}
		m.place = requestLine
	}
	return shown
}

// maskedSent hides what a line of a request keeps secret, and goes on to the next.
func (m *mask) maskedSent(line string) string {
	switch {
	case m.place == requestLine:
		m.place = requestField
		if method, target, _ := strings.Cut(line, " "); !strings.HasPrefix(target, "/") {
			return method + " " + url.Redact(target)
		}
	case strings.TrimRight(line, "\r\n") == "":
		m.place = requestContent
	case m.place == requestField:
		return maskedLine(line, MaskedSent)
	}
	return line
}

// Got returns what a Tap is told of octets of an answer.
func (m *mask) Got(p []byte, end bool) (shown []byte) {
	if m.body {
		return p
	}
	m.got.Write(p)
	for line := range whole(&m.got) {
		shown = append(shown, m.maskedGot(line)...)
		m.lines++
		switch {
		case m.lines == 1:
			m.status, _ = httpfield.ParseStatus(line)
		case !m.status.EndsHeader([]byte(line)):
		case m.status.Code/100 == 1:
			m.lines = 0
		default:
			m.body = true
			shown = append(shown, m.got.Bytes()...)
			m.got.Reset()
			return shown
		}
	}
	if end && m.got.Len() > 0 {
		shown = append(shown, m.maskedGot(m.got.String())...)
		m.got.Reset()
	}
	return shown
}

// maskedGot hides what a line of the header of an answer keeps secret. A line that begins with
// space continues a field, unless it is the first behind the status line. Of a field with a
// secret it is hidden whole: a name may be cut in it.
func (m *mask) maskedGot(line string) string {
	text := strings.TrimLeft(line, " \t")
	space := line[:len(line)-len(text)]
	if space != "" && m.lines > 1 {
		end := strings.TrimRight(text, "\r\n")
		if end != "" && Masked(m.field, "x") != "x" {
			return space + "***" + text[len(end):]
		}
		return space + Masked(m.field, end) + text[len(end):]
	}
	m.field, _, _ = strings.Cut(text, ":")
	m.field = strings.Trim(m.field, " \t")
	return space + maskedLine(text, Masked)
}

// whole yields the lines that are complete in b, and takes them out.
func whole(b *bytes.Buffer) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for bytes.IndexByte(b.Bytes(), '\n') >= 0 {
			line, err := b.ReadString('\n')
			if err == io.EOF || !yield(line) {
				return
			}
		}
	}
}

// maskedLine hides what a line of a header keeps secret, as masked has it.
func maskedLine(line string, masked func(key, value string) string) string {
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		return line
	}
	text := strings.TrimRight(value, "\r\n")
	trimmed := strings.TrimLeft(text, " \t")
	return key + ":" + text[:len(text)-len(trimmed)] + masked(strings.Trim(key, " \t"), trimmed) + value[len(text):]
}
