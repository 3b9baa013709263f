package cluster

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Crawl is the setting of a job that follows links: what belongs to it. The zero Crawl has no roots,
// and follows nothing.
type Crawl struct {
	Roots      []string `json:"roots"`
	Depth      int      `json:"depth,omitempty"` // how many links may lead from a root to a page; 0 is any number
	NoParent   bool     `json:"no_parent,omitempty"`
	SpanHosts  bool     `json:"span_hosts,omitempty"`
	Hosts      []string `json:"hosts,omitempty"`
	NotHosts   []string `json:"not_hosts,omitempty"`
	Accept     []string `json:"accept,omitempty"`
	Reject     []string `json:"reject,omitempty"`
	Requisites bool     `json:"requisites,omitempty"`
}

// maxRoots is how many roots a Crawl may have.
const maxRoots = 10_000

// scope returns the Scope of a Crawl.
func (c Crawl) scope() (*crawl.Scope, error) {
	if len(c.Roots) > maxRoots {
		return nil, fmt.Errorf("cluster: a crawl of %d roots, and the most is %d", len(c.Roots), maxRoots)
	}
	s := &crawl.Scope{
		Depth: c.Depth, NoParent: c.NoParent, SpanHosts: c.SpanHosts, Hosts: c.Hosts, NotHosts: c.NotHosts,
		Accept: c.Accept, Reject: c.Reject, Requisites: c.Requisites,
	}
	for _, root := range c.Roots {
		u, err := (&Item{URL: root}).parse()
		if err != nil {
			return nil, fmt.Errorf("cluster: root of a crawl: %w", err)
		}
		s.Roots = append(s.Roots, u)
	}
	return s, nil
}

// AddCrawl adds a crawl to the job: first it writes c, by whose rules the workers follow links, and then the
// pages of the roots. A job has one Crawl; the roots of an earlier Crawl stay in it.
func (s *Store) AddCrawl(ctx context.Context, c Crawl) error {
	var before Crawl
	revision, err := s.get(ctx, keyCrawl, &before)
	if err != nil {
		return fmt.Errorf("cluster: crawl: %w", err)
	}
	roots := c.Roots
	c.Roots = append(before.Roots, roots...)
	scope, err := c.scope()
	if err != nil {
		return err
	}
	for _, root := range scope.Roots {
		if secret(root) {
			return fmt.Errorf("%s: %w", root.Redacted(), ErrSecret)
		}
	}
	if _, swapped, err := s.swap(ctx, keyCrawl, c, revision); err != nil || !swapped {
		return fmt.Errorf("cluster: the crawl was not set: another program sets it (%w)", err)
	}
	a := NewAdder(s)
	for _, root := range roots {
		if err := a.Add(ctx, Item{URL: root, Follow: true}); err != nil {
			return err
		}
	}
	return a.Flush(ctx)
}

// request returns the request for the URL of an item. A URL that a stranger has named gets no secret,
// is no file of this machine, and is subject to the rules for robots.
func (v *visit) request(ctx context.Context) (*fetchers.Request, error) {
	req := &fetchers.Request{URL: v.url, ModTime: true, NoFollow: v.item.Follow}
	if v.url.User != nil {
		return nil, fetchers.NewError("fetch", v.url, fmt.Errorf("%w: a page of a job holds no user", fetchers.ErrBlocked))
	}
	if v.item.Via == "" {
		return req, nil
	}
	if url.Local(v.url.Scheme) {
		return nil, fetchers.NewError("fetch", v.url, fmt.Errorf("%w: a server does not lead to a file of this machine", fetchers.ErrBlocked))
	}
	if v.worker.Robots != nil {
		verdict, err := v.worker.Robots.Check(ctx, v.url)
		if err != nil {
			return nil, err
		}
		if verdict.Delay > 0 && v.worker.Pace != nil {
			v.worker.Pace.AtLeast(crawl.HostOf(v.url), verdict.Delay)
		}
		if !verdict.Allowed {
			return nil, fetchers.NewError("fetch", v.url, fmt.Errorf("%w: %s", fetchers.ErrBlocked, verdict))
		}
	}
	return req.FromStranger(), nil
}

// read copies a body to w, and takes the links that are in it.
func (v *visit) read(ctx context.Context, res *fetchers.Resource, w io.Writer) error {
	res.WrapBody(func(src io.ReadCloser) io.ReadCloser { return &tee{src, w} })
	for l, err := range links.Of(res) {
		if err != nil {
			break // what is no link is still a body
		}
		v.follow(l.URL, v.item.Depth+1, 0, l.Kind == links.Requisite, l.Kind != links.Requisite && crawl.MayLead(l.URL))
		if v.found.bytes >= linksEach && v.worker.tryLinks(ctx, v.found.items) {
			v.found = found{}
		}
	}
	_, err := io.Copy(io.Discard, struct{ io.Reader }{res.Body})
	return err
}

// maxLinks is how many links of one page are followed.
const maxLinks = 50_000

// The bounds of links in memory, in bytes. More of them become pages before the URL that led to them has a
// record, unless the store has no space for pages.
const (
	linksEach = 256 << 10 // of a URL that is being fetched
	linksMost = 16 << 20  // of all results that are not written yet
	linkSize  = 160       // of a link without its URL
)

// A found is links in memory.
type found struct {
	items []Item
	bytes int
}

func (f *found) add(i Item) {
	f.items = append(f.items, i)
	f.bytes += linkSize + len(i.URL)
}

// hold adds the links of an outcome to the pages at once, if the results that are not written have many.
func (w *Worker) hold(ctx context.Context, o *outcome) {
	if len(o.links.items) == 0 {
		return
	}
	w.mu.Lock()
	n := o.links.bytes
	for _, h := range w.holdings {
		if len(h.pending) > 0 {
			n += h.linkBytes
		}
	}
	w.mu.Unlock()
	if n <= linksMost {
		return
	}
	if w.tryLinks(ctx, o.links.items) {
		o.links = found{}
	}
}

// maxHops is how many redirections one after the other are followed.
const maxHops = 10

// redirected takes the target of a redirection, which is no deeper than the URL itself.
func (v *visit) redirected(res *fetchers.Resource) {
	to := res.Location
	if to == nil || v.item.Hops >= maxHops || to.Scheme != v.url.Scheme && !url.Open(to.Scheme) {
		return
	}
	v.follow(to, v.item.Depth, v.item.Hops+1, v.item.Requisite, true)
}

// follow takes a link, if the scope of the job wants it. A user in the URL is left out.
func (v *visit) follow(to *url.URL, depth, hops int, requisite, page bool) {
	if to == nil || v.followed >= maxLinks || url.Local(to.Scheme) {
		return
	}
	bare := *to
	bare.User, bare.Fragment = nil, ""
	if !v.worker.scope().Decide(&bare, depth, requisite, page).Visit {
		return
	}
	if v.via == "" {
		v.via = shortVia(v.url.Redacted())
	}
	v.followed++
	v.found.add(Item{URL: bare.String(), Follow: true, Depth: depth, Hops: hops, Requisite: requisite, Via: v.via})
}

// A tee copies what is read.
type tee struct {
	io.ReadCloser
	to io.Writer
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if n > 0 {
		if _, failed := t.to.Write(p[:n]); failed != nil {
			return n, failed
		}
	}
	return n, err
}

// A recent remembers hashes of links that were added lately, so that the links which all pages of a site
// have are not added for each of them. A hash may be forgotten, and is then added once more.
type recent struct {
	mu     sync.Mutex
	hashes []hash
}

// recentSize is how many hashes a recent holds: 4 MB of them.
const recentSize = 1 << 18

func (r *recent) place(h hash) *hash {
	if r.hashes == nil {
		r.hashes = make([]hash, recentSize)
	}
	at := (uint32(h[0]) | uint32(h[1])<<8 | uint32(h[2])<<16) % recentSize
	return &r.hashes[at]
}

// has reports whether a link was added lately.
func (r *recent) has(h hash) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *r.place(h) == h
}

// add takes note of a link.
func (r *recent) add(h hash) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*r.place(h) = h
}
