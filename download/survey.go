package download

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// A Survey looks once through each directory for what interrupted downloads have left
// there, so that who saves many files need not look for what is left of each. What others
// leave there later is then neither taken up nor harmed. A Survey may be used by several
// goroutines; its zero value has seen nothing yet.
type Survey struct {
	mu    sync.Mutex
	clear map[string]bool // directories, and whether nothing is left there
}

const (
	maxSurveyed = 1000 // entries of a directory that are looked at; if it has more, each file is looked for
	maxClear    = 100  // directories that are remembered
)

// isClear reports whether nothing in a directory is to be taken up, nor leads to where
// something may be. A nil Survey does not know.
func (s *Survey) isClear(dir string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear, known := s.clear[dir]
	if !known {
		clear = hasNothingLeft(dir)
		if s.clear == nil || len(s.clear) >= maxClear {
			s.clear = make(map[string]bool)
		}
		s.clear[dir] = clear
	}
	return clear
}

// forget makes s look again, since something is begun that may be left.
func (s *Survey) forget() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.clear)
}

func hasNothingLeft(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	for looked := 0; looked < maxSurveyed; {
		entries, err := f.ReadDir(maxSurveyed)
		if err != nil {
			return err == io.EOF
		}
		if slices.ContainsFunc(entries, leads) {
			return false
		}
		looked += len(entries)
	}
	return false
}

// leads reports whether e is the journal of a part, or a link, which may lead to one.
func leads(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), ".part.json") || e.Type()&fs.ModeSymlink != 0
}
