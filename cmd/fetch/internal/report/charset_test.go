package report

import (
	"io"
	"net/textproto"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// A text comes out in UTF-8 if its character set is known, and as it was otherwise.
func TestAsUTF8(t *testing.T) {
	for _, c := range []struct{ contentType, in, want string }{
		{"text/plain; charset=ISO-8859-1", "caf\xe9", "café"},
		{"text/html; charset=koi8-r", "\xcd\xc9\xd2", "мир"},
		{"text/plain; charset=utf-8", "café", "café"},
		{"text/plain", "caf\xe9", "caf\xe9"},
		{"text/plain; charset=nonsense", "caf\xe9", "caf\xe9"},
		{"text/plain; charset=iso-2022-kr", "abc", "abc"},
		{"application/octet-stream; charset=latin1", "\xe9", "\xe9"},
		{"", "\xe9", "\xe9"},
	} {
		res := &fetchers.Resource{Header: textproto.MIMEHeader{"Content-Type": {c.contentType}}}
		got, err := io.ReadAll(asUTF8(res, strings.NewReader(c.in)))
		if err != nil || string(got) != c.want {
			t.Errorf("%q as %q: %q, %v; want %q", c.in, c.contentType, got, err, c.want)
		}
	}
}

// A text of any character set is written to a terminal the same however it is cut into
// writes, without deceptive characters, and not much longer than it was sent.
func FuzzCharset(f *testing.F) {
	for _, label := range []string{"iso-8859-1", "koi8-r", "iso-2022-jp", "shift_jis", "euc-kr", "gb18030", "big5", "utf-16", "utf-16be", "utf-7", "x-user-defined", "replacement", "utf-8", "", "a\"b"} {
		f.Add(label, []byte("caf\xe9 \x1b$B$3\x1b(B \x81\x30\x81\x30\r \xff\xfe\x9b2J\xe2\x80\x8b\r\n"))
	}
	f.Fuzz(func(t *testing.T, label string, body []byte) {
		res := &fetchers.Resource{Header: textproto.MIMEHeader{"Content-Type": {"text/plain; charset=\"" + label + "\""}}}
		show := func(body io.Reader) string {
			var screen strings.Builder
			w := term.NewVisibleWriter(&screen)
			if _, err := io.Copy(w, asUTF8(res, body)); err != nil {
				t.Fatalf("%q: %v", label, err)
			}
			w.Close()
			return screen.String()
		}
		shown := show(strings.NewReader(string(body)))
		if slowly := show(iotest.OneByteReader(strings.NewReader(string(body)))); slowly != shown {
			t.Fatalf("%q: %q octet by octet, and %q at once", label, slowly, shown)
		}
		if len(shown) > 10*len(body)+100 {
			t.Fatalf("%q: %d octets became %d", label, len(body), len(shown))
		}
		rest := strings.NewReplacer("\r\n", "", "\n", "", "\t", "").Replace(shown)
		for i := 0; i < len(rest); { // octets that are no UTF-8 may remain
			r, size := utf8.DecodeRuneInString(rest[i:])
			if part := rest[i : i+size]; r != utf8.RuneError && term.Visible("❤"+part) != "❤"+part {
				t.Fatalf("%q: %q is shown as %q", label, body, shown)
			}
			i += size
		}
	})
}
