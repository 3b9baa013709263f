package download

import "golang.org/x/sys/unix"

// renameNew renames a file, unless a file has the new name. Not every file system can do that.
func renameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}
