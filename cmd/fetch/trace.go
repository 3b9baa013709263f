package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A story is what happened during one fetch, for its record.
type story struct {
	mu        sync.Mutex
	remote    string
	redirects []string
	followed  map[[2]string]bool // from where to where
	length    int                // of redirects, in bytes
	warned    map[string]bool
	attempts  int
	told      *telling
}

// How much of its redirections a story tells. A body that is resumed comes to new ones as
// often as its server likes, and each URL may have the length of a header.
const (
	maxRedirects = 100
	maxRedirect  = 256 << 10 // bytes in all
)

// listen returns a context in which the story of fetching u is told to s, and
// aloud with -v.
func (a *app) listen(ctx context.Context, u *url.URL, s *story) context.Context {
	aloud := func(mark, text string) {
		if a.verbose {
			fmt.Fprintf(a.stderr, "%s %s\n", mark, visible(text))
		}
	}
	over := func(addr string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.remote == "" {
			s.remote = addr
		}
	}
	read := a.json || s.told != nil || a.wire.name != ""
	trace := &fetchers.Trace{
		Connect: func(network, addr string, err error) {
			if err != nil {
				aloud("*", fmt.Sprintf("no connection to %s: %v", addr, err))
				return
			}
			aloud("*", "connected to "+addr)
			over(addr)
		},
		Reuse: func(addr string) {
			aloud("*", "connection kept from before is used again: "+addr)
			over(addr)
		},
		Follow: func(from, to *url.URL) {
			aloud("*", "redirected to "+to.Redacted())
			a.wire.asked(to)
			if read && s.follow(from, to) {
				s.told.redirect(from, to)
			}
		},
		Retry: func(try int, wait time.Duration, err error) {
			a.say("fetch: %s; trying again in %.1fs", oneLine(fetchers.NewError("fetch", u, err)), wait.Seconds())
			s.told.retry(try, wait, err)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.attempts++
			s.remote = ""
		},
		Warn: func(text string) {
			if s.warn(text) {
				a.say("fetch: %s: %s", u.Redacted(), text)
			}
		},
	}
	if a.wire.recorder != nil {
		a.wire.asked(u)
		trace.Tap = a.wire.tap
	}
	if a.verbose {
		trace.Note = func(text string) { aloud("*", text) }
		trace.Login = func(o fetchers.Origin, source string) { aloud("*", "login for "+o.Host+" from "+source) }
		trace.Sent = func(line string) { aloud(">", line) }
		trace.Got = func(line string) { aloud("<", line) }
	}
	return fetchers.WithTrace(ctx, trace)
}

// follow takes note of a redirection, and reports whether it has: each segment of a file
// may come to the same one, and there may be too many.
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

// warn takes note of a warning, and reports whether it is new: each segment of a file may
// come with it.
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

// moveOn forgets where the place was that did not have it.
func (s *story) moveOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remote, s.redirects, s.followed, s.length = "", []string{}, nil, 0
}
