//go:build !unix

package wire

// Quiet cannot be known here without waiting.
func (c *Conn) Quiet() bool { return true }
