package fetchers

import (
	"fmt"
	"math"
)

// A Range is a sequence of bytes. Length 0 and ToEnd mean up to the end. A negative Offset counts
// from the end; such a Range extends to the end, whatever its Length.
//
// The zero Range is no range: it requests the whole resource. Range{Length: ToEnd} requests the
// whole resource as a range ("bytes=0-" of RFC 9110, section 14.1.2). If the server supports that,
// Resource.Range has the Length of the resource.
type Range struct{ Offset, Length int64 }

// ToEnd is the Length of a Range that extends to the end of the resource.
const ToEnd int64 = math.MaxInt64

// Open reports whether r extends to the end of the resource, whatever its size.
func (r Range) Open() bool {
	return r.Offset < 0 || r.Length == 0 || r.Length == ToEnd || r.Offset > math.MaxInt64-r.Length
}

// In returns the bytes that r selects from a resource of the given size. The error is a RangeError
// if r begins at or after the end, and an ErrRange if r has a negative Length. The last bytes of an
// empty resource are an empty range, and no error (RFC 9110, section 14.1.2).
func (r Range) In(size int64) (Range, error) {
	switch {
	case r.Offset < 0:
		offset := max(0, size+r.Offset)
		return Range{Offset: offset, Length: size - offset}, nil
	case r.Length < 0:
		return Range{}, fmt.Errorf("%w: its length is less than 0", ErrRange)
	case r == Range{}:
		return Range{Length: size}, nil
	case r.Offset >= size:
		return Range{}, &RangeError{Offset: r.Offset, Size: size}
	}
	rest := size - r.Offset
	if r.Length > 0 {
		rest = min(rest, r.Length)
	}
	return Range{Offset: r.Offset, Length: rest}, nil
}

// A RangeError reports that a Range begins at or after the end of the resource. It is an ErrRange.
// If Offset equals Size, a caller that has the bytes before Offset has the whole resource.
type RangeError struct {
	Offset int64 // where the Range begins; a negative number counts from the end
	Size   int64 // of the whole resource, in bytes
	Err    error // refusal of the server (status 416 of HTTP); nil if the Fetcher itself compared the size
}

func (e *RangeError) Error() string {
	found := fmt.Sprintf("it begins at %d, and there are %d bytes", e.Offset, e.Size)
	if e.Err != nil {
		return e.Err.Error() + ": " + found
	}
	return ErrRange.Error() + ": " + found
}

// Unwrap returns the refusal of the server.
func (e *RangeError) Unwrap() error { return e.Err }

// Is reports whether target is ErrRange.
func (e *RangeError) Is(target error) bool { return target == ErrRange }
