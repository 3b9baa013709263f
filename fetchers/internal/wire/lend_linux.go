package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
)

// A pipe is between a socket and a file: the system moves octets into a pipe and out of
// one only.
type pipe struct{ r, w *os.File }

func (p *pipe) Close() error { return errors.Join(p.r.Close(), p.w.Close()) }

// pipeSize is how much there is in a pipe at most.
const pipeSize = 1 << 20

// What package syscall has no names for (fcntl(2), splice(2)).
const (
	fSetPipeSize   = 1031
	spliceNonblock = 2
)

// pipes are those that are empty. What is not used is closed when it is forgotten.
var pipes = sync.Pool{New: func() any {
	var fds [2]int
	if syscall.Pipe2(fds[:], syscall.O_CLOEXEC) != nil {
		return (*pipe)(nil)
	}
	syscall.Syscall(syscall.SYS_FCNTL, uintptr(fds[1]), fSetPipeSize, pipeSize) // or it is smaller
	return &pipe{os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe")}
}}

// Lend waits, as Read does, and has use take up to most octets of what comes from a
// pipe. It returns how many use says that it took, which has to be true; the next Read
// begins with the others, and nothing is lent any more. It is 0 if there is nothing to
// lend, and Read says why.
func (c *Conn) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	socket, ok := c.Conn.(*net.TCPConn)
	if !ok || c.lent.rest.R != nil || c.lent.failed != nil {
		return 0
	}
	p, n := c.fill(socket, most)
	if n == 0 {
		return 0
	}
	taken := use(p.r, n)
	if taken < n {
		c.lent.rest = io.LimitedReader{R: p.r, N: n - taken}
		c.hold(p)
	} else {
		pipes.Put(p)
	}
	return taken
}

// fill moves up to most octets from a socket to a pipe, which it does not hold while it
// waits for them.
func (c *Conn) fill(socket *net.TCPConn, most int64) (p *pipe, n int64) {
	c.awaited() // what a Write has begun
	var (
		failed error
		waits  bool
	)
	err := c.raw.Read(func(fd uintptr) bool {
		if p = pipes.Get().(*pipe); p == nil { // it cannot be done, or no longer
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
	case failed == nil, failed == syscall.EINVAL, failed == syscall.ENOSYS, failed == syscall.EPERM: // it cannot be done
	default: // which the socket does not say again
		c.lent.failed = &net.OpError{Op: "read", Net: "tcp", Source: socket.LocalAddr(), Addr: socket.RemoteAddr(), Err: os.NewSyscallError("splice", failed)}
	}
	return p, max(n, 0)
}
