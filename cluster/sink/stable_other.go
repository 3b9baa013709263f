//go:build !linux

package sink

import (
	"os"
	"path/filepath"
	"runtime"
)

// syncAll has nothing to do, as each body is synced when it is committed.
func syncAll(*os.File) error { return nil }

// syncFile writes a file to stable storage.
func syncFile(file *os.File) error { return file.Sync() }

// syncExisting writes a body to stable storage that another worker may not have synced.
func syncExisting(root *os.Root, name string) error {
	file, err := root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Sync()
}

// syncDir writes the names in a directory to stable storage, and those above it.
func syncDir(root *os.Root, name string) error {
	if runtime.GOOS == "windows" { // knows no such call
		return nil
	}
	for {
		dir, err := root.Open(name)
		if err != nil {
			return err
		}
		err = dir.Sync()
		dir.Close()
		if err != nil || name == "." {
			return err
		}
		name = filepath.Dir(name)
	}
}
