//go:build !linux

package wire

import "os"

// Lend is not supported on this system.
func (c *Conn) Lend(most int64, use func(from *os.File, n int64) int64) int64 { return 0 }
