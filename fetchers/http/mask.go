package http

import (
	"bytes"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
	"github.com/seed1ea3422f/fetch/url"
)

// A mask hides the secrets of HTTP/1.1 header fields from a Tap. Headers are therefore shown line
// by line.
type mask struct {
	sent   bytes.Buffer
	place  place // place of the bytes that are sent next
	got    bytes.Buffer
	lines  int              // lines of the current response head so far
	status httpfield.Status // of the current response head
	field  string           // name of the current response field
	body   bool             // whether the received bytes are a body
}

// A place is a part of a request.
type place int

const (
	requestLine place = iota
	requestField
	requestContent
)

// Sent returns the form of sent bytes that a Tap gets.
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

// maskedSent hides the secrets of a line of a request, and advances the place.
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

// Got returns the form of received bytes that a Tap gets.
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

// maskedGot hides the secrets of a line of a response header. A line that begins with space
// continues a field, unless it is the first after the status line. If the field holds a secret, the
// whole line is hidden, because a value may be split within it.
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

// whole yields the complete lines in b, and removes them from b.
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

// maskedLine hides the secret of a header line: masked returns the value to show for a field.
func maskedLine(line string, masked func(key, value string) string) string {
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		return line
	}
	text := strings.TrimRight(value, "\r\n")
	trimmed := strings.TrimLeft(text, " \t")
	return key + ":" + text[:len(text)-len(trimmed)] + masked(strings.Trim(key, " \t"), trimmed) + value[len(text):]
}
