package report

import (
	"sync"

	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A story is the course of one fetch, for its Record.
type story struct {
	mu        sync.Mutex
	remote    string
	redirects []string
	followed  map[[2]string]bool // from where to where
	length    int                // of redirects, in bytes
	warned    map[string]bool
	attempts  int
}

// The limits of the redirections in a story. A body that is resumed comes to new ones as
// often as its server likes, and each URL may have the length of a header.
const (
	maxRedirects = 100
	maxRedirect  = 256 << 10 // bytes of all of them
)

func newStory() *story { return &story{attempts: 1, redirects: []string{}} }

// reach takes note of the address of the server: the first one counts.
func (s *story) reach(addr string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remote == "" {
		s.remote = addr
	}
}

// follow takes note of a redirection, and reports whether the story has it from now on: the
// segments of a file may come to the same one, and there may be too many.
func (s *story) follow(from, to *url.URL) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	way, shown := [2]string{from.String(), to.String()}, to.Redacted()
	if s.followed[way] {
		return false
	}
	s.remote = ""
	if len(s.redirects) == maxRedirects || s.length+len(shown) > maxRedirect {
		return false
	}
	if s.followed == nil {
		s.followed = make(map[[2]string]bool)
	}
	s.followed[way] = true
	s.redirects = append(s.redirects, shown)
	s.length += len(shown)
	return true
}

// retry takes note of an attempt that failed.
func (s *story) retry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts++
	s.remote = ""
}

// warn takes note of a warning, and reports whether it is new: each segment of a file may
// come with the same one.
func (s *story) warn(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.warned[text] {
		return false
	}
	if s.warned == nil {
		s.warned = make(map[string]bool)
	}
	s.warned[text] = true
	return true
}

// moveOn forgets the server and the redirections.
func (s *story) moveOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remote, s.redirects, s.followed, s.length = "", []string{}, nil, 0
}

// tell writes the story into a Record.
func (s *story) tell(rec *record.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec.Redirects, rec.Attempts, rec.Remote = s.redirects, s.attempts, orNull(s.remote)
}
