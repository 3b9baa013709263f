package message_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/message"
)

func TestParseHeader(t *testing.T) {
	got := message.ParseHeader([]byte("Subject: one\r\n\ttwo\r\n  three\r\nno field\r\nreceived: a\nReceived: b\r\n: none\r\nBad Name: x\r\n folded too\r\nX-Empty:\r\nLast: yes\r\n\r\nBody: no\r\n"))
	want := "map[Last:[yes] Received:[a b] Subject:[one two three] X-Empty:[]]"
	if s := fmt.Sprint(got); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

// files returns one line for each file of a message.
func files(r io.Reader) (list []string, err error) {
	in := message.NewFileReader(r)
	for {
		f, err := in.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		body, err := io.ReadAll(f.Body)
		line := fmt.Sprintf("%s %q", f.MediaType, f.Name)
		if f.Piece != nil {
			line += fmt.Sprintf(" %+v", *f.Piece)
		}
		if len(body) < 60 {
			line += fmt.Sprintf(" %q", bytes.ReplaceAll(body, []byte("\r"), nil))
		} else {
			line += fmt.Sprintf(" %d", len(body))
		}
		list = append(list, line)
		if err != nil {
			return list, err
		}
	}
}

// TestFiles reads the articles from the tests of news.
func TestFiles(t *testing.T) {
	for name, want := range map[string][]string{
		"test.misc/1":     {`text/plain "" "Just one line.\nAnd another.\n"`},
		"test.misc/3":     {`text/plain "" "caf\xe9 cr\xe8me \xa3\n"`},
		"test.misc/5":     {`text/plain "" "café = soft line\nend \n"`},
		"test.misc/6":     {`text/html "" "<img src=\"cid:image@example.test\">"`, `image/png "dot.png" 700`},
		"test.misc/7":     {`text/plain "" "See the files."`, `application/octet-stream "../../.bashrc" "evil\n"`, `text/plain "" "plain"`, `text/html "" "<b>html</b>"`, `application/octet-stream "report.bin" 1000`},
		"test.misc/8":     {`text/plain "" "Here it comes:\n"`, `application/octet-stream "blob.dat" 2000`, `text/plain "" "That was it.\n"`},
		"test.misc/12":    nil,
		"test.binaries/2": {`application/octet-stream "blob.bin" {Number:1 Total:3 Offset:0 Length:12000 Size:30000} 12000`},
		"test.binaries/4": {`application/octet-stream "blob.bin" {Number:3 Total:3 Offset:24000 Length:6000 Size:30000} 6000`},
		"test.binaries/5": {`text/plain "" "Some words.\n"`, `application/octet-stream "small.bin" 5000`},
	} {
		for _, way := range []func(io.Reader) io.Reader{iotest.DataErrReader, iotest.OneByteReader, crlf} {
			text, err := os.Open("../testdata/news/" + name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := files(way(text))
			text.Close()
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q, %v; want %q", name, got, err, want)
			}
		}
	}
}

// The same file is in all of them, as yEnc, uuencode and base64.
func TestBlob(t *testing.T) {
	read := func(name string, nth int) []byte {
		text, err := os.Open("../testdata/news/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer text.Close()
		in := message.NewFileReader(text)
		for {
			f, err := in.Next()
			if err != nil {
				t.Fatal(err)
			}
			if nth--; nth < 0 {
				body, err := io.ReadAll(f.Body)
				if err != nil {
					t.Fatal(err)
				}
				return body
			}
		}
	}
	blob := slices.Concat(read("test.binaries/2", 0), read("test.binaries/3", 0), read("test.binaries/4", 0))
	for _, c := range []struct {
		name string
		nth  int
	}{{"test.binaries/5", 1}, {"test.misc/8", 1}, {"test.misc/6", 1}, {"test.misc/7", 4}} {
		if part := read(c.name, c.nth); len(part) < 700 || !bytes.HasPrefix(blob, part) {
			t.Errorf("%s: %d bytes that are not of the blob", c.name, len(part))
		}
	}
}

// crlf converts line ends to CR LF, as on the wire.
func crlf(r io.Reader) io.Reader {
	text, err := io.ReadAll(r)
	if err != nil {
		return iotest.ErrReader(err)
	}
	return bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))
}

func TestBroken(t *testing.T) {
	broken, err := os.ReadFile("../testdata/news/test.binaries/6")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile("../testdata/news/test.binaries/5")
	if err != nil {
		t.Fatal(err)
	}
	deep := "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\nContent-Type: multipart/mixed; boundary=b\n\n", 30)
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"a wrong checksum", string(broken), message.ErrChecksum},
		{"yEnc without its end", string(whole[:len(whole)-40]), io.ErrUnexpectedEOF},
		{"yEnc that lacks a line, without a checksum", "\n=ybegin line=128 size=9 name=x\nabc\n=yend size=9\n", io.ErrUnexpectedEOF},
		{"yEnc that says two sizes", "\n=ybegin line=128 size=3 name=x\nabc\n=yend size=2\n", message.ErrMalformed},
		{"yEnc with too much", "\n=ybegin line=128 size=2 name=x\nabc\n=yend size=2\n", message.ErrMalformed},
		{"a part without =ypart", "\n=ybegin part=1 line=128 size=3 name=x\nabc\n=yend size=3\n", message.ErrMalformed},
		{"a part beyond the end", "\n=ybegin part=2 line=128 size=3 name=x\n=ypart begin=3 end=9\nabc\n=yend size=7\n", message.ErrMalformed},
		{"a part that ends before it begins", "\n=ybegin part=2 line=128 size=3 name=x\n=ypart begin=3 end=1\nabc\n=yend size=0\n", message.ErrMalformed},
		{"uuencode without its end", "\nbegin 644 x\n#0V%T\n", io.ErrUnexpectedEOF},
		{"uuencode with something else in it", "\nbegin 644 x\n#0V%T\nhello, world\n`\nend\n", message.ErrMalformed},
		{"a multipart without its end", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n", io.ErrUnexpectedEOF},
		{"base64 that is none", "Content-Transfer-Encoding: base64\n\nAAA=AAA=x\n", message.ErrMalformed},
		{"quoted-printable that is none", "Content-Transfer-Encoding: quoted-printable\n\n\x01\n", message.ErrMalformed},
		{"a header bomb", strings.Repeat("X: "+strings.Repeat("x", 1000)+"\n", 1100), message.ErrMalformed},
		{"a header of one long line", "X: " + strings.Repeat("x", 1<<21), message.ErrMalformed},
		{"parts in parts in parts", deep, message.ErrMalformed},
	} {
		if got, err := files(strings.NewReader(c.text)); !errors.Is(err, c.want) {
			t.Errorf("%s: %.100q, %v; want %v", c.name, got, err, c.want)
		}
	}
	cut := io.MultiReader(bytes.NewReader(whole[:300]), iotest.ErrReader(io.ErrClosedPipe))
	if _, err := files(cut); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// A line that resembles the beginning of a file but is not one is text.
func TestText(t *testing.T) {
	for _, text := range []string{
		"begin 644 things at once\nand end none\n", "begin 100 years\n\nago\n", "=ybegin the beginning\n", "=ybegin line=128 name=x\n", "begin\nend\n",
		"begin 644 x", "=ybegin size=1 name=x", strings.Repeat("a long line ", 20_000) + "\nbegin\n",
	} {
		in := message.NewFileReader(strings.NewReader("\n" + text))
		f, err := in.Next()
		if err != nil {
			t.Errorf("%.60q: %v", text, err)
			continue
		}
		if got, err := io.ReadAll(f.Body); string(got) != text || f.MediaType != "text/plain" || err != nil {
			t.Errorf("%.60q became %.60q, %v", text, got, err)
		}
		if f, err := in.Next(); err != io.EOF {
			t.Errorf("%.60q: then %+v, %v", text, f, err)
		}
	}
}

func TestNames(t *testing.T) {
	for header, want := range map[string]string{
		"Content-Disposition: attachment; filename=\"a b.txt\"":                     "a b.txt",
		"Content-Disposition: attachment; filename*=UTF-8''caf%C3%A9.txt":           "café.txt",
		"Content-Type: image/png; name=\"=?utf-8?q?caf=C3=A9?=.png\"":               "café.png",
		"Content-Type: image/png; name=a.png\nContent-Disposition: inline":          "a.png",
		"Content-Type: image/png; name=a.png\nContent-Disposition: x; filename=b.c": "b.c",
		"Content-Type: what is this; name":                                          "",
	} {
		p, err := message.NewReader(strings.NewReader(header + "\nContent-Id:  <x@y> \n\nbody")).Next()
		if err != nil || p.Name != want || p.ContentID != "x@y" {
			t.Errorf("%q: %+v, %v; want %q", header, p, err, want)
		}
	}
}

// encode is a yEnc encoder.
func encode(content []byte, width int) []byte {
	out := fmt.Appendf(nil, "\r\n=ybegin line=%d size=%d name=x\r\n", width, len(content))
	for line := range slices.Chunk(content, width) {
		for _, c := range line {
			if c += 42; c == 0 || c == '\n' || c == '\r' || c == '=' {
				out = append(out, '=', c+64)
			} else {
				out = append(out, c)
			}
		}
		out = append(out, "\r\n"...)
	}
	return fmt.Appendf(out, "=yend size=%d crc32=%08x\r\n", len(content), crc32.ChecksumIEEE(content))
}

// Encoded content is decoded unchanged, and malformed content ends in an error.
func FuzzFiles(f *testing.F) {
	f.Add([]byte("hello, world"), 128, 20)
	f.Add([]byte("begin 644 x\n#0V%T\n`\nend\n"), 7, 3)
	f.Add([]byte("Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n"), 1, 0)
	f.Fuzz(func(t *testing.T, content []byte, width, cut int) {
		packed := encode(content, min(max(width, 1), 1000))
		check := func(text []byte) {
			in := message.NewFileReader(bytes.NewReader(text))
			file, err := in.Next()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(file.Body); !bytes.Equal(got, content) || err != nil {
				t.Fatalf("%q became %q, %v", content, got, err)
			}
		}
		check(packed)
		check(append([]byte("Content-Transfer-Encoding: base64\r\n\r\n"), base64.StdEncoding.EncodeToString(content)...))
		cut = min(max(cut, 2), len(packed)-2)
		if list, err := files(bytes.NewReader(packed[:cut])); err == nil && len(list) > 0 && !strings.HasPrefix(list[0], "text/plain") {
			t.Fatalf("cut at %d of %d: %q", cut, len(packed), list)
		}
		files(bytes.NewReader(content))
	})
}

// TestLongFolds checks that a header with half a million folded lines is parsed quickly.
func TestLongFolds(t *testing.T) {
	folds := bytes.Repeat([]byte(" \n"), 1<<19)
	h := message.ParseHeader(append(append([]byte("Subject: a\r\n"), folds...), " b\r\n"...))
	if words := strings.Fields(h.Get("Subject")); !slices.Equal(words, []string{"a", "b"}) {
		t.Errorf("%q", words)
	}
}

// TestSourceFails checks that the error of a source is returned wherever it occurs in a message.
func TestSourceFails(t *testing.T) {
	stalled := errors.New("stalled")
	for _, want := range []error{context.DeadlineExceeded, stalled} {
		for _, text := range []string{
			"Content-Type: multipart/mixed; boundary=b\r\n\r\npreamble\r\n",
			"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n",
			"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: te",
			"Content-Type: text/plain\r\n\r\nx\r\n",
		} {
			in := message.NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(want)))
			var err error
			for err == nil {
				_, err = in.Next()
			}
			if !errors.Is(err, want) || errors.Is(err, message.ErrMalformed) {
				t.Errorf("%q: %v, want %v", text, err, want)
			}
		}
	}
}

// A message with many small parts takes no more memory per part than a small one.
func TestManyParts(t *testing.T) {
	const parts = 1000
	for _, header := range []string{"", "Content-Transfer-Encoding: quoted-printable\r\n"} {
		text := "Content-Type: multipart/mixed; boundary=x\r\n\r\n" + strings.Repeat("--x\r\n"+header+"\r\na\r\n", parts) + "--x--\r\n"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in := message.NewFileReader(strings.NewReader(text))
		n := 0
		for f, err := in.Next(); err != io.EOF; f, err = in.Next() {
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(f.Body); strings.TrimSpace(string(body)) != "a" || err != nil {
				t.Fatalf("%q, %v", body, err)
			}
			n++
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; n != parts || taken > parts*16<<10 {
			t.Errorf("%d parts took %d bytes", n, taken)
		}
	}
}
