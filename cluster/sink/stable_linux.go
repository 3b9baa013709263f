package sink

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncAll writes the file system of a folder to stable storage.
func syncAll(f *folder) error {
	return f.call("syncfs", "", func(fd int) error { return unix.Syncfs(fd) })
}

// One syncfs for many bodies does what these do elsewhere for each one.

func syncFile(*os.File) error { return nil }

func syncExisting(in *folder, name string) error { return nil }

func syncNames(f *folder) error { return nil }
