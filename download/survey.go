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
// leave there later is not gone on with. A Survey may be used by several goroutines; its
// zero value has seen nothing yet.
type Survey struct {
	mu   sync.Mutex
	dirs map[string]bool // that were looked through, and whether they are clear
}

const (
	maxSurveyed = 1000 // entries of a directory that are looked at; if it has more, each file is looked for
	maxDirs     = 100  // directories that are remembered
)

// isClear reports whether nothing in a directory is to be taken up, nor leads to where
// something may be. A nil Survey does not know.
func (s *Survey) isClear(dir string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	is, known := s.dirs[dir]
	if !known {
		is = lookThrough(dir)
		if s.dirs == nil || len(s.dirs) >= maxDirs {
			s.dirs = make(map[string]bool)
		}
		s.dirs[dir] = is
	}
	return is
}

// forget makes s look again, since something is begun that may be left.
func (s *Survey) forget() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.dirs)
}

// lookThrough is isClear for a directory that nobody has looked through.
func lookThrough(dir string) bool {
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
