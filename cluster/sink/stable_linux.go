package sink

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncAll writes the file system of a directory to stable storage.
func syncAll(dir *os.File) error {
	if err := unix.Syncfs(int(dir.Fd())); err != nil {
		return &os.PathError{Op: "syncfs", Path: dir.Name(), Err: err}
	}
	return nil
}

// One syncfs for many bodies does what these do elsewhere for each one.

func syncFile(*os.File) error { return nil }

func syncExisting(top *os.Root, path string) error { return nil }

func syncDir(top *os.Root, path string) error { return nil }
