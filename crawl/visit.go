package crawl

import (
	"slices"

	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Visit is one URL that Crawl.Visit is to fetch. One goroutine may use it.
type Visit struct {
	Entry             // State and Note are what it has in the end: Done, and the Note of an earlier visit
	Decision Decision // of the Scope

	// Resource is what the URL named, for the Result. Visit sets it, and closes it.
	Resource *fetchers.Resource

	// Why is the reason if State is Skipped.
	Why string

	crawl *Crawl
	err   error
	traps []Result
}

// maxHops is how many redirections one after the other are followed.
const maxHops = 10

// Request is the Request of the Crawl for the URL.
func (v *Visit) Request() *fetchers.Request { return v.crawl.Request(v.URL) }

// Request returns a request for a URL. It asks for a redirection itself, which is a link like others.
// Secrets are only for the origins that the user has named: a URL there has the user of the root, and
// any other is by a stranger.
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

// withoutUser returns u as it is for everybody.
func withoutUser(u *url.URL) *url.URL {
	if u.User == nil {
		return u
	}
	bare := *u
	bare.User = nil
	return &bare
}

// Intend keeps a note with the URL now, before the visit ends: see [Frontier.Note].
func (v *Visit) Intend(note []byte) error { return v.crawl.Frontier.Note(v.ID, note) }

// Found is what Follow says about a link.
type Found struct {
	Decision       // of the Scope
	Known    bool  // the URL was known before
	Entry    Entry // what was known about it then; of a new one the ID alone
}

// Follow adds where a link leads, with a note, if the Scope wants that and the URL is not known. A user in the
// URL is left out. A link that a server names never leads to a file of this machine.
func (v *Visit) Follow(l links.Link, note []byte) (Found, error) {
	return v.follow(Item{URL: l.URL, Depth: v.Depth + 1, Requisite: l.Kind == links.Requisite, Note: note}, leads(l))
}

// FollowRedirect adds where the redirection leads that the URL is: to a URL of its scheme, or of one that is open
// to all ([url.Open]). Where a redirection of a root leads belongs to the Scope as a root does.
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

// Set changes the State and the note of another URL: see [Frontier.Set].
func (v *Visit) Set(id ID, s State, note []byte) error { return v.crawl.Frontier.Set(id, s, note) }

// hops returns how many redirections have led here. A page is less deep than its links, and a
// redirection is not.
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
		return Found{Decision: refuse("there is no URL")}, nil
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

// trapped takes note of a URL that looks like one of endlessly many, once for those that have a path in
// common.
func (v *Visit) trapped(d Decision, u *url.URL) Decision {
	if v.crawl.traps.first(u) {
		e := Entry{ID: None, URL: u, From: v.ID, Depth: v.Depth + 1, State: Skipped}
		v.traps = append(v.traps, Result{Entry: e, Why: d.Why})
	}
	return d
}

// results returns the Result of the visit, unless the URL waits again, and those of the traps that it
// came to.
func (v *Visit) results() []Result {
	if v.State == Waiting {
		return v.traps
	}
	return append(v.traps, Result{Entry: v.Entry, Resource: v.Resource, Err: v.err, Why: v.Why})
}

// leads reports whether a link may lead to something that has links itself, as far as its URL tells.
func leads(l links.Link) bool {
	if l.Entry != nil {
		return l.Entry.Kind == fetchers.Listing || l.Entry.Kind == fetchers.Unknown
	}
	return l.Kind != links.Requisite && MayLead(l.URL)
}

// pages are the ends of names that pages have.
var pages = []string{"", "htm", "html", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi", "xml", "gmi"}

// MayLead reports whether u may be a page that leads to others, as far as the end of its name tells.
func MayLead(u *url.URL) bool { return u != nil && slices.Contains(pages, extension(u)) }

// decide decides on a URL by the Scope and by where the redirections of roots have led.
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

// maxRoots is how many redirections of roots are taken for roots.
const maxRoots = 1000

// addRoot has u belong to the Scope as a root does, and reports whether it does now.
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
