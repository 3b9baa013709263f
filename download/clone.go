package download

import (
	"io"
	"os"
)

// A lender is a Body that may be a file of this machine, which use then reads from up
// to most octets, and returns how many that were.
type lender interface {
	Lend(use func(file *os.File, most int64) int64) int64
}

// local reports whether body is such a file.
func local(body io.Reader) (is bool) {
	if l, ok := body.(lender); ok {
		l.Lend(func(*os.File, int64) int64 {
			is = true
			return 0
		})
	}
	return is
}

// oneClone is how much is copied at once, so that it can be told how far it is.
const oneClone = 16 << 20

// clone has the system copy some of a segment, if it is in a file of this machine and
// nobody wants to see it. It reports whether it did.
func (s *segments) clone(seg *segment, body io.Reader) bool {
	l, ok := body.(lender)
	if !ok || len(s.hashes) > 0 {
		return false
	}
	left, _ := s.left(seg)
	n := l.Lend(func(file *os.File, most int64) int64 {
		return copyRange(s.part.File, seg.from, file, min(left, most, oneClone))
	})
	s.wrote(seg, int(n), false)
	return n > 0
}
