package fetchers_test

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"testing"
)

const smallCopy, largeCopy = 16 << 10, 1 << 20

// TestCopyBuffers: the buffer is large while much comes at once, and small for who
// waits.
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

// TestCopyMany: of many who wait after much has come, only a few have a large buffer.
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
