//go:build unix

package wire

import "syscall"

// Quiet reports whether the server has sent nothing that was not read, not even the
// end of the connection. Where that cannot be seen, it has not.
func (c *Conn) Quiet() bool {
	if c.raw == nil {
		return true
	}
	var peek error
	err := c.raw.Control(func(fd uintptr) {
		var b [1]byte
		_, _, peek = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return err == nil && (peek == syscall.EAGAIN || peek == syscall.EWOULDBLOCK)
}
