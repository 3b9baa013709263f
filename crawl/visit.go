package crawl

import (
	"slices"

	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Visit is one visit of a URL by Crawl.Visit. It is not safe for concurrent use.
type Visit struct {
	Entry             // State and Note are set to the final values: Done, and the Note of an earlier visit
	Decision Decision // of the Scope

	// Resource is the fetched resource, for the Result. Visit sets it, and closes it.
	Resource *fetchers.Resource

	// Why is the reason if State is Skipped.
	Why string

	crawl *Crawl
	err   error
	traps []Result
}

// maxHops limits the number of consecutive redirections.
const maxHops = 10

// Request returns a Request of the Crawl for the URL.
func (v *Visit) Request() *fetchers.Request { return v.crawl.Request(v.URL) }

// Request returns a request for a URL. It does not follow redirections, which count as links. Only
// origins that the user named get secrets: a URL there has the user of the root, and any other URL
// counts as named by a stranger.
func (c *Crawl) Request(u *url.URL) *fetchers.Request {
	req := &fetchers.Request{URL: u, NoFollow: true}
	if u == nil {
		return req
	}
	for _, root := range c.Scope.Roots {
		if bare := withoutUser(root); bare.SameOrigin(withoutUser(u)) {
			own := *u
			own.User = root.User
			req.URL = &own
			return req
		}
	}
	return req.FromStranger()
}

// withoutUser returns u without a user.
func withoutUser(u *url.URL) *url.URL {
	if u.User == nil {
		return u
	}
	bare := *u
	bare.User = nil
	return &bare
}

// Intend stores a note with the URL before the visit ends; see [Frontier.Note].
func (v *Visit) Intend(note []byte) error { return v.crawl.Frontier.Note(v.ID, note) }

// A Found is the result of Follow.
type Found struct {
	Decision       // of the Scope
	Known    bool  // the URL was known before
	Entry    Entry // its Entry at that time; only the ID if it is new
}

// Follow adds the target of a link, with a note, if the Scope includes it and it is not known yet.
// A user in the URL is removed. A link from a server never leads to a local file.
func (v *Visit) Follow(l links.Link, note []byte) (Found, error) {
	return v.follow(Item{URL: l.URL, Depth: v.Depth + 1, Requisite: l.Kind == links.Requisite, Note: note}, leads(l))
}

// FollowRedirect adds the target of a redirection, if it has the same scheme, or a scheme that is
// open to all ([url.Open]). The target of a redirection of a root belongs to the Scope like a root.
func (v *Visit) FollowRedirect(to *url.URL) (Found, error) {
	if to == nil {
		return Found{Decision: refuse("it is a redirection that leads nowhere")}, nil
	}
	if to.Scheme != v.URL.Scheme && !url.Open(to.Scheme) {
		return Found{Decision: refuse("a redirection does not lead from %s to %s", v.URL.Scheme, to.Scheme)}, nil
	}
	hops, err := v.hops()
	if err != nil {
		return Found{}, err
	}
	if hops >= maxHops {
		return Found{Decision: v.trapped(refuse("it is the end of %d redirections", hops+1), to)}, nil
	}
	root := v.From == None || v.crawl.isRoot(v.URL)
	if root {
		root = v.crawl.addRoot(withoutUser(to))
	}
	return v.follow(Item{URL: to, Depth: v.Depth, Requisite: v.Requisite, root: root}, true)
}

// Set changes the State and the note of another URL; see [Frontier.Set].
func (v *Visit) Set(id ID, s State, note []byte) error { return v.crawl.Frontier.Set(id, s, note) }

// hops returns the number of redirections that led to this URL. A link increases the depth, and a
// redirection does not.
func (v *Visit) hops() (n int, err error) {
	for e := v.Entry; e.From != None && n < maxHops; n++ {
		depth := e.Depth
		if e, err = v.crawl.Frontier.Entry(e.From); err != nil || e.Depth < depth {
			return n, err
		}
	}
	return n, nil
}

func (v *Visit) follow(item Item, page bool) (found Found, err error) {
	if item.URL == nil {
		return Found{Decision: refuse("the URL is nil")}, nil
	}
	if url.Local(item.URL.Scheme) && !url.Local(v.URL.Scheme) {
		return Found{Decision: refuse("a server does not lead to a file of this machine")}, nil
	}
	item.URL, item.From = withoutUser(item.URL), v.ID
	found.Decision = v.crawl.decide(item.URL, item.Depth, item.Requisite, page)
	if !found.Visit {
		if found.Trap {
			v.trapped(found.Decision, item.URL)
		}
		return found, nil
	}
	found.Entry, found.Known, err = v.crawl.Frontier.Lookup(item.URL)
	if found.Known || err != nil {
		return found, err
	}
	if d := v.crawl.traps.add(item.URL); !d.Visit {
		return Found{Decision: v.trapped(d, item.URL)}, nil
	}
	found.Entry.ID, err = v.crawl.Frontier.addOne(item)
	return found, err
}

// trapped records a URL that looks like one of an endless series. It reports one for each path.
func (v *Visit) trapped(d Decision, u *url.URL) Decision {
	if v.crawl.traps.first(u) {
		e := Entry{ID: None, URL: u, From: v.ID, Depth: v.Depth + 1, State: Skipped}
		v.traps = append(v.traps, Result{Entry: e, Why: d.Why})
	}
	return d
}

// results returns the Result of the visit, unless the URL waits again, and those of the traps that
// it found.
func (v *Visit) results() []Result {
	if v.State == Waiting {
		return v.traps
	}
	return append(v.traps, Result{Entry: v.Entry, Resource: v.Resource, Err: v.err, Why: v.Why})
}

// leads reports whether the target of a link may have links itself, according to its URL.
func leads(l links.Link) bool {
	if l.Entry != nil {
		return l.Entry.Kind == fetchers.Listing || l.Entry.Kind == fetchers.Unknown
	}
	return l.Kind != links.Requisite && MayLead(l.URL)
}

// pages are file name extensions of pages.
var pages = []string{"", "htm", "html", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi", "xml", "gmi"}

// MayLead reports whether u may be a page with links, according to its extension.
func MayLead(u *url.URL) bool { return u != nil && slices.Contains(pages, extension(u)) }

// decide decides about a URL by the Scope and by the redirections of roots.
func (c *Crawl) decide(u *url.URL, depth int, requisite, page bool) Decision {
	d := c.Scope.Decide(u, depth, requisite, page)
	if d.Visit {
		return d
	}
	c.mu.Lock()
	roots := c.roots
	c.mu.Unlock()
	if len(roots) == 0 {
		return d
	}
	wider := *c.Scope
	wider.Roots = slices.Concat(wider.Roots, roots)
	return wider.Decide(u, depth, requisite, page)
}

// isRoot reports whether a root was redirected to u.
func (c *Crawl) isRoot(u *url.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.roots, u.Equal)
}

// maxRoots limits the redirections of roots that count as roots.
const maxRoots = 1000

// addRoot makes u belong to the Scope like a root, and reports whether it does.
func (c *Crawl) addRoot(u *url.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.ContainsFunc(c.roots, u.Equal) {
		return true
	}
	if len(c.roots) >= maxRoots {
		return false
	}
	c.roots = append(slices.Clip(c.roots), u)
	return true
}
