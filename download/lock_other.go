//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package download

import "os"

// lock does nothing where the system has no locks: two downloads to one name at the
// same time are then kept apart only while both begin it anew.
func lock(*os.File, bool) (bool, error) { return true, nil }

// hold reports false: an open file cannot be renamed or removed everywhere.
func hold(*os.File) (release func(), held bool) { return nil, false }
