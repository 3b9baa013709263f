//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package download

import (
	"errors"
	"os"
	"syscall"
)

// lock makes f ours until it is closed, or reports that it is somebody else's. On
// a file system without locks, everybody is alone.
func lock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
			return true, nil
		default:
			return err == nil, err
		}
	}
}
