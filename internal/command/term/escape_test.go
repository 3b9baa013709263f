package term

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"
)

var hazards = []struct{ in, want string }{
	{"plain", "plain"},
	{"café 日本", "café 日本"},
	{"\x1b]0;PWN\x07x", `\x1b]0;PWN\x07x`},
	{"a\x7fb\u0085c", `a\x7fb\x85c`},
	{"x\u202egpj.exe", `x\u202egpj.exe`},
	{"a\u200bb\u00adc\ufeffd", `a\u200bb\xadc\ufeffd`},
	{"a\u2028b\u2029c\ue000", `a\u2028b\u2029c\ue000`},
	{"tag\U000e0041\U000e007f", `tag\U000e0041\U000e007f`},
	{"pay\u200dpal", `pay\u200dpal`},
	{"👩\u200d👧 ❤\ufe0f می\u200cخواهم", "👩\u200d👧 ❤\ufe0f می\u200cخواهم"},
	{"a\ufe0f\u200db 日\U000e0100\u200d", `a\ufe0f\u200db 日\U000e0100\u200d`},
	{"\u200d first", `\u200d first`},
}

// A deceptive character in a line, and an octet that is no UTF-8, becomes an escape.
func TestVisible(t *testing.T) {
	for _, c := range append(hazards, []struct{ in, want string }{
		{"a\tb\nc\r", `a\tb\nc\r`},
		{"caf\xe9", `caf\xe9`},
	}...) {
		if got := Visible(c.in); got != c.want {
			t.Errorf("Visible(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// A text comes out the same, however it is cut into writes.
func TestVisibleWriter(t *testing.T) {
	for _, c := range append(hazards, []struct{ in, want string }{
		{"a\tb\nc\r\n", "a\tb\nc\r\n"},
		{"curl x | sh\rharmless   \r\n", `curl x | sh\rharmless   ` + "\r\n"},
		{"a\r\r\nb\n\rc\r", `a\r` + "\r\nb\n" + `\rc\r`},
		{"❤\r\n\ufe0f", "❤\r\n" + `\ufe0f`},
		{"latin caf\xe9 1", "latin caf\xe9 1"},
		{"a C1 \x9b2J", `a C1 \x9b2J`},
		{"unfinished \xe6\x97", `unfinished \xe6\x97`},
	}...) {
		for name, r := range map[string]io.Reader{
			"at once":        bytes.NewReader([]byte(c.in)),
			"octet by octet": iotest.OneByteReader(bytes.NewReader([]byte(c.in))),
		} {
			var out bytes.Buffer
			w := NewVisibleWriter(&out)
			io.Copy(w, struct{ io.Reader }{r})
			w.Close()
			if out.String() != c.want {
				t.Errorf("%q, %s: %q, want %q", c.in, name, out.String(), c.want)
			}
		}
	}
}
