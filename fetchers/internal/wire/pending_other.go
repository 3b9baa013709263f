//go:build !unix

package wire

type peek struct{ octet [1]byte }

// Pending is not supported on this system.
func (c *Conn) Pending([]byte) (n int, open bool) { return 0, true }
