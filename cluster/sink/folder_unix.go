//go:build unix

package sink

import (
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// A folder is an open directory. A name in it has no separator, and links are not followed, so each operation stays
// in that directory. An open folder saves the system calls that look up the parts of a path.
type folder struct {
	file *os.File
	up   *folder // in which it was opened; nil is unknown
}

// openFolder opens a directory by its path. The caller closes the folder.
func openFolder(path string) (*folder, error) {
	file, err := os.OpenFile(path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &folder{file: file}, nil
}

// call does a system call on a name in the folder.
func (f *folder) call(op, name string, fn func(fd int) error) error {
	defer runtime.KeepAlive(f.file)
	for {
		err := fn(int(f.file.Fd()))
		switch err {
		case nil:
			return nil
		case unix.EINTR:
			continue
		}
		return &os.PathError{Op: op, Path: f.path(name), Err: err}
	}
}

func (f *folder) path(name string) string { return filepath.Join(f.file.Name(), name) }

// open opens a directory in the folder. The caller closes it.
func (f *folder) open(name string) (*folder, error) {
	file, err := f.openFile(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return &folder{file, f}, nil
}

// openFile opens a file in the folder.
func (f *folder) openFile(name string, flags int) (*os.File, error) {
	var fd int
	err := f.call("open", name, func(at int) (err error) {
		fd, err = unix.Openat(at, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.path(name)), nil
}

// mkdir makes a directory in the folder.
func (f *folder) mkdir(name string) error {
	return f.call("mkdir", name, func(at int) error { return unix.Mkdirat(at, name, 0o777) })
}

// stat returns the entry of a name in the folder. It does not follow a link (lstat).
func (f *folder) stat(name string) (entry, error) {
	var s unix.Stat_t
	err := f.call("lstat", name, func(at int) error { return unix.Fstatat(at, name, &s, unix.AT_SYMLINK_NOFOLLOW) })
	return entry{s.Size, time.Unix(s.Mtim.Unix()), s.Mode&unix.S_IFMT == unix.S_IFREG, identity{uint64(s.Dev), uint64(s.Ino)}}, err
}

// move moves a file into another folder. It replaces a file that is there.
func (f *folder) move(name string, to *folder, as string) error {
	defer runtime.KeepAlive(to.file)
	return f.call("rename", name, func(at int) error { return unix.Renameat(at, name, int(to.file.Fd()), as) })
}

// remove removes a file.
func (f *folder) remove(name string) error {
	return f.call("remove", name, func(at int) error { return unix.Unlinkat(at, name, 0) })
}

func (f *folder) close() error { return f.file.Close() }
