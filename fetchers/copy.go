package fetchers

import (
	"io"
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

// WriteTo writes the rest of the Body to w.
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
		case large == nil && n == smallCopy:
			if large = takeLarge(); large != nil {
				buf = large[:]
			}
		case n < smallCopy:
			giveLarge(large)
			large, buf = nil, small[:]
		}
	}
}
