package leak

import (
	"os"
	"path/filepath"
	"strings"
)

// descriptors returns the open file descriptors of the process, as number and name, except those
// that the runtime opens once for polling.
func descriptors() map[string]bool {
	const dir = "/proc/self/fd"
	open := make(map[string]bool)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err != nil || strings.HasPrefix(name, "anon_inode:[event") {
			continue
		}
		open[e.Name()+" "+name] = true
	}
	return open
}
