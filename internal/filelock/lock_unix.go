//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Hold keeps the lock of f after f is closed, until release is called. It reports false on failure.
func Hold(f *os.File) (release func(), held bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, false
	}
	var fd int
	if ctl := raw.Control(func(of uintptr) { fd, err = unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0) }); ctl != nil || err != nil {
		return nil, false
	}
	return func() { unix.Close(fd) }, true
}

// Lock locks f until it is closed. If another process holds the lock, it waits, or reports false.
// On a file system without locks, it always reports true.
func Lock(f *os.File, wait bool) (bool, error) {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	for {
		if ctl := raw.Control(func(fd uintptr) { err = syscall.Flock(int(fd), how) }); ctl != nil {
			return false, ctl
		}
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
