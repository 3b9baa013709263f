package download

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// A hole is a sparse file: a read of its gaps fails the test.
type hole struct {
	io.ReaderAt
	t    *testing.T
	from int64
}

func (h hole) ReadAt(p []byte, off int64) (int, error) {
	if off >= h.from {
		h.t.Errorf("it reads what is not there, at %d", off)
	}
	return h.ReaderAt.ReadAt(p, off)
}

// TestPiecesOfSparseFile checks that only the existing pieces of a sparse file are hashed, and none
// after the end of the context.
func TestPiecesOfSparseFile(t *testing.T) {
	const a = "0cc175b9c0f1b6a831c399e269772661" // MD5 of "a"
	p := &Pieces{algorithm: "md5", length: 1}
	for range 4 {
		p = p.add("", a)
	}
	file := hole{strings.NewReader("aaaa"), t, 2}
	right, err := p.right(t.Context(), file, 4, []span{{0, 2}})
	if err != nil || !slices.Equal(right, []span{{0, 2}}) {
		t.Errorf("%v, %v", right, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.right(gone, hole{file, t, 0}, 4, []span{{0, 4}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := p.right(t.Context(), file, 5, nil); !errors.Is(err, ErrChecksum) {
		t.Error(err)
	}
}

// TestPiecesOfAnyLength checks a piece of the maximum length.
func TestPiecesOfAnyLength(t *testing.T) {
	none := &Pieces{algorithm: "md5", length: math.MaxInt64}
	if _, err := none.right(t.Context(), strings.NewReader("aa"), 2, nil); !errors.Is(err, ErrChecksum) {
		t.Errorf("of no piece: %v", err)
	}
	one := none.add("", "4124bc0a9335c27f086f24ba207a4912")
	right, err := one.right(t.Context(), strings.NewReader("aa"), 2, []span{{0, 2}})
	if err != nil || !slices.Equal(right, []span{{0, 2}}) {
		t.Errorf("of one: %v, %v", right, err)
	}
}
