package transport

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Masker keeps the secrets of a protocol from a Tap. It gets all octets in their order, and
// returns those that the Tap is told. It may hold some back until their line is whole, and
// returns them with later ones. end says that none follow: the connection has ended or, for
// Sent, the server has answered.
type Masker interface {
	Sent(p []byte, end bool) []byte
	Got(p []byte, end bool) []byte
}

// A tap is a Tap of one fetch, as a Conn tells it.
type tap struct {
	told *fetchers.Tap
	mask Masker // nil if nothing is secret
}

// newTap returns nil if nobody is told.
func newTap(told *fetchers.Tap, mask Masker) *tap {
	if told == nil {
		return nil
	}
	return &tap{told: told, mask: mask}
}

func (t *tap) sent(p []byte) {
	if t.mask != nil {
		p = t.mask.Sent(p, false)
	}
	if len(p) > 0 {
		t.told.Sent(p)
	}
}

func (t *tap) got(p []byte) {
	if t.mask != nil && len(p) > 0 {
		if rest := t.mask.Sent(nil, true); len(rest) > 0 {
			t.told.Sent(rest)
		}
		p = t.mask.Got(p, false)
	}
	if len(p) > 0 {
		t.told.Got(p)
	}
}

// read tells what a Read has returned. A deadline that has passed is no end.
func (t *tap) read(p []byte, err error) {
	t.got(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.flush()
		t.told.Ended(err)
	}
}

// flush tells what the mask holds back.
func (t *tap) flush() {
	if t.mask == nil {
		return
	}
	if p := t.mask.Sent(nil, true); len(p) > 0 {
		t.told.Sent(p)
	}
	if p := t.mask.Got(nil, true); len(p) > 0 {
		t.told.Got(p)
	}
}

// A repeated masks secrets that the server may repeat in its lines.
type repeated struct {
	secrets []string
	held    []byte // of a line that may hold a secret
}

func (r *repeated) Sent(p []byte, _ bool) []byte { return p }

func (r *repeated) Got(p []byte, end bool) []byte {
	r.held = append(r.held, p...)
	n := len(r.held)
	if !end {
		n = bytes.LastIndexByte(r.held, '\n') + 1
	}
	text := string(r.held[:n])
	for _, secret := range r.secrets {
		text = Masked(text, secret)
	}
	masked := []byte(text)
	r.held = append(r.held[:0], r.held[n:]...)
	return masked
}

// Masked returns text with *** in place of secret, for a Trace. A secret of fewer than three
// octets is not looked for: it would be found where it is none.
func Masked(text, secret string) string {
	if len(secret) < 3 {
		return text
	}
	return strings.ReplaceAll(text, secret, "***")
}

// WithTap returns c as a connection of which told is told; nil is nobody. It is for connections
// that are not dialled by [Dial], such as those of FTP for data.
func WithTap(c net.Conn, told *fetchers.Tap) net.Conn {
	if told == nil {
		return c
	}
	return &tapped{c, newTap(told, nil)}
}

// A tapped is a connection of which a Tap is told.
type tapped struct {
	net.Conn
	tap *tap
}

func (t *tapped) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.tap.read(p[:n], err)
	return n, err
}

func (t *tapped) Write(p []byte) (int, error) {
	t.tap.sent(p)
	return t.Conn.Write(p)
}
