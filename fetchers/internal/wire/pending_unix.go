//go:build unix

package wire

import "syscall"

// A peek is the state of a Pending call. It is embedded in its Conn, with a reused function, so
// that no fetch allocates it.
type peek struct {
	octet [1]byte // buffer of Quiet
	into  []byte
	n     int
	err   error
	look  func(fd uintptr)
}

// Pending copies unread bytes to p without consuming them. It returns false if the connection has
// ended.
func (c *Conn) Pending(p []byte) (n int, open bool) {
	if c.raw == nil {
		return 0, true
	}
	k := &c.peek
	if k.look == nil {
		k.look = func(fd uintptr) {
			k.n, _, k.err = syscall.Recvfrom(int(fd), k.into, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		}
	}
	k.into, k.n, k.err = p, 0, nil
	err := c.raw.Control(k.look)
	k.into = nil
	if k.err == syscall.EAGAIN || k.err == syscall.EWOULDBLOCK {
		return 0, err == nil
	}
	return max(k.n, 0), err == nil && k.err == nil && k.n > 0
}
