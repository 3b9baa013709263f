package report

import (
	"bytes"
	"errors"
	"io"
	"net/textproto"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// A document is written as it came, and a listing as rows, unless it is wanted raw.
func TestShow(t *testing.T) {
	u := parseURL(t, "ftp://h.example/a")
	const body = "\x00caf\xe9\x1b"
	for name, c := range map[string]struct {
		output option.Output
		res    *fetchers.Resource
		want   string
	}{
		"a document":    {option.Output{}, document(u, body), body},
		"a listing":     {option.Output{}, listing(u, nil, entry("b", nil, 1, time.Time{})), "document\t1\t-\tb\t-\n"},
		"a raw listing": {option.Output{Raw: true}, listing(u, nil, entry("b", nil, 1, time.Time{})), "as sent\n"},
	} {
		s := newScreen(&option.Options{Output: c.output})
		if err := Show(s.Streams, c.output, c.res, false); err != nil || s.out.String() != c.want {
			t.Errorf("%s: %q, %v; want %q", name, &s.out, err, c.want)
		}
	}
	s := newScreen(new(option.Options))
	s.Out = full{}
	err := Show(s.Streams, option.Output{}, document(u, body), false)
	if _, output := errors.AsType[record.OutputError](err); !output {
		t.Errorf("%v, want a record.OutputError", err)
	}
}

// A terminal gets text without deceptive characters, and no binary, unless the binary is from a
// service.
func TestShowText(t *testing.T) {
	u := parseURL(t, "http://h.example/a")
	said := document(u, "\x00\x1b\n")
	said.Session = &fetchers.SessionHint{Service: "telnet", Addr: "h.example:23"}
	for name, c := range map[string]struct {
		res  *fetchers.Resource
		want string
		err  string
	}{
		"text":      {document(u, "a\u202eb\r\n\x1b"), "a\\u202eb\r\n\\x1b", ""},
		"nothing":   {document(u, ""), "", ""},
		"a binary":  {document(u, "\x00\x01\x02"), "", "http://h.example/a: binary, and standard output is a terminal: use -o FILE, or -o - if you mean it"},
		"UTF-16":    {document(u, "\xff\xfea\x00"), "", "http://h.example/a: binary, and standard output is a terminal: use -o FILE, or -o - if you mean it"},
		"a service": {said, "\\x00\\x1b\n", ""},
	} {
		var out bytes.Buffer
		err := showText(&out, c.res)
		text, class := "", record.Class("")
		if err != nil {
			text = err.Error()
			class, _ = record.Classify(err)
		}
		if out.String() != c.want || text != c.err || text != "" && class != record.ClassWrite {
			t.Errorf("%s: %q, %v of class %q; want %q, %q", name, &out, err, class, c.want, c.err)
		}
	}
}

// A terminal shows the bytes that have arrived, before more arrive. A binary ends where it is
// recognised.
func TestShowTextInPieces(t *testing.T) {
	u := parseURL(t, "http://h.example/a")
	for in, want := range map[string]string{"one\ntwo\n": "one\ntwo\n", "on\x00e": "on", "caf\u00e9": "caf\u00e9"} {
		res := document(u, "")
		res.SetBody(io.NopCloser(iotest.OneByteReader(strings.NewReader(in))))
		var out bytes.Buffer
		if err := showText(&out, res); out.String() != want || (err == nil) != (in == want) {
			t.Errorf("%q: %q, %v; want %q", in, &out, err, want)
		}
	}
}

// Text in any character set but UTF-16 is no binary.
func TestBinary(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "hello\n": false, "caf\xe9\n": false, "<html>": false, "a\x00b": true, "\x7fELF\x02\x01\x01\x00": true, "\xff\xfea\x00": true, "\x89PNG\r\n\x1a\n": true,
	} {
		if got := binary([]byte(in)); got != want {
			t.Errorf("binary(%q) = %v, want %v", in, got, want)
		}
	}
}

// A text is converted to UTF-8 if its character set is known, and stays as it is otherwise.
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
