package wire

import (
	"bytes"
	"net"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A tap is a connection, or TLS on one, of which somebody is told what goes over it.
type tap struct {
	net.Conn
	told   *fetchers.Tap
	secret string // what the server may repeat
	held   []byte // of a line that may hold it
}

// Tap returns c as a connection of which told is told; nil is nobody.
func Tap(c net.Conn, told *fetchers.Tap) net.Conn {
	if told == nil {
		return c
	}
	return &tap{Conn: c, told: told}
}

// WriteAs writes p to c. A Tap is told shown in its place.
func WriteAs(c net.Conn, p []byte, shown string) (int, error) {
	t, ok := c.(*tap)
	if !ok {
		return c.Write(p)
	}
	t.told.Sent([]byte(shown))
	return t.Conn.Write(p)
}

// Conceal keeps a Tap of c from being told secret, from now on, in the lines that
// come. There are servers that repeat a password aloud. An empty secret ends that.
// Nobody may be reading meanwhile.
func Conceal(c net.Conn, secret string) {
	if t, ok := c.(*tap); ok {
		t.flush()
		t.secret = secret
	}
}

func (t *tap) Write(p []byte) (int, error) {
	t.told.Sent(p)
	return t.Conn.Write(p)
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.got(p[:n])
	if err != nil {
		t.flush()
		t.told.Ended(err)
	}
	return n, err
}

// got tells what came; while there is a secret, in whole lines.
func (t *tap) got(p []byte) {
	if t.secret == "" {
		t.told.Got(p)
		return
	}
	t.held = append(t.held, p...)
	if end := bytes.LastIndexByte(t.held, '\n') + 1; end > 0 {
		rest := bytes.Clone(t.held[end:])
		t.held = t.held[:end]
		t.flush()
		t.held = rest
	}
}

// flush tells what was held.
func (t *tap) flush() {
	if len(t.held) > 0 {
		t.told.Got([]byte(Masked(string(t.held), t.secret)))
		t.held = t.held[:0]
	}
}

// Masked returns text without the secret in it. What is very short would be found
// where it is none.
func Masked(text, secret string) string {
	if len(secret) < 3 {
		return text
	}
	return strings.ReplaceAll(text, secret, "***")
}
