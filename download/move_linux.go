package download

import (
	"os"

	"golang.org/x/sys/unix"
)

// move has the system move up to n bytes from a pipe or file to an offset of a file, or to its
// current offset if offset is nil. Between files this may cost nothing, as both can share the
// blocks. It returns the number of moved bytes, which is 0 if the system cannot do it.
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

// moveSome moves bytes with splice(2), which needs a pipe, or else with copy_file_range(2).
func moveSome(out int, offset *int64, in, n int) (int, error) {
	m, err := unix.Splice(in, nil, out, offset, n, 0)
	if err == unix.EINVAL {
		return unix.CopyFileRange(in, nil, out, offset, n, 0)
	}
	return int(m), err
}
