package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks f until it is closed. If another process holds the lock, it waits, or reports false.
// The locked byte is after any possible end of the file, since other processes could not read a
// locked byte of the content.
func Lock(f *os.File, wait bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Hold is always false: not every system can rename or remove an open file.
func Hold(*os.File) (release func(), held bool) { return nil, false }
