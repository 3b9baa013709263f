//go:build !unix

package wire

type peek struct{ octet [1]byte }

// Pending cannot look here without waiting.
func (c *Conn) Pending([]byte) (n int, open bool) { return 0, true }
