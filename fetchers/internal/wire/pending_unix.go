//go:build unix

package wire

import "syscall"

// Pending looks at what the server has sent and was not read, as far as p holds it. It
// reports false if the connection has ended.
func (c *Conn) Pending(p []byte) (n int, open bool) {
	if c.raw == nil {
		return 0, true
	}
	var peek error
	err := c.raw.Control(func(fd uintptr) {
		n, _, peek = syscall.Recvfrom(int(fd), p, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	if peek == syscall.EAGAIN || peek == syscall.EWOULDBLOCK {
		return 0, err == nil
	}
	return max(n, 0), err == nil && peek == nil && n > 0
}
