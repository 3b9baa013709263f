package keep

import (
	"fmt"
	"sync"

	"github.com/seed1ea3422f/fetch/download"
)

// An interrupted has the downloads to files that an interrupt of the user has ended.
type interrupted struct {
	mu    sync.Mutex
	files int
	parts []string // the partial files of these downloads
}

// add notes a download to a file.
func (i *interrupted) add(path string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.files++
	if part := download.Leftover(path); part != "" {
		i.parts = append(i.parts, part)
	}
}

// Interrupted returns the message about an interrupt: which partial files are kept, and how to
// go on with the downloads.
func (f *Files) Interrupted() string {
	i := &f.interrupted
	i.mu.Lock()
	defer i.mu.Unlock()
	const again = "run the same command again to go on"
	switch n := len(i.parts); {
	case n == 1 && i.files == 1:
		return fmt.Sprintf("interrupted: %s is kept: %s", i.parts[0], again)
	case n > 0:
		return fmt.Sprintf("interrupted: %d of %d files that were on their way are kept in part: %s", n, i.files, again)
	case f.state != nil:
		return "interrupted: " + again
	case i.files > 0:
		return "interrupted: nothing is kept"
	}
	return "interrupted"
}
