//go:build !unix

package sink

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// A folder is a directory. A name in it has no separator. Opening a link is an error. A directory that is replaced by a
// link later is not noticed, but os.Root follows no link that leads out of the uppermost folder.
type folder struct {
	root  *os.Root // the uppermost folder
	place string
	up    *folder // in which it was opened; nil is unknown
}

// openFolder opens a directory by its path. The caller closes the folder.
func openFolder(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &folder{root: root, place: "."}, nil
}

func (f *folder) path(name string) string { return filepath.Join(f.place, name) }

// open opens a directory in the folder. The caller closes it.
func (f *folder) open(name string) (*folder, error) {
	path := f.path(name)
	info, err := f.root.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a directory", path)
	}
	return &folder{f.root, path, f}, nil
}

// openFile opens a file in the folder.
func (f *folder) openFile(name string, flags int) (*os.File, error) {
	return f.root.OpenFile(f.path(name), flags, 0o666)
}

// mkdir makes a directory in the folder.
func (f *folder) mkdir(name string) error { return f.root.Mkdir(f.path(name), 0o777) }

// stat returns the entry of a name in the folder. It does not follow a link (lstat).
func (f *folder) stat(name string) (entry, error) {
	info, err := f.root.Lstat(f.path(name))
	if err != nil {
		return entry{}, err
	}
	return entry{size: info.Size(), modified: info.ModTime(), regular: info.Mode().IsRegular()}, nil
}

// move moves a file into another folder. It replaces a file that is there.
func (f *folder) move(name string, to *folder, as string) error {
	return f.root.Rename(f.path(name), filepath.Join(to.place, as))
}

// remove removes a file.
func (f *folder) remove(name string) error { return f.root.Remove(f.path(name)) }

// sync writes the names in the folder to stable storage. Windows knows no such call.
func (f *folder) sync() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := f.root.Open(f.place)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (f *folder) close() error {
	if f.up != nil {
		return nil
	}
	return f.root.Close()
}
