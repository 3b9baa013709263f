package sink

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// An entry is the state of a file or a directory in a folder.
type entry struct {
	size     int64 // in bytes
	modified time.Time
	regular  bool     // the entry is a regular file
	id       identity // zero on systems without numbers of inodes
}

// An identity is the number of a file system and the number of an inode in it. It tells two directories apart.
type identity [2]uint64

// enter opens a directory in the folder, and makes it if it is not there. The caller closes it.
func (f *folder) enter(name string) (*folder, error) {
	in, err := f.open(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return in, err
	}
	if err := f.mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return f.open(name)
}

// create makes a file in the folder.
func (f *folder) create(name string) (*os.File, error) {
	return f.openFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}

// names returns the names in a directory in the folder.
func (f *folder) names(dir string) ([]string, error) {
	file, err := f.openFile(dir, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Readdirnames(-1)
}
