//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import "os"

// Lock does nothing where the system has no locks: two processes with one file at the
// same time are then not kept apart.
func Lock(*os.File, bool) (bool, error) { return true, nil }

// Hold reports false: an open file cannot be renamed or removed everywhere.
func Hold(*os.File) (release func(), held bool) { return nil, false }
