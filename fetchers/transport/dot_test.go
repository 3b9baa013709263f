package transport_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

var long = strings.Repeat("x", 5000)

func TestDotReader(t *testing.T) {
	for _, c := range []struct{ name, sent, want string }{
		{"lines", "one\r\ntwo\r\n.\r\n", "one\r\ntwo\r\n"},
		{"nothing", ".\r\n", ""},
		{"an empty line", "\r\n.\r\n", "\r\n"},
		{"a dot that was doubled", "..\r\n...\r\n..a\r\n.\r\n", ".\r\n..\r\n.a\r\n"},
		{"a dot that was not", ".a\r\n.\r\n", "a\r\n"},
		{"a dot inside of a line", "a.\r\n .\r\n.\r\n", "a.\r\n .\r\n"},
		{"an LF alone ends no line", "a\n.\nb\n.\r\nc\r\n.\r\n", "a\n.\nb\n.\r\nc\r\n"},
		{"a dot and an LF alone are not the end", ".\n\r\n.\r\n", "\n\r\n"},
		{"a CR alone ends no line", "a\r.\r\n.\r\n", "a\r.\r\n"},
		{"a long line", long + "\r\n..\r\n.\r\n", long + "\r\n.\r\n"},
		{"a long line with dots", "." + long + "\r\n.\r\n", long + "\r\n"},
		{"a line end at the end of the buffer", long[:14] + "\r\n.\r\n", long[:14] + "\r\n"},
		{"a line end across the end of the buffer", long[:15] + "\r\n.\r\n", long[:15] + "\r\n"},
	} {
		for _, way := range []func(io.Reader) io.Reader{iotest.DataErrReader, iotest.OneByteReader, iotest.HalfReader} {
			in := bufio.NewReaderSize(way(strings.NewReader(c.sent+"211 the next reply\r\n")), 16)
			d := transport.NewDotReader(in)
			got, err := io.ReadAll(iotest.HalfReader(d))
			if string(got) != c.want || err != nil {
				t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
			}
			if line, err := transport.ReadLine(in, 100); line != "211 the next reply" || err != nil {
				t.Errorf("%s: the next line is %q, %v", c.name, line, err)
			}
			if n, err := d.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("%s: after the end: %d, %v", c.name, n, err)
			}
		}
	}
}

func TestDotReaderEmpty(t *testing.T) {
	for sent, want := range map[string]bool{".\r\n": true, "a\r\n.\r\n": false, "..\r\n.\r\n": false, "": false, ".": false} {
		d := transport.NewDotReader(bufio.NewReader(strings.NewReader(sent)))
		if got := d.Empty(); got != want {
			t.Errorf("%q: Empty is %v", sent, got)
		}
	}
}

// A block that is truncated at any byte does not end in io.EOF, and the bytes before are returned.
func TestDotReaderCut(t *testing.T) {
	const sent = "one\r\n..two\r\n.\r\n"
	for n := range len(sent) {
		d := transport.NewDotReader(bufio.NewReader(strings.NewReader(sent[:n])))
		got, err := io.ReadAll(d)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix("one\r\n.two\r\n", string(got)) {
			t.Errorf("cut at %d: %q, %v", n, got, err)
		}
	}
}

// TestDotReaderReturnsBufferedData: bytes of a slow line are returned before the line is complete.
func TestDotReaderReturnsBufferedData(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	d := transport.NewDotReader(bufio.NewReader(near))
	for _, c := range []struct{ sent, want string }{{"a", "a"}, {"bc\r", "bc\r"}, {"\n", "\n"}, {"..d\r\n.", ".d\r\n"}, {".e", ".e"}} {
		go io.WriteString(far, c.sent)
		got := make([]byte, 100)
		n, err := d.Read(got)
		if string(got[:n]) != c.want || err != nil {
			t.Errorf("of %q came %q, %v, want %q", c.sent, got[:n], err, c.want)
		}
	}
}

// A block that was dot-stuffed by RFC 3977 is restored.
func FuzzDotReader(f *testing.F) {
	f.Add([]byte("a\r\n.b\r\n..\r\n"), 3)
	f.Add([]byte(".\n.\r.\r\n.\r\n"), 16)
	f.Fuzz(func(t *testing.T, content []byte, size int) {
		content = append(content, '\r', '\n')
		stuffed := bytes.ReplaceAll(append([]byte("\r\n"), content...), []byte("\r\n."), []byte("\r\n.."))[2:]
		in := bufio.NewReaderSize(bytes.NewReader(append(stuffed, ".\r\n"...)), min(max(size, 16), 1000))
		got, err := io.ReadAll(transport.NewDotReader(in))
		if !bytes.Equal(got, content) || err != nil || in.Buffered() > 0 {
			t.Errorf("%q became %q, %v", content, got, err)
		}
	})
}

func TestReadLine(t *testing.T) {
	in := bufio.NewReader(strings.NewReader("200 ready\r\n200 bare\n\r\n" + long + "\r\n"))
	for _, want := range []string{"200 ready", "200 bare", ""} {
		if line, err := transport.ReadLine(in, 10); line != want || err != nil {
			t.Errorf("%q, %v; want %q", line, err, want)
		}
	}
	if _, err := transport.ReadLine(in, 10); !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("a long line: %v, want ErrProtocol", err)
	}
	for _, cut := range []string{"", "2", "200 ready", "200 ready\r"} {
		if _, err := transport.ReadLine(bufio.NewReader(strings.NewReader(cut)), 10); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %v, want ErrUnexpectedEOF", cut, err)
		}
	}
}
