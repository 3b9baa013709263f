package download

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// A Survey checks each directory once for partial files of interrupted downloads, so that a Saver
// of many files need not check for each. Partial files that other programs create there later are
// not resumed. The zero Survey is empty. A Survey is safe for concurrent use.
type Survey struct {
	mu   sync.Mutex
	dirs map[string]bool // checked directories, and whether they are clear
}

const (
	maxSurveyed = 1000 // maximum entries that are read of a directory; a larger directory is never clear
	maxDirs     = 100  // maximum remembered directories
)

// isClear reports whether a directory has no partial file with a journal, and no link that may lead
// to one. A nil Survey returns false.
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

// forget clears the Survey: a partial file is created that may be left behind.
func (s *Survey) forget() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.dirs)
}

// lookThrough is isClear for a directory that was not checked yet.
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

// leads reports whether e is a journal, or a link, which may lead to one.
func leads(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), ".part.json") || e.Type()&fs.ModeSymlink != 0
}
