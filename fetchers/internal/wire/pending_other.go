//go:build !unix

package wire

// Pending cannot look here without waiting.
func (c *Conn) Pending([]byte) (n int, open bool) { return 0, true }
