//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import "os"

// Lock does nothing, as the system has no locks: two processes can write one file at the same time.
func Lock(*os.File, bool) (bool, error) { return true, nil }

// Hold is always false: not every system can rename or remove an open file.
func Hold(*os.File) (release func(), held bool) { return nil, false }
