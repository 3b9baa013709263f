//go:build !linux

package sink

import "os"

// syncAll has nothing to do, as each body is synced when it is committed.
func syncAll(*folder) error { return nil }

// syncFile writes a file to stable storage.
func syncFile(file *os.File) error { return file.Sync() }

// syncExisting writes a body to stable storage that another worker may not have synced.
func syncExisting(in *folder, name string) error {
	file, err := in.openFile(name, os.O_RDWR)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return err
	}
	return syncNames(in)
}

// syncNames writes the names in a folder to stable storage, and those above it, up to the top one.
func syncNames(f *folder) error {
	for ; f != nil; f = f.up {
		if err := f.sync(); err != nil {
			return err
		}
	}
	return nil
}
