package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// visible returns s with everything that could move the cursor, change the
// terminal or turn the text around written as an escape: C0, DEL, C1, bidi
// controls and octets that are no UTF-8.
func visible(s string) string {
	safe := true
	for i, r := range s {
		if hazard(r) || r == '\n' || r == '\t' || r == '\r' || isStray(s, i, r) {
			safe = false
			break
		}
	}
	if safe {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case isStray(s, i, r):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hazard(r), r == '\n', r == '\t', r == '\r':
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hazard reports whether r must not reach a terminal as part of a text. TAB, LF
// and CR may.
func hazard(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return false
	case r < ' ', 0x7F <= r && r < 0xA0:
		return true
	case r == 0x061C, r == 0x200E, r == 0x200F, 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
		return true
	}
	return false
}

func escaped(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\t':
		return `\t`
	case '\r':
		return `\r`
	}
	if r < 0x100 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// isStray reports whether r stands for an octet at s[i] that is no UTF-8.
func isStray(s string, i int, r rune) bool {
	return r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError))
}

// A visibleWriter writes text to a terminal with its hazards visible. Octets that
// are no UTF-8 are passed on, unless they are controls: the text may be in
// another character set.
type visibleWriter struct {
	w       io.Writer
	partial []byte // the beginning of a character
	out     []byte
}

func (v *visibleWriter) Write(p []byte) (int, error) {
	in := append(v.partial, p...)
	v.out = v.out[:0]
	for len(in) > 0 {
		if !utf8.FullRune(in) {
			break
		}
		r, size := utf8.DecodeRune(in)
		switch {
		case r == utf8.RuneError && size == 1 && 0x80 <= in[0] && in[0] < 0xA0:
			v.out = fmt.Appendf(v.out, `\x%02x`, in[0])
		case hazard(r):
			v.out = append(v.out, escaped(r)...)
		default:
			v.out = append(v.out, in[:size]...)
		}
		in = in[size:]
	}
	v.partial = append([]byte(nil), in...)
	if _, err := v.w.Write(v.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what is left of a character that was never finished.
func (v *visibleWriter) Close() error {
	if len(v.partial) == 0 {
		return nil
	}
	_, err := io.WriteString(v.w, visible(string(v.partial)))
	return err
}
