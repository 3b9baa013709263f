package report

import (
	"sync"

	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A course has the events of one fetch that its Record contains: the server, the redirections, the
// attempts and the warnings.
type course struct {
	mu        sync.Mutex
	remote    string
	redirects []string
	followed  map[[2]string]bool // from where to where
	length    int                // of redirects, in bytes
	warned    map[string]bool
	attempts  int
}

// The limits of the redirections in a course. A body that is resumed may be redirected anew as
// often as its server likes, and each URL may have the length of a header.
const (
	maxRedirects = 100
	maxRedirect  = 256 << 10 // bytes of all of them
)

func newCourse() *course { return &course{attempts: 1, redirects: []string{}} }

// reach notes the address of the server. The first call counts.
func (c *course) reach(addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.remote == "" {
		c.remote = addr
	}
}

// follow notes a redirection, and reports whether it is a new one that the course keeps. Segments
// of a file may follow the same redirection, and a course keeps a limited number.
func (c *course) follow(from, to *url.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	way, shown := [2]string{from.String(), to.String()}, to.Redacted()
	if c.followed[way] {
		return false
	}
	c.remote = ""
	if len(c.redirects) == maxRedirects || c.length+len(shown) > maxRedirect {
		return false
	}
	if c.followed == nil {
		c.followed = make(map[[2]string]bool)
	}
	c.followed[way] = true
	c.redirects = append(c.redirects, shown)
	c.length += len(shown)
	return true
}

// retry notes an attempt that failed.
func (c *course) retry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts++
	c.remote = ""
}

// warn notes a warning, and reports whether it is new: each segment of a file may cause the same
// warning.
func (c *course) warn(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.warned[text] {
		return false
	}
	if c.warned == nil {
		c.warned = make(map[string]bool)
	}
	c.warned[text] = true
	return true
}

// moveOn forgets the server and the redirections.
func (c *course) moveOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remote, c.redirects, c.followed, c.length = "", []string{}, nil, 0
}

// tell writes the course into a Record.
func (c *course) tell(rec *record.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rec.Redirects, rec.Attempts, rec.Remote = c.redirects, c.attempts, orNull(c.remote)
}
