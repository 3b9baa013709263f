package gateway

import (
	"net"
	"os"
	"syscall"
)

// moves reports whether move is implemented.
const moves = true

// spliceNonblock is a constant that package syscall does not define (splice(2)).
const spliceNonblock = 2

// move has the system move up to n bytes from a pipe to a connection, by splice(2). It waits for the client
// until the deadline for writing, and returns the number of moved bytes.
func move(to *net.TCPConn, from *os.File, n int64) (moved int64) {
	out, err := to.SyscallConn()
	if err != nil {
		return 0
	}
	in, err := from.SyscallConn()
	if err != nil {
		return 0
	}
	in.Control(func(in uintptr) {
		out.Write(func(out uintptr) bool {
			for moved < n {
				m, err := syscall.Splice(int(in), nil, int(out), nil, int(n-moved), spliceNonblock)
				switch {
				case m > 0:
					moved += int64(m)
				case err == syscall.EAGAIN:
					return false // the pipe has bytes, so it is the client that is not ready
				case err != syscall.EINTR:
					return true
				}
			}
			return true
		})
	})
	return moved
}

// drain reads the bytes that a client has sent already, up to maxDrain, and waits for none. A socket that is
// closed before they are read is reset, and the client loses the end of its document.
func drain(conn *net.TCPConn) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		buf := make([]byte, 4<<10)
		for read := 0; read < maxDrain; {
			n, _, err := syscall.Recvfrom(int(fd), buf, syscall.MSG_DONTWAIT)
			if err != syscall.EINTR && n <= 0 {
				return
			}
			read += max(n, 0)
		}
	})
}
