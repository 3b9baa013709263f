//go:build !linux

package download

import "io/fs"

// newMode returns false: only a new file shows its permissions.
func newMode(string) (fs.FileMode, bool) { return 0, false }
