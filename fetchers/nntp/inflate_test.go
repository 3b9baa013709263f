package nntp

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// partial is the output of zlib for "hello hello hello\n" and then "and more\n", each ended by
// Z_PARTIAL_FLUSH, as INN ends its answers.
var partial = []string{"\xca\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x01", "\x94\x98\x97\xa2\x90\x9b\x5f\x94\xca\x05\x10"}

// Flushed data is returned before Read waits for more.
func TestInflateDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	f := newInflater(bufio.NewReader(r))
	for i, want := range []string{"hello hello hello\n", "and more\n"} {
		go w.Write([]byte(partial[i]))
		got := make([]byte, len(want))
		if _, err := io.ReadFull(f, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	}
	w.Close()
	if _, err := f.Read(make([]byte, 1)); err != io.ErrUnexpectedEOF {
		t.Errorf("at the end of the connection: %v", err)
	}
}

// deflated compresses content at a level, with a flush after every few bytes.
func deflated(content []byte, level, every int) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, level)
	for len(content) > 0 {
		n := min(len(content), max(every, 1))
		w.Write(content[:n])
		w.Flush()
		content = content[n:]
	}
	w.Close()
	return b.Bytes()
}

func TestInflate(t *testing.T) {
	for _, content := range [][]byte{nil, []byte("x"), []byte(strings.Repeat("overview\t", 8_000)), bytes.Repeat([]byte{0, 1, 2, 250}, 20_000), []byte(strings.Repeat("a", 70_000))} {
		for _, level := range []int{flate.NoCompression, flate.BestSpeed, flate.BestCompression, flate.HuffmanOnly} {
			packed := deflated(content, level, 70_000)
			for _, way := range []func(io.Reader) io.Reader{iotest.DataErrReader, iotest.OneByteReader, iotest.HalfReader} {
				got, err := io.ReadAll(newInflater(bufio.NewReader(way(bytes.NewReader(packed)))))
				if err != nil || !bytes.Equal(got, content) {
					t.Errorf("level %d: %d bytes of %d, %v", level, len(got), len(content), err)
				}
			}
		}
	}
}

// An answer that expands beyond the ratio is refused; each answer is counted separately.
func TestInflateBomb(t *testing.T) {
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestCompression)
	zeros := make([]byte, 1<<20)
	for range 64 {
		w.Write(zeros)
	}
	w.Flush()
	f := newInflater(bufio.NewReader(&packed))
	for range 4 { // below the limit
		if _, err := io.CopyN(io.Discard, f, 15<<20); err != nil {
			t.Fatal(err)
		}
		f.renew()
	}
	f = newInflater(bufio.NewReader(bytes.NewReader(deflated(make([]byte, 64<<20), flate.BestCompression, 64<<20))))
	n, err := io.Copy(io.Discard, f)
	if !errors.Is(err, fetchers.ErrCoding) || n > 17<<20 {
		t.Errorf("%d octets, %v", n, err)
	}
}

// Compressed data decodes to the original; truncated or corrupt data is an error, and is never read
// beyond its end.
func FuzzInflate(f *testing.F) {
	f.Add([]byte("hello hello hello"), 9, 3, 0)
	f.Add([]byte(partial[0]), 1, 100, 5)
	f.Fuzz(func(t *testing.T, content []byte, level, every, cut int) {
		packed := deflated(content, min(max(level, -2), 9), every)
		got, err := io.ReadAll(newInflater(bufio.NewReader(bytes.NewReader(packed))))
		if err != nil || !bytes.Equal(got, content) {
			t.Fatalf("%q became %q, %v", content, got, err)
		}
		cut = min(max(cut, 0), len(packed)-1)
		got, err = io.ReadAll(newInflater(bufio.NewReader(bytes.NewReader(packed[:cut]))))
		if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(content, got) {
			t.Fatalf("cut at %d: %q, %v", cut, got, err)
		}
		strange := newInflater(bufio.NewReader(bytes.NewReader(content)))
		if _, err := io.Copy(io.Discard, strange); err != nil && err != io.ErrUnexpectedEOF && !errors.Is(err, fetchers.ErrProtocol) {
			t.Fatal(err)
		}
	})
}
