package download

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// openUnnamed creates a file without a name in the directory of name. If the program ends before
// the file gets one, nothing is left. Not every file system supports such files.
func openUnnamed(name string) (*os.File, error) {
	fd, err := unix.Open(filepath.Dir(name), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// linkUnnamed gives an unnamed file a name, unless it is taken. Older kernels allow a direct link
// only to some users.
func linkUnnamed(f *os.File, name string) error {
	fd := int(f.Fd())
	err := unix.Linkat(fd, "", unix.AT_FDCWD, name, unix.AT_EMPTY_PATH)
	if err == unix.ENOENT {
		err = unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	}
	return err
}

// dateUnnamed sets the time of an unnamed file.
func dateUnnamed(f *os.File, modified time.Time) error {
	return os.Chtimes("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), time.Time{}, modified)
}
