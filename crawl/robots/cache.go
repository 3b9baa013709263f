package robots

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	keepUsual    = 24 * time.Hour   // RFC 9309, section 2.4
	keepFailure  = 10 * time.Minute // after a failed fetch
	maxServers   = 10_000           // maximum in the cache
	maxKept      = 64 << 20         // maximum bytes in the cache
	maxRedirects = 5                // RFC 9309, section 2.3.1.2
)

// A Cache decides about URLs with the robots.txt of their servers. It fetches each file when it is
// first needed, and again after a day. It holds the rules for one robot from the 10,000 servers
// that were used last, up to 64 MiB. Its methods are safe for concurrent use; its fields must not
// change in use.
type Cache struct {
	// Fetcher fetches the files. It need not follow redirections: the Cache follows up to five.
	Fetcher fetchers.Fetcher

	// Agent is the product token of the robot, such as "examplebot".
	Agent string

	// Keep is the lifetime of a file in the Cache; 0 means a day, the maximum of RFC 9309.
	Keep time.Duration

	mu      sync.Mutex
	servers map[string]*list.Element // of *server
	recent  list.List                // most recently used first
	kept    int                      // bytes in the cache
}

var errNil = errors.New("robots: the context or the URL is nil")

// A Verdict tells whether a URL may be fetched, and why.
type Verdict struct {
	Allowed bool
	Rule    *Rule         // the rule that decided; nil if none applies
	Delay   time.Duration // minimum time between two requests to the server; 0 if the file has no Crawl-delay

	// Err is the error of fetching the file. It is nil if the file was read, or if the scheme has
	// none. If the server does not have the file, all URLs are allowed; if the file cannot be
	// fetched, none is (RFC 9309, section 2.3.1).
	Err error
}

// String returns the reason: the rule with its line, or the state of the file.
func (v Verdict) String() string {
	switch {
	case v.Rule != nil:
		return fmt.Sprintf("%s (line %d of robots.txt)", v.Rule, v.Rule.Line)
	case v.Err != nil && v.Allowed:
		return "there is no robots.txt"
	case v.Err != nil:
		return fmt.Sprintf("robots.txt cannot be had: %v", v.Err)
	}
	return "no rule of robots.txt"
}

// A server holds the file of one server.
type server struct {
	name     string
	ready    chan struct{} // closed when the other fields are set
	until    time.Time     // end of the lifetime
	group    Group
	sitemaps []string
	allowed  bool // without a matching rule
	err      error
	size     int // estimated size of all fields in bytes; 0 until known
}

// Check decides about u. The error is that of ctx, or for a nil argument.
func (c *Cache) Check(ctx context.Context, u *url.URL) (Verdict, error) {
	if ctx == nil || u == nil {
		return Verdict{}, errNil
	}
	file, path := fileOf(u)
	if file == nil || path == "/robots.txt" {
		return Verdict{Allowed: true}, nil
	}
	s, err := c.server(ctx, file)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Allowed: s.allowed, Delay: s.group.Delay, Err: s.err}
	if s.err == nil {
		v.Allowed, v.Rule = s.group.Decide(path)
	}
	return v, nil
}

// Sitemaps returns the valid sitemap URLs in the robots.txt of the server of u. The error is that
// of ctx, or for a nil argument.
func (c *Cache) Sitemaps(ctx context.Context, u *url.URL) ([]*url.URL, error) {
	if ctx == nil || u == nil {
		return nil, errNil
	}
	file, _ := fileOf(u)
	if file == nil {
		return nil, nil
	}
	s, err := c.server(ctx, file)
	if err != nil {
		return nil, err
	}
	var maps []*url.URL
	for _, text := range s.sitemaps {
		if to, err := file.Resolve(text); err == nil {
			maps = append(maps, to)
		}
	}
	return maps, nil
}

// fileOf returns the URL of the robots.txt for u, and the path of u to match against it. The URL is
// nil if the scheme has no robots.txt.
func fileOf(u *url.URL) (file *url.URL, path string) {
	v := *u
	v.User, v.Query, v.Fragment = nil, "", ""
	switch u.Scheme {
	case "http", "https":
		v.Path = "/robots.txt"
		path = u.Path + u.Query
	case "gopher", "gophers":
		g, err := u.Gopher()
		if err != nil {
			return nil, ""
		}
		v.Path = "/0/robots.txt"
		path = g.Selector
	default:
		return nil, ""
	}
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	return &v, path
}

// server returns the server of a file. The first goroutine that needs it fetches the file.
func (c *Cache) server(ctx context.Context, file *url.URL) (*server, error) {
	for {
		s, mine, before := c.place(file)
		if mine {
			c.ask(ctx, s, file, before)
			interrupted := s.err != nil && ctx.Err() != nil
			c.settle(s, interrupted)
			if interrupted {
				return nil, ctx.Err()
			}
			return s, nil
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !s.until.IsZero() { // otherwise the fetching goroutine was interrupted
			return s, nil
		}
	}
}

// place returns the entry of a file. If mine is true it is new, and the caller has to call ask and
// settle; before is the expired entry, or nil.
func (c *Cache) place(file *url.URL) (s *server, mine bool, before *server) {
	name := file.Canonical().String()
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.servers[name]; ok {
		s = at.Value.(*server)
		c.recent.MoveToFront(at)
		if s.size == 0 || time.Now().Before(s.until) { // another goroutine is fetching the file, or it is valid
			return s, false, nil
		}
		before = s
		c.remove(at)
	}
	if c.servers == nil {
		c.servers = make(map[string]*list.Element)
	}
	s = &server{name: name, ready: make(chan struct{})}
	c.servers[name] = c.recent.PushFront(s)
	return s, true, before
}

// settle wakes the goroutines that wait for s, and makes room for it. If the fetch was interrupted,
// s is removed.
func (c *Cache) settle(s *server, interrupted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(s.ready)
	if interrupted {
		s.until = time.Time{}
		c.remove(c.servers[s.name])
		return
	}
	s.size = sizeOf(s)
	c.kept += s.size
	for at := c.recent.Back(); at != nil && (c.recent.Len() > maxServers || c.kept > maxKept); {
		oldest := at
		at = at.Prev()
		if oldest.Value != any(s) && oldest.Value.(*server).size > 0 {
			c.remove(oldest)
		}
	}
}

// remove removes a server. The caller holds c.mu.
func (c *Cache) remove(at *list.Element) {
	s := c.recent.Remove(at).(*server)
	c.kept -= s.size
	delete(c.servers, s.name)
}

// sizeOf estimates the size of s in bytes.
func sizeOf(s *server) int {
	const each, text = 128, 16 // overhead of a rule and of a text
	n := len(s.name) + each
	for _, r := range s.group.Rules {
		n += each + len(r.Path) + len(r.pattern.text)
		for _, piece := range r.pattern.pieces {
			n += text + len(piece)
		}
	}
	for _, m := range s.sitemaps {
		n += text + len(m)
	}
	return n
}

// ask fetches the file of s. If that fails, the expired entry stays valid.
func (c *Cache) ask(ctx context.Context, s *server, file *url.URL, before *server) {
	keep := c.Keep
	if keep <= 0 {
		keep = keepUsual
	}
	rules, err := c.fetch(ctx, file)
	switch {
	case err == nil:
		s.group, s.sitemaps, s.allowed = rules.For(c.Agent), rules.Sitemaps, true
	case absent(err):
		s.allowed, s.err = true, err
	default:
		keep = min(keep, keepFailure)
		if before != nil && before.err == nil {
			s.group, s.sitemaps, s.allowed = before.group, before.sitemaps, true
		} else {
			s.err = err
		}
	}
	s.until = time.Now().Add(keep)
}

// fetch fetches and parses a file.
func (c *Cache) fetch(ctx context.Context, file *url.URL) (*Rules, error) {
	client := fetchers.Client{Fetcher: c.Fetcher, Follow: fetchers.FollowUpTo(maxRedirects)}
	res, err := client.Fetch(ctx, &fetchers.Request{URL: file, Named: fetchers.ByServer, Compress: true})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	return Parse(res.Body)
}

// absent reports whether an error means that the server has no such file or refuses it: HTTP
// statuses from 400 to 499 except 429, which asks for fewer requests, and too many redirections
// (RFC 9309, section 2.3.1).
func absent(err error) bool {
	if refused, ok := errors.AsType[*fetchers.StatusError](err); ok && refused.Proto != "" {
		return 400 <= refused.Code && refused.Code < 500 && refused.Code != 429
	}
	for _, class := range []error{fs.ErrNotExist, fs.ErrPermission, fetchers.ErrLogin, fetchers.ErrRedirect} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}
