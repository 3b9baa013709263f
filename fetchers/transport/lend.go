package transport

import (
	"os"

	"github.com/seed1ea3422f/fetch/fetchers"
)

var _ fetchers.Lender = (*Conn)(nil)

// Lend passes bytes that the system moves to use, as defined by [fetchers.Lender]. It returns 0 if
// the connection is not Bare.
func (c *Conn) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if !c.Bare() {
		return 0
	}
	return c.raw.Lend(most, use)
}
