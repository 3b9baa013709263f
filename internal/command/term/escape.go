package term

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/url"
)

// Visible returns s for one line of text: with an escape for each deceptive character,
// as url.Deceptive has them, and for each octet that is no UTF-8.
func Visible(s string) string {
	if !deceives(s) {
		return s
	}
	var b strings.Builder
	before := rune(0)
	for i, r := range s {
		switch {
		case isStray(s, i, r):
			fmt.Fprintf(&b, `\x%02x`, s[i])
			r = 0
		case url.Deceptive(before, r):
			b.WriteString(escaped(r))
			r = 0
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// deceives reports whether Visible would change s.
func deceives(s string) bool {
	before := rune(0)
	for i, r := range s {
		if isStray(s, i, r) || url.Deceptive(before, r) {
			return true
		}
		before = r
	}
	return false
}

func escaped(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// isStray reports whether r stands for an octet at s[i] that is no UTF-8.
func isStray(s string, i int, r rune) bool {
	return r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError))
}

// VisibleWriter writes a text of many lines to a terminal, with escapes for deceptive
// characters. A line ends in LF or CR LF. A CR elsewhere becomes an escape, since the
// next characters would overwrite the line. Octets that are no UTF-8 are passed on,
// unless they are controls: the text may be in another character set.
//
// The caller closes a VisibleWriter at the end of the text. Close does not close the
// Writer below it.
type VisibleWriter struct {
	w       io.Writer
	partial []byte // the beginning of a character, or of a line end
	before  rune   // the last character, or 0 if it was written as an escape
	out     []byte
}

// NewVisibleWriter returns a VisibleWriter that writes to w.
func NewVisibleWriter(w io.Writer) *VisibleWriter { return &VisibleWriter{w: w} }

// Write writes p, except for the beginning of a character or of a line end at its end,
// which waits for the next Write or for Close.
func (v *VisibleWriter) Write(p []byte) (int, error) {
	in := append(v.partial, p...)
	v.out = v.out[:0]
	for len(in) > 0 && utf8.FullRune(in) {
		r, size := utf8.DecodeRune(in)
		switch {
		case r == '\r' && len(in) == 1: // the next octet decides
			return v.flush(p, in)
		case r == '\r' && in[1] == '\n':
			r, size = '\n', 2
			v.out = append(v.out, "\r\n"...)
		case r == '\n', r == '\t':
			v.out = append(v.out, in[0])
		case r == utf8.RuneError && size == 1 && 0x80 <= in[0] && in[0] < 0xA0:
			v.out = fmt.Appendf(v.out, `\x%02x`, in[0])
		case url.Deceptive(v.before, r):
			v.out = append(v.out, escaped(r)...)
			r = 0
		default:
			v.out = append(v.out, in[:size]...)
		}
		v.before, in = r, in[size:]
	}
	return v.flush(p, in)
}

// flush writes v.out and keeps rest, the end of p, for the next Write.
func (v *VisibleWriter) flush(p, rest []byte) (int, error) {
	v.partial = append([]byte(nil), rest...)
	if _, err := v.w.Write(v.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the rest of a character that was never finished.
func (v *VisibleWriter) Close() error {
	if len(v.partial) == 0 {
		return nil
	}
	_, err := io.WriteString(v.w, Visible(string(v.partial)))
	return err
}
