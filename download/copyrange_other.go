//go:build !linux

package download

import "os"

// copyRange returns 0, as the system is not known to copy files better than we do.
func copyRange(*os.File, int64, *os.File, int64) int64 { return 0 }
