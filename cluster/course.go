package cluster

import (
	"context"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A course has what happens in one fetch, for its record: the server, the redirections and the
// attempts.
type course struct {
	mu        sync.Mutex
	remote    string
	redirects []string
	followed  map[[2]string]bool // from where to where
	length    int                // of redirects, in bytes
	attempts  int
}

// The limits of the redirections in a course: a body that is resumed comes to new ones as often as its
// server likes, and each URL may have the length of a header.
const (
	maxRedirects = 100
	maxRedirect  = 256 << 10 // bytes of all of them
)

func newCourse() *course { return &course{attempts: 1, redirects: []string{}} }

// context returns a context whose Trace tells the course what happens.
func (c *course) context(ctx context.Context) context.Context {
	return fetchers.WithTrace(ctx, &fetchers.Trace{
		ConnectDone: func(_ context.Context, _, addr string, err error) {
			if err == nil {
				c.reach(addr)
			}
		},
		Reuse:  func(_ context.Context, addr string) { c.reach(addr) },
		Follow: func(_ context.Context, from, to *url.URL) { c.follow(from, to) },
		Retry:  func(context.Context, int, time.Duration, error) { c.retry() },
	})
}

// reach takes note of the address of the server: the first one counts.
func (c *course) reach(addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.remote == "" {
		c.remote = addr
	}
}

// follow takes note of a redirection, once.
func (c *course) follow(from, to *url.URL) {
	c.mu.Lock()
	defer c.mu.Unlock()
	way, shown := [2]string{from.String(), to.String()}, to.Redacted()
	if c.followed[way] {
		return
	}
	c.remote = ""
	if len(c.redirects) == maxRedirects || c.length+len(shown) > maxRedirect {
		return
	}
	if c.followed == nil {
		c.followed = make(map[[2]string]bool)
	}
	c.followed[way] = true
	c.redirects = append(c.redirects, shown)
	c.length += len(shown)
}

// retry takes note of an attempt that failed.
func (c *course) retry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts++
	c.remote = ""
}

// tell writes the course into a Record.
func (c *course) tell(rec *record.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rec.Redirects, rec.Attempts = c.redirects, c.attempts
	if c.remote != "" {
		remote := c.remote
		rec.Remote = &remote
	}
}
