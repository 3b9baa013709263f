package wire

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	// maxRatio is how many times larger than what was sent compressed octets may become,
	// once they are more than freeSize. Text shrinks to a tenth, a log that repeats
	// itself to a hundredth; zeros shrink to a thousandth in gzip and to much less in br
	// and zstd. Apache's mod_deflate draws the same line.
	maxRatio = 200

	// freeSize is harmless whatever it was made from.
	freeSize = 16 << 20

	// MaxExpanded is the limit where there is no other. To reach it a server has to send
	// 80 MiB.
	MaxExpanded = 16 << 30
)

// CheckExpansion returns ErrCoding if out octets are more than compressed ones, in of them,
// may become in one answer: more than most, or out of all proportion.
func CheckExpansion(in, out, most int64) error {
	switch {
	case out > most:
		return fmt.Errorf("%w: more than %d bytes", fetchers.ErrCoding, most)
	case out > freeSize && out/maxRatio > in:
		return fmt.Errorf("%w: %d bytes were made from %d", fetchers.ErrCoding, out, in)
	}
	return nil
}
