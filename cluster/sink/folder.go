package sink

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// An entry is what a name in a folder is.
type entry struct {
	size     int64 // in bytes
	modified time.Time
	regular  bool     // a file
	id       identity // that no other name has at the same time, but for links
}

// An identity is that of a file or directory: the numbers of its file system and in that.
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
