package fetchers_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const smallCopy, largeCopy = 16 << 10, 1 << 20

// TestCopyBuffers: the buffer is large while much data arrives, and small while the Body waits.
func TestCopyBuffers(t *testing.T) {
	var offered []int
	come := []int{100, smallCopy, largeCopy, 300 << 10, smallCopy, 5000, 0, smallCopy, 1}
	var want, got bytes.Buffer
	res, _ := body(t, readerFunc(func(p []byte) (int, error) {
		offered = append(offered, len(p))
		if len(come) == 0 {
			return 0, io.EOF
		}
		n := come[0]
		come = come[1:]
		for i := range p[:n] {
			p[i] = byte(want.Len() + i)
		}
		want.Write(p[:n])
		return n, nil
	}))
	if n, err := io.Copy(&got, res.Body); n != int64(want.Len()) || err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%d of %d bytes were copied: %v", n, want.Len(), err)
	}
	sizes := []int{smallCopy, smallCopy, largeCopy, largeCopy, largeCopy, largeCopy, smallCopy, smallCopy, largeCopy, smallCopy}
	if !slices.Equal(offered, sizes) {
		t.Errorf("the buffers had %v bytes, want %v", offered, sizes)
	}
}

// TestCopyMany: if many Bodies wait after much data has arrived, only a few keep a large buffer.
func TestCopyMany(t *testing.T) {
	const many = 100
	waiting := make(chan int, many)
	end := make(chan struct{})
	ended := make(chan error, many)
	for range many {
		first := true
		res, _ := body(t, readerFunc(func(p []byte) (int, error) {
			if first {
				first = false
				return len(p), nil
			}
			waiting <- len(p)
			<-end
			return 0, io.EOF
		}))
		go func() {
			_, err := io.Copy(io.Discard, res.Body)
			ended <- err
		}()
	}
	large := 0
	for range many {
		if <-waiting == largeCopy {
			large++
		}
	}
	if most := 4 * runtime.GOMAXPROCS(0); large != min(most, many) {
		t.Errorf("%d of %d have a large buffer, want %d", large, many, most)
	}
	close(end)
	for range many {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A lender is a source whose content can be read, or lent from a file.
type lender struct {
	content []byte
	file    *os.File
	lends   []int64 // bytes per Lend; then 0
	failed  error   // error after the lent bytes
	at      int
	log     []string
}

func (l *lender) Read(p []byte) (int, error) {
	n := copy(p, l.content[l.at:])
	l.at += n
	l.log = append(l.log, fmt.Sprintf("read %d", n))
	if len(l.lends) == 0 && l.failed != nil {
		return n, l.failed
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (l *lender) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if len(l.lends) == 0 {
		l.log = append(l.log, "nothing to lend")
		return 0
	}
	n := min(most, l.lends[0])
	l.lends = l.lends[1:]
	l.file.Seek(int64(l.at), io.SeekStart)
	taken := use(l.file, n)
	l.at += int(taken)
	l.log = append(l.log, fmt.Sprintf("lent %d of %d", taken, n))
	return taken
}

func (l *lender) Close() error { return nil }

// A taker is a Taker of up to most bytes at once.
type taker struct {
	bytes.Buffer
	most int64
}

func (w *taker) Take(from *os.File, n int64) int64 {
	n, _ = io.CopyN(w, from, min(n, w.most))
	return n
}

// A limitedTaker is a Taker of a few bytes at a time.
type limitedTaker struct{ taker }

func (*limitedTaker) MaxTake() int64 { return 1000 }

// TestCopyLentAtOnce: a Taker limits the bytes that are lent at a time.
func TestCopyLentAtOnce(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "content"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	src := &lender{content: make([]byte, 20_000), file: file, lends: []int64{2000, 2000}}
	file.Write(src.content)
	res := &fetchers.Resource{URL: parse(t, "http://h.example/x"), Kind: fetchers.Document}
	res.SetBody(src)
	if n, err := io.Copy(&limitedTaker{taker{most: math.MaxInt64}}, res.Body); n != 20_000 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if log := strings.Join(src.log[:3], ", "); log != "read 16384, lent 1000 of 1000, lent 1000 of 1000" {
		t.Error(log)
	}
}

// TestCopyLent: while much data arrives, the system moves it, as long as the source lends.
func TestCopyLent(t *testing.T) {
	content := make([]byte, 3<<20+5)
	rand.NewChaCha8([32]byte{}).Read(content)
	file, err := os.Create(filepath.Join(t.TempDir(), "content"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(content); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	const much = math.MaxInt64
	for _, c := range []struct {
		name   string
		length int
		lends  []int64
		most   int64
		failed error
		log    string
	}{
		{"little", 100, []int64{much}, much, nil, "read 100, read 0"},
		{"much", len(content), []int64{1 << 20, 1, 2 << 20}, much, nil, "read 16384, lent 1048576 of 1048576, lent 1 of 1, lent 2080772 of 2097152, nothing to lend, read 0"},
		{"no more", 2 << 20, []int64{1 << 20}, much, nil, "read 16384, lent 1048576 of 1048576, nothing to lend, read 16384, nothing to lend, read 1015808, nothing to lend, read 0"},
		{"in part", 1 << 20, []int64{100, 100}, 10, nil, "read 16384, lent 10 of 100, lent 10 of 100, nothing to lend, read 16384, nothing to lend, read 1015788, nothing to lend, read 0"},
		{"not taken", 1 << 20, []int64{100}, 0, nil, "read 16384, lent 0 of 100, read 1032192, nothing to lend, read 0"},
		{"failed", 1 << 20, []int64{100}, much, broken, "read 16384, lent 100 of 100, nothing to lend, read 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := &lender{content: content[:c.length], file: file, lends: c.lends}
			if c.failed != nil {
				src.failed = c.failed
				src.content = content[:16384+100]
			}
			res := &fetchers.Resource{URL: parse(t, "http://h.example/x"), Kind: fetchers.Document}
			res.SetBody(src)
			got := &taker{most: c.most}
			n, err := io.Copy(got, res.Body)
			if !errors.Is(err, c.failed) || n != int64(len(src.content)) || res.Received() != n || !bytes.Equal(got.Bytes(), src.content) {
				t.Errorf("%d of %d bytes were copied, Received = %d: %v", n, len(src.content), res.Received(), err)
			}
			if log := strings.Join(src.log, ", "); log != c.log {
				t.Errorf("it went %s\nwant    %s", log, c.log)
			}
		})
	}
}
