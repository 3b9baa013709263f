package fetchers

import (
	"fmt"
	"math"
)

// A Range is a run of bytes. Length 0 and ToEnd mean to the end. An Offset less than 0
// counts from the end, to which the Range then goes, whatever its Length.
//
// The zero Range is no range: the request is one for the whole resource. Range{Length: ToEnd}
// requests the whole resource as a range ("bytes=0-" of RFC 9110, section 14.1.2). If the
// server honours that, Resource.Range has the Length of the resource.
type Range struct{ Offset, Length int64 }

// ToEnd is the Length of a Range that goes to the end of the resource.
const ToEnd int64 = math.MaxInt64

// Open reports whether r goes to the end of the resource, wherever that is.
func (r Range) Open() bool {
	return r.Offset < 0 || r.Length == 0 || r.Length == ToEnd || r.Offset > math.MaxInt64-r.Length
}

// In returns which bytes r is of a resource of the given size. The error is a RangeError if
// r begins at the end or behind it, and an ErrRange if r has a Length less than 0. The
// last bytes of an empty resource are none, and no error (RFC 9110, section 14.1.2).
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

// A RangeError says that a Range begins where the resource ends, or behind that, and is an
// ErrRange. If Offset and Size are the same, a caller who has the bytes before Offset has
// the whole resource.
type RangeError struct {
	Offset int64 // where the Range begins; less than 0 counts from the end
	Size   int64 // of the whole resource, in bytes
	Err    error // the refusal of the server (status 416 of HTTP); nil if a Fetcher found out by itself
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
