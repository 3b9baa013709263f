package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks f until it is closed. If another process has the lock, it waits for that, or
// reports false. The octet that is locked lies beyond any end of the file, since other
// processes could not read a locked octet of the content.
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

// Hold reports false: an open file cannot be renamed or removed everywhere.
func Hold(*os.File) (release func(), held bool) { return nil, false }
