package fetchers

import (
	"io"
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// One large copy costs less than many small ones, and a system call for every 32 KiB
// can be measured. But who waits for a server has no use for a large buffer, and a
// program may wait for thousands. So there are a few large ones, for those to whom
// much comes at once; no more of them can be busy than a few for each processor.
const (
	smallCopy = 16 << 10
	largeCopy = 1 << 20
)

var (
	smallBuffers = sync.Pool{New: func() any { return new([smallCopy]byte) }}
	largeBuffers = sync.Pool{New: func() any { return new([largeCopy]byte) }}
	largeInUse   atomic.Int64
)

// takeLarge returns a large buffer, which is to be given back, or nil if too many are
// in use.
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

// A Lender is the source of a Body whose octets the system can move without showing them to
// us. Lend has use take up to most of them from a file or a pipe in which they come next; use
// returns how many it took, and so does Lend. That is 0 if the source cannot do that, or not
// now, or has failed: Read can tell.
type Lender interface {
	Lend(most int64, use func(from *os.File, n int64) int64) int64
}

// A Taker is a writer to which the system can move octets, as [Resource.Body] does in its
// WriteTo. Take has up to n octets moved from a file or a pipe, and returns how many were
// moved; 0 if that cannot be done.
type Taker interface {
	Take(from *os.File, n int64) int64
}

var _, _ Lender = (*resumer)(nil), (*unresumed)(nil)

// lend has w take what comes, as far as that can be done.
func (b *body) lend(w io.Writer) (taken int64) {
	l, lends := b.src.(Lender)
	t, takes := w.(Taker)
	for lends && takes && !b.closed.Load() {
		n := l.Lend(math.MaxInt64, t.Take)
		if n == 0 {
			break
		}
		b.res.received.Add(n)
		taken += n
	}
	return taken
}

// WriteTo writes the rest of the Body to w. While much comes at once it is moved by the
// system, if the source is a Lender and w a Taker.
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
