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
func syncExisting(top *os.Root, path string) error {
	file, err := top.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return err
	}
	return syncDir(top, filepath.Dir(path))
}

// syncDir writes the names in a directory to stable storage, and those above it, up to the top one.
func syncDir(top *os.Root, path string) error {
	if runtime.GOOS == "windows" { // knows no such call
		return nil
	}
	for {
		dir, err := top.Open(path)
		if err != nil {
			return err
		}
		err = dir.Sync()
		dir.Close()
		if err != nil || path == "." {
			return err
		}
		path = filepath.Dir(path)
	}
}
