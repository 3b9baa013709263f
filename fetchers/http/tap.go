package http

import (
	"bytes"
	"io"
	"net"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A tap is a connection in HTTP/1.1 of which somebody is told what goes over it, with
// what header fields keep secret masked. So headers are told in lines.
type tap struct {
	net.Conn
	told *fetchers.Tap

	sent    bytes.Buffer
	place   place // of what is sent next
	got     bytes.Buffer
	body    bool // what comes is no header
	interim bool // the header that comes has a status of 1xx
}

// A place is a part of a request.
type place int

const (
	requestLine place = iota
	requestField
	requestContent
)

func newTap(c net.Conn, told *fetchers.Tap) net.Conn {
	if told == nil {
		return c
	}
	return &tap{Conn: c, told: told}
}

func (t *tap) Write(p []byte) (int, error) {
	t.flush()
	t.body = false
	t.sent.Write(p)
	for line := range whole(&t.sent) {
		t.told.Sent([]byte(t.maskedSent(line)))
	}
	return t.Conn.Write(p)
}

// maskedSent hides what a line of a request keeps secret, and goes on to the next.
func (t *tap) maskedSent(line string) string {
	switch {
	case t.place == requestLine:
		t.place = requestField
		if method, target, _ := strings.Cut(line, " "); !strings.HasPrefix(target, "/") {
			return method + " " + url.Redact(target)
		}
	case strings.TrimRight(line, "\r\n") == "":
		t.place = requestContent
	case t.place == requestField:
		return maskedLine(line, MaskedSent)
	}
	return line
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	if t.sent.Len() > 0 {
		t.told.Sent([]byte(t.maskedSent(t.sent.String())))
		t.sent.Reset()
	}
	t.place = requestLine
	t.take(p[:n])
	if err != nil {
		t.flush()
		t.told.Ended(err)
	}
	return n, err
}

// take tells what came.
func (t *tap) take(p []byte) {
	if t.body {
		t.told.Got(p)
		return
	}
	t.got.Write(p)
	for line := range whole(&t.got) {
		t.told.Got([]byte(maskedLine(line, Masked)))
		text := strings.TrimRight(line, "\r\n")
		switch version, status, _ := strings.Cut(text, " "); {
		case strings.HasPrefix(version, "HTTP/1."):
			t.interim = strings.HasPrefix(strings.TrimLeft(status, " "), "1")
		case text == "" && !t.interim:
			t.body = true
			t.told.Got(t.got.Bytes())
			t.got.Reset()
			return
		}
	}
}

// flush tells what came that is no whole line, and will not become one.
func (t *tap) flush() {
	if t.got.Len() > 0 {
		t.told.Got([]byte(maskedLine(t.got.String(), Masked)))
		t.got.Reset()
	}
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
	return key + ":" + text[:len(text)-len(trimmed)] + masked(key, trimmed) + value[len(text):]
}
