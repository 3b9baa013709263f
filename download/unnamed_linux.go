package download

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// openUnnamed makes a file without a name in the directory of name. If the program ends
// before the file gets one, nothing is left. Not every file system has such files.
func openUnnamed(name string) (*os.File, error) {
	fd, err := unix.Open(filepath.Dir(name), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// linkUnnamed gives such a file a name, unless a file has that. Older systems let only some
// users do that directly.
func linkUnnamed(f *os.File, name string) error {
	fd := int(f.Fd())
	err := unix.Linkat(fd, "", unix.AT_FDCWD, name, unix.AT_EMPTY_PATH)
	if err == unix.ENOENT {
		err = unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	}
	return err
}

// dateUnnamed sets the time of such a file.
func dateUnnamed(f *os.File, modified time.Time) error {
	return os.Chtimes("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), time.Time{}, modified)
}
