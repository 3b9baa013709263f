package http

import (
	"bytes"
	"io"
	"net"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A tap is a connection in HTTP/1.1 of which somebody is told what goes over it, with
// what header fields keep secret masked. So headers are told in lines.
type tap struct {
	net.Conn
	told *fetchers.Tap

	sent    bytes.Buffer
	got     bytes.Buffer
	body    bool // what comes is no header
	interim bool // the header that comes has a status of 1xx
}

func newTap(c net.Conn, told *fetchers.Tap) net.Conn {
	if told == nil {
		return c
	}
	return &tap{Conn: c, told: told}
}

func (t *tap) Write(p []byte) (int, error) {
	t.flush(&t.got, t.told.Got)
	t.body = false
	t.sent.Write(p)
	for line := range whole(&t.sent) {
		t.told.Sent([]byte(maskedLine(line)))
	}
	return t.Conn.Write(p)
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.flush(&t.sent, t.told.Sent)
	t.take(p[:n])
	if err != nil {
		t.flush(&t.got, t.told.Got)
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
		t.told.Got([]byte(maskedLine(line)))
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

// flush tells what is no whole line, and will not become one.
func (t *tap) flush(b *bytes.Buffer, tell func([]byte)) {
	if b.Len() > 0 {
		tell([]byte(maskedLine(b.String())))
		b.Reset()
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

// maskedLine hides what a line of a header keeps secret.
func maskedLine(line string) string {
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		return line
	}
	text := strings.TrimRight(value, "\r\n")
	trimmed := strings.TrimLeft(text, " \t")
	return key + ":" + text[:len(text)-len(trimmed)] + Masked(key, trimmed) + value[len(text):]
}
