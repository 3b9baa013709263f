package transport

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Masker hides the secrets of a protocol from a Tap. It receives all bytes in order, and returns
// those for the Tap. It may hold bytes back until their line is complete, and return them with
// later ones. end means that no more bytes follow: the connection has ended or, for Sent, the
// server has answered.
type Masker interface {
	Sent(p []byte, end bool) []byte
	Got(p []byte, end bool) []byte
}

// A tap passes the bytes of a Conn to the Tap of one fetch.
type tap struct {
	out  *fetchers.Tap
	mask Masker // nil without secrets
}

// newTap returns nil if out is nil.
func newTap(out *fetchers.Tap, mask Masker) *tap {
	if out == nil {
		return nil
	}
	return &tap{out: out, mask: mask}
}

func (t *tap) sent(p []byte) {
	if t.mask != nil {
		p = t.mask.Sent(p, false)
	}
	if len(p) > 0 {
		t.out.Sent(p)
	}
}

func (t *tap) got(p []byte) {
	if t.mask != nil && len(p) > 0 {
		if rest := t.mask.Sent(nil, true); len(rest) > 0 {
			t.out.Sent(rest)
		}
		p = t.mask.Got(p, false)
	}
	if len(p) > 0 {
		t.out.Got(p)
	}
}

// read reports the result of a Read. A passed deadline is no end.
func (t *tap) read(p []byte, err error) {
	t.got(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.flush()
		t.out.Ended(err)
	}
}

// flush passes the bytes held back by the mask to the Tap.
func (t *tap) flush() {
	if t.mask == nil {
		return
	}
	if p := t.mask.Sent(nil, true); len(p) > 0 {
		t.out.Sent(p)
	}
	if p := t.mask.Got(nil, true); len(p) > 0 {
		t.out.Got(p)
	}
}

// A repeated masks secrets that a server may repeat in its lines.
type repeated struct {
	secrets []string
	held    []byte // bytes of an incomplete line
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

// Masked returns text with *** in place of secret, for a Trace. A secret of fewer than three bytes
// is not masked: it would match unrelated text.
func Masked(text, secret string) string {
	if len(secret) < 3 {
		return text
	}
	return strings.ReplaceAll(text, secret, "***")
}

// WithTap returns c as a connection that reports to out, which may be nil. It is for connections
// that [Dial] has not dialled, such as data connections of FTP.
func WithTap(c net.Conn, out *fetchers.Tap) net.Conn {
	if out == nil {
		return c
	}
	return &tapped{c, newTap(out, nil)}
}

// A tapped is a connection that reports to a Tap.
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
