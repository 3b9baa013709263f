package transport

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	// maxRatio is the maximum ratio of decompressed to compressed bytes, beyond freeSize. Text
	// shrinks to a tenth, a repetitive log to a hundredth; zeros shrink to a thousandth with gzip,
	// and to much less with br and zstd. mod_deflate of Apache has the same limit.
	maxRatio = 200

	// freeSize is the number of decompressed bytes that are allowed at any ratio.
	freeSize = 16 << 20

	// MaxExpanded is the default limit of decompressed bytes. To reach it a server must send 80
	// MiB.
	MaxExpanded = 16 << 30
)

// CheckExpansion returns ErrCoding if out, the decompressed bytes of an answer, exceed most, or if
// their ratio to the compressed bytes in is too large.
func CheckExpansion(in, out, most int64) error {
	switch {
	case out > most:
		return fmt.Errorf("%w: more than %d bytes", fetchers.ErrCoding, most)
	case out > freeSize && out/maxRatio > in:
		return fmt.Errorf("%w: %d bytes were made from %d", fetchers.ErrCoding, out, in)
	}
	return nil
}
