package report

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// articleText returns a message as a terminal of a width without colours shows it.
func articleText(width int, body io.Reader) (string, error) {
	var out strings.Builder
	err := newArticle(&out, width, term.Palette{}, body).write()
	return out.String(), err
}

// The fields of the header are chosen and decoded, the text is decoded, and every other part
// is a line. A malformed message is shown as far as possible.
func TestArticle(t *testing.T) {
	const (
		mixed = "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\nfor readers without MIME\n"
		text  = "--b\nContent-Type: text/plain; charset=utf-8\n\ntext é\n"
		html  = "--b\nContent-Type: text/html\n\n<p>text</p>\n"
		image = "--b\nContent-Type: image/png; name=dot.png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"
		end   = "--b--\nafter the end\n"
		raw   = "[--raw shows the message as it was sent]\n"
	)
	for _, c := range []struct{ name, message, want string }{
		{"fields in their order, and no others",
			"Path: a!b\nSubject: s\nNewsgroups: a,b\nFollowup-To: a\nMessage-ID: <1@a>\nCc: c\nTo: t\nDate: d\nFrom: f\n\ntext\n",
			"From: f\nTo: t\nCc: c\nSubject: s\nDate: d\nNewsgroups: a,b\nFollowup-To: a\n\ntext\n"},
		{"encoded words", "From: =?koi8-r?B?7dXa2cvB?= <m@h>\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n =?utf-8?q?_an_alle?=\n\n", "From: Музыка <m@h>\nSubject: Grüße an alle\n\n"},
		{"deceptive words", "Subject: =?utf-8?q?a=0AFrom:_b=1B[2J=E2=80=AE?=\n\n\x1b[2J\u202e\rx\n", "Subject: a\\nFrom: b\\x1b[2J\\u202e\n\n\\x1b[2J\\u202e\\rx\n"},
		{"Latin-1, 8bit", "Subject: s\nContent-Type: text/plain; charset=iso-8859-1\n\ncaf\xe9\r\n", "Subject: s\n\ncafé\r\n"},
		{"quoted-printable", "Subject: s\nContent-Type: text/plain; charset=iso-8859-15\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9 =A4 soft=\n line\n", "Subject: s\n\ncafé € soft line\n"},
		{"base64", "Subject: s\nContent-Type: text/plain; charset=shift_jis\nContent-Transfer-Encoding: base64\n\nk/qWewo=\n", "Subject: s\n\n日本\n"},
		{"a file beside the text", mixed + text + image + end, "Subject: s\n\ntext é\n\n[dot.png, image/png, 8 B]\n"},
		{"a file before the text", mixed + image + text + end, "Subject: s\n\n[dot.png, image/png, 8 B]\n\ntext é\n"},
		{"two texts", mixed + text + "--b\n\nmore\n" + end, "Subject: s\n\ntext é\n\nmore\n"},
		{"the same as HTML", mixed + text + html + end, "Subject: s\n\ntext é\n\n[text/html, 11 B]\n"},
		{"only HTML", mixed + html + end, "Subject: s\n\n<p>text</p>\n"},
		{"an attached text", mixed + text + "--b\nContent-Disposition: attachment; filename=\"a b.txt\"\n\nfile\n" + end, "Subject: s\n\ntext é\n\n[a b.txt, text/plain, 4 B]\n"},
		{"a text with a name", mixed + text + "--b\nContent-Type: text/plain; name=\"=?utf-8?q?=C3=A9=1B?=\"\n\nfile\n" + end, "Subject: s\n\ntext é\n\n[é\\x1b, text/plain, 4 B]\n"},
		{"a message in it", mixed + text + "--b\nContent-Type: message/rfc822\n\nSubject: x\n\ny\n" + end, "Subject: s\n\ntext é\n\n[message/rfc822, 13 B]\n"},
		{"uuencode", "Subject: s\n\nhere:\nbegin 644 a.txt\n#0V%T\n`\nend\nthere\n", "Subject: s\n\nhere:\n\n[a.txt, application/octet-stream, 3 B]\n\nthere\n"},
		{"a binary that is called text", mixed + "--b\n\n\x00\x01\x02\n" + text + end, "Subject: s\n\n\n[text/plain, 3 B]\n\ntext é\n"},
		{"no text", "Subject: s\nContent-Type: image/png\n\nx", "Subject: s\n\n[image/png, 1 B]\n"},
		{"no header", "\ntext\n", "\ntext\n"},
		{"nothing", "", "\n"},

		{"an unknown character set", "Content-Type: text/plain; charset=\"no\x1bne\"\n\ncaf\xe9\n", "\n[the character set no\\x1bne is not known]\n\ncaf\xe9\n\n" + raw},
		{"bad base64", mixed + "--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAA=AAA=x\n" + text + end,
			"Subject: s\n\n[image/png, 2 B]\n[malformed message: illegal base64 data at input byte 4]\n\ntext é\n\n" + raw},
		{"a text with bad base64", "Content-Transfer-Encoding: base64\n\nAAA=AAA=x\n", "\n\n[text/plain, 2 B]\n[malformed message: illegal base64 data at input byte 4]\n" + raw},
		{"a file that is cut", "\nbegin 644 x\n#0V%T\n", "\n[x, application/octet-stream, 3 B]\n[cut short]\n" + raw},
		{"a wrong checksum", "\n=ybegin line=128 size=3 name=x\nabc\n=yend size=3 crc32=00000000\nrest\n",
			"\n[x, application/octet-stream, 3 B]\n[checksum mismatch: yEnc says 00000000, and it is 96ff1ef4]\n\nrest\n\n" + raw},
		{"no boundary", "Content-Type: multipart/mixed\n\n--b\n\ntext\n", "\n[multipart/mixed without a boundary]\n\n--b\n\ntext\n\n" + raw},
		{"another boundary", mixed + "--c\n\ntext\n", "Subject: s\n\n[malformed message: a multipart without its last boundary]\n" + raw},
		{"no last boundary", mixed + text, "Subject: s\n\ntext é\n\n[cut short]\n" + raw},
		{"a part whose header is none", mixed + text + "--b\nno \x1b field\n\nx\n" + end, "Subject: s\n\ntext é\n\n[malformed message: malformed MIME header: missing colon: \"no \\x1b field\"]\n" + raw},
		{"parts in parts in parts", strings.Repeat("Content-Type: multipart/mixed; boundary=b\n\n--b\n", 20), "\n[malformed message: a multipart without its last boundary]\n" + raw},
		{"a header bomb", strings.Repeat("X: "+strings.Repeat("x", 1000)+"\n", 1100), "[malformed message: a header of more than 1048576 bytes]\n" + raw},
		{"a subject without end", "Subject: " + strings.Repeat("x", 5000) + "\n\n", "Subject: " + strings.Repeat("x", 499) + "…" + strings.Repeat("x", 500) + "\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := articleText(80, strings.NewReader(c.message))
			if got != c.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// The lines of parts fit the terminal.
func TestArticleFits(t *testing.T) {
	const message = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n" +
		"--b\nContent-Type: application/vnd.openxmlformats-officedocument.wordprocessingml.document; name=\"=?utf-8?q?=E6=97=A5=E6=9C=AC=E8=AA=9E_=E6=97=A5=E6=9C=AC=E8=AA=9E_=E6=97=A5=E6=9C=AC=E8=AA=9E.docx?=\"\n\nx\n--b--\n"
	for width, want := range map[int]string{
		80: "[日本語 日本語 日本語.docx, application/vnd.ope…rocessingml.document, 1 B]",
		40: "[日本語 日… 本語.docx, applicati…l.document, 1 B]",
	} {
		got, err := articleText(width, strings.NewReader(message))
		if lines := strings.Split(got, "\n"); len(lines) < 2 || lines[len(lines)-2] != want || err != nil {
			t.Errorf("in %d columns: %q, %v; want %q", width, got, err, want)
		}
	}
}

// A failure of the transfer is the error of the article, after the text that has arrived. So is a
// failure of the terminal.
func TestArticleFails(t *testing.T) {
	text, err := articleText(80, io.MultiReader(strings.NewReader("Subject: s\n\none\ntwo"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if text != "Subject: s\n\none\ntwo\n" || err != io.ErrUnexpectedEOF {
		t.Errorf("%q, %v", text, err)
	}
	if err := newArticle(full{}, 80, term.Palette{}, strings.NewReader("Subject: s\n\none\n")).write(); !errors.Is(err, errFull) {
		t.Errorf("%v, want %v", err, errFull)
	}
}

// An article of 100 MB is not held in memory, neither its text nor its files.
func TestArticleTakesNoMemory(t *testing.T) {
	const size = 100 << 20
	for name, head := range map[string]string{
		"text":   "Subject: s\n\n",
		"a line": "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n",
		"a file": "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n",
	} {
		line := strings.Repeat("x", 75) + "\n"
		if name == "a line" {
			line = strings.Repeat("x", 4000)
		}
		var before, after runtime.MemStats
		body := io.MultiReader(strings.NewReader(head), io.LimitReader(&repeated{text: line}, size))
		a := newArticle(io.Discard, 80, term.Palette{}, body)
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := a.write(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if used := int64(after.HeapSys) - int64(before.HeapSys); used > 16<<20 {
			t.Errorf("%s: the heap has grown by %d bytes", name, used)
		}
	}
}

// repeated is a text without end.
type repeated struct {
	text string
	rest string
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.rest == "" {
			r.rest = r.text
		}
		m := copy(p[n:], r.rest)
		r.rest, n = r.rest[m:], n+m
	}
	return n, nil
}

// A pipe gets a message as it was sent.
func TestArticleInPipe(t *testing.T) {
	const message = "Path: x\nSubject: =?utf-8?q?=C3=A9?=\n\n\x1b\n"
	res := document(parseURL(t, "news:a@b"), message)
	res.MediaType = "message/rfc822"
	s := newScreen(new(option.Options))
	if err := Show(s.Streams, option.Output{}, res, false); err != nil || s.out.String() != message {
		t.Errorf("%q, %v", &s.out, err)
	}
}

// A draft and a range of a message are no articles.
func TestIsArticle(t *testing.T) {
	for _, c := range []struct {
		url, mediaType string
		part           fetchers.Range
		want           bool
	}{
		{"news:a@b", "message/rfc822", fetchers.Range{}, true},
		{"file:///a.eml", "message/rfc822", fetchers.Range{}, true},
		{"news:a@b", "message/rfc822", fetchers.Range{Offset: 3, Length: 4}, false},
		{"mailto:a@b.example", "message/rfc822", fetchers.Range{}, false},
		{"http://h.example/", "text/plain", fetchers.Range{}, false},
	} {
		res := &fetchers.Resource{URL: parseURL(t, c.url), MediaType: c.mediaType, Range: c.part}
		if got := isArticle(res); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// For any message, a terminal gets no control characters and no deceptive ones of it, and not much
// more than was sent.
func FuzzArticle(f *testing.F) {
	for _, pattern := range []string{"../../../testdata/news/test.misc/*", "../../../testdata/news/test.binaries/*"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text[:min(len(text), 4000)])
		}
	}
	f.Add([]byte("Subject: =?utf-16?q?=00=1B?=\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=\"\x9b\"; name=\"\x1b\"\n\n\x1b[2J\x9b\r\n--b\nContent-Type: multipart/mixed\n\n--c\n\n--b--"))
	f.Add([]byte("Content-Type: text/plain; charset=iso-2022-jp\nContent-Transfer-Encoding: quoted-printable\n\n=1B$B$3=1B(B\n=1B[2J\n"))
	f.Fuzz(func(t *testing.T, message []byte) {
		shown, err := articleText(80, bytes.NewReader(message))
		if err != nil {
			t.Fatalf("%q: %v", message, err)
		}
		if len(shown) > 20*len(message)+200 {
			t.Fatalf("%d octets became %d", len(message), len(shown))
		}
		rest := strings.NewReplacer("\r\n", "", "\n", "", "\t", "").Replace(shown)
		for i := 0; i < len(rest); { // octets that are no UTF-8 may remain
			r, size := utf8.DecodeRuneInString(rest[i:])
			if part := rest[i : i+size]; r != utf8.RuneError && term.Visible("❤"+part) != "❤"+part || r == utf8.RuneError && size == 1 && rest[i] < 0xA0 {
				t.Fatalf("%q is shown as %q", message, shown)
			}
			i += size
		}
	})
}

// An article of many small parts takes no more memory for each than a small one.
func TestArticleOfManyParts(t *testing.T) {
	const parts = 1000
	text := "Content-Type: multipart/mixed; boundary=x\r\n\r\n" + strings.Repeat("--x\r\n\r\na\r\n", parts) + "--x--\r\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := newArticle(io.Discard, 80, term.Palette{}, strings.NewReader(text)).write(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > parts*16<<10 {
		t.Errorf("%d parts took %d octets", parts, taken)
	}
}
