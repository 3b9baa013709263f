package download

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// A Survey looks once through each directory for partial files of interrupted downloads, so
// that a Saver of many files need not look for that of each. Partial files that other
// programs leave there later are not resumed. Several goroutines may use a Survey; its
// zero value has seen nothing yet.
type Survey struct {
	mu   sync.Mutex
	dirs map[string]bool // the directories seen so far, and whether they are clear
}

const (
	maxSurveyed = 1000 // entries of a directory that are read; one with more is never clear
	maxDirs     = 100  // directories that are remembered
)

// isClear reports whether a directory has no partial file with a journal, and no link that may
// lead to one. A nil Survey does not know.
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

// forget makes the Survey look again, since a partial file is begun that may be left.
func (s *Survey) forget() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.dirs)
}

// lookThrough is isClear for a directory that was not seen yet.
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
