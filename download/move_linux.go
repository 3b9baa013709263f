package download

import (
	"os"

	"golang.org/x/sys/unix"
)

// move has the system move up to n octets from a pipe or a file to a place in a file, or
// to where that is if offset is nil. Between files it may cost nothing, as both can share
// them. It returns how many were moved, which is 0 where that cannot be done.
func move(to *os.File, offset *int64, from *os.File, n int64) (moved int64) {
	out, err := to.SyscallConn()
	if err != nil {
		return 0
	}
	in, err := from.SyscallConn()
	if err != nil {
		return 0
	}
	out.Control(func(out uintptr) {
		in.Control(func(in uintptr) {
			for moved < n {
				m, err := moveSome(int(out), offset, int(in), int(n-moved))
				if m <= 0 && err != unix.EINTR {
					return
				}
				moved += int64(max(m, 0))
			}
		})
	})
	return moved
}

// moveSome moves by the one way that there is for a pipe, or else by that for files.
func moveSome(out int, offset *int64, in, n int) (int, error) {
	m, err := unix.Splice(in, nil, out, offset, n, 0)
	if err == unix.EINVAL {
		return unix.CopyFileRange(in, nil, out, offset, n, 0)
	}
	return int(m), err
}
