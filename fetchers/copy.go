package fetchers

import (
	"io"
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// A large copy costs less than many small ones: a system call per 32 KiB is measurable. But a Body
// that waits for its server does not need a large buffer, and a program may have thousands of them.
// Therefore a Body gets a large buffer only while much data arrives, and the number of large
// buffers is a small multiple of the number of processors.
const (
	smallCopy = 16 << 10
	largeCopy = 1 << 20
)

var (
	smallBuffers = sync.Pool{New: func() any { return new([smallCopy]byte) }}
	largeBuffers = sync.Pool{New: func() any { return new([largeCopy]byte) }}
	largeInUse   atomic.Int64
)

// takeLarge returns a large buffer, or nil if too many are in use. The caller returns it with
// giveLarge.
func takeLarge() *[largeCopy]byte {
	if largeInUse.Add(1) > int64(4*runtime.GOMAXPROCS(0)) {
		largeInUse.Add(-1)
		return nil
	}
	return largeBuffers.Get().(*[largeCopy]byte)
}

func giveLarge(buf *[largeCopy]byte) {
	if buf != nil {
		largeBuffers.Put(buf)
		largeInUse.Add(-1)
	}
}

// A Lender is the source of a Body whose bytes the system can move, so that they are not copied to
// the memory of this process. Lend passes to use the next bytes, up to most, as a file or pipe; use
// returns how many it moved, and Lend returns this number. It is 0 if moving is not possible, not
// possible now, or has failed; a Read then shows which.
type Lender interface {
	Lend(most int64, use func(from *os.File, n int64) int64) int64
}

// A Taker is a writer to which the system can move bytes; the WriteTo of [Resource.Body] uses it.
// Take moves up to n bytes from a file or a pipe, and returns how many were moved; 0 if it cannot.
//
// Bytes that a Taker leaves are in memory until they are written. One that may leave many has a method
// MaxTake() int64: it returns the maximum number of bytes for one Take.
type Taker interface {
	Take(from *os.File, n int64) int64
}

var _, _ Lender = (*resumer)(nil), (*unresumed)(nil)

// lend moves bytes from the source to w for as long as possible.
func (b *body) lend(w io.Writer) (taken int64) {
	l, lends := b.src.(Lender)
	t, takes := w.(Taker)
	most := int64(math.MaxInt64)
	if m, ok := w.(interface{ MaxTake() int64 }); ok {
		most = m.MaxTake()
	}
	for lends && takes && !b.closed.Load() {
		n := l.Lend(most, t.Take)
		if n == 0 {
			break
		}
		b.res.received.Add(n)
		taken += n
	}
	return taken
}

// WriteTo writes the rest of the Body to w. While much data arrives, the system moves it if the
// source is a Lender and w a Taker.
func (b *body) WriteTo(w io.Writer) (written int64, err error) {
	small := smallBuffers.Get().(*[smallCopy]byte)
	defer smallBuffers.Put(small)
	var large *[largeCopy]byte
	defer func() { giveLarge(large) }()
	for buf := small[:]; ; {
		n, err := b.Read(buf)
		if n > 0 {
			m, werr := w.Write(buf[:n])
			written += int64(m)
			if werr == nil && m < n {
				werr = io.ErrShortWrite
			}
			if werr != nil {
				return written, werr
			}
		}
		switch {
		case err == io.EOF:
			return written, nil
		case err != nil:
			return written, err
		case n < smallCopy:
			giveLarge(large)
			large, buf = nil, small[:]
			continue
		}
		if taken := b.lend(w); taken > 0 {
			written += taken
		} else if large == nil {
			if large = takeLarge(); large != nil {
				buf = large[:]
			}
		}
	}
}
