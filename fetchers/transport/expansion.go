package transport

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	// maxRatio is how many decompressed octets there may be for each compressed one, once
	// they are more than freeSize. Text shrinks to a tenth, a log that repeats itself to
	// a hundredth; zeros shrink to a thousandth in gzip and to much less in br and zstd.
	// Apache's mod_deflate draws the same line.
	maxRatio = 200

	// freeSize is how many decompressed octets are allowed whatever the ratio.
	freeSize = 16 << 20

	// MaxExpanded is the limit if there is no other. To reach it a server has to send 80
	// MiB.
	MaxExpanded = 16 << 30
)

// CheckExpansion returns ErrCoding if out, the decompressed octets of one answer, is more
// than most, or too much for in, its compressed octets.
func CheckExpansion(in, out, most int64) error {
	switch {
	case out > most:
		return fmt.Errorf("%w: more than %d bytes", fetchers.ErrCoding, most)
	case out > freeSize && out/maxRatio > in:
		return fmt.Errorf("%w: %d bytes were made from %d", fetchers.ErrCoding, out, in)
	}
	return nil
}
