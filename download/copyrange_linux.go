package download

import (
	"os"

	"golang.org/x/sys/unix"
)

// copyRange has the system copy up to n octets from where it is in one file to a place in
// another, which may cost nothing, as both files can share them. It returns how many
// it did; that is 0 where it cannot.
func copyRange(to *os.File, offset int64, from *os.File, n int64) int64 {
	for {
		done, err := unix.CopyFileRange(int(from.Fd()), nil, int(to.Fd()), &offset, int(n), 0)
		if err != unix.EINTR {
			return int64(max(done, 0))
		}
	}
}
