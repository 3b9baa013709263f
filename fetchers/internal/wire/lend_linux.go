package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
)

// A pipe connects a socket and a file: splice(2) moves bytes only into or out of a pipe.
type pipe struct{ r, w *os.File }

func (p *pipe) Close() error { return errors.Join(p.r.Close(), p.w.Close()) }

// pipeSize is the capacity of a pipe.
const pipeSize = 1 << 20

// Constants that package syscall does not define (fcntl(2), splice(2)).
const (
	fSetPipeSize   = 1031
	spliceNonblock = 2
)

// pipes is a pool of empty pipes. The garbage collector closes unused ones.
var pipes = sync.Pool{New: func() any {
	var fds [2]int
	if syscall.Pipe2(fds[:], syscall.O_CLOEXEC) != nil {
		return (*pipe)(nil)
	}
	syscall.Syscall(syscall.SYS_FCNTL, uintptr(fds[1]), fSetPipeSize, pipeSize) // failure leaves a smaller pipe
	return &pipe{os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe")}
}}

// Lend waits, as Read does, and passes up to most received bytes in a pipe to use. It returns the
// number of bytes that use reports as moved, which must be true. The next Read begins with the
// others, which hold no pipe; until they are read, Lend returns 0. It returns 0 if there is nothing
// to lend; Read then returns the reason.
func (c *Conn) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	socket, ok := c.Conn.(*net.TCPConn)
	if !ok || len(c.lent.rest) > 0 || c.lent.failed != nil {
		return 0
	}
	p, n := c.fill(socket, most)
	if n == 0 {
		return 0
	}
	taken := use(p.r, n)
	if taken < n {
		rest := make([]byte, n-taken)
		if _, err := io.ReadFull(p.r, rest); err != nil {
			c.lent.failed = os.NewSyscallError("read", err)
			p.Close()
			return taken
		}
		c.lent.rest = rest
	}
	pipes.Put(p)
	return taken
}

// fill moves up to most bytes from a socket to a pipe. It holds no pipe while it waits.
func (c *Conn) fill(socket *net.TCPConn, most int64) (p *pipe, n int64) {
	c.awaited() // clears a deadline set by Write
	var (
		failed error
		waits  bool
	)
	err := c.raw.Read(func(fd uintptr) bool {
		if p = pipes.Get().(*pipe); p == nil { // no pipe available
			n, failed = 0, nil
			return true
		}
		for failed = syscall.EINTR; failed == syscall.EINTR; {
			m, errno := syscall.Splice(int(fd), nil, int(p.w.Fd()), nil, int(min(most, pipeSize)), spliceNonblock)
			n, failed = int64(m), errno
		}
		if n <= 0 {
			pipes.Put(p)
		}
		if failed != syscall.EAGAIN {
			return true
		}
		if !waits {
			c.await()
			waits = true
		}
		return false
	})
	if waits {
		c.awaited()
	}
	switch {
	case err != nil:
		c.lent.failed = err
	case failed == nil, failed == syscall.EINVAL, failed == syscall.ENOSYS, failed == syscall.EPERM: // not supported for this socket
	default: // the socket reports the error only once
		c.lent.failed = &net.OpError{Op: "read", Net: "tcp", Source: socket.LocalAddr(), Addr: socket.RemoteAddr(), Err: os.NewSyscallError("splice", failed)}
	}
	return p, max(n, 0)
}
