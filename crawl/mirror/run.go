package mirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/url"
)

// A run is one Run of a Mirror.
type run struct {
	*Mirror
	tree     *tree
	frontier *crawl.Frontier
	crawl    *crawl.Crawl
	names    *names
	scope    crawl.Scope
	scratch  string // the directory of the Frontier in a dry run
	files    int    // number of files of the copy at the start
	came     atomic.Int64
	end      context.CancelCauseFunc

	mu    sync.Mutex
	seen  bits               // URLs that were listed or visited in this run, by this process
	whole bits               // complete listings, which prove absence
	gone  bits               // URLs that are proved to be gone
	asked bits               // requested URLs, also without success
	late  map[crawl.ID]error // errors of listed URLs that are not found, until they are proved to be unlisted
	notes map[crawl.ID]Change
}

// begin opens the directory and the Frontier.
func (m *Mirror) begin(ctx context.Context, roots []*url.URL) (_ *run, err error) {
	if ctx == nil || m.Fetcher == nil || len(roots) == 0 {
		return nil, errors.New("mirror: the context or the Fetcher is nil, or the list of URLs is empty")
	}
	r := &run{Mirror: m, scope: m.Scope, notes: make(map[crawl.ID]Change), late: make(map[crawl.ID]error)}
	for _, u := range roots {
		if u == nil {
			return nil, errors.New("mirror: a URL is nil")
		}
		r.scope.Roots = append(r.scope.Roots, u)
	}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if err := r.open(); err != nil {
		return nil, err
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	for _, u := range roots {
		if _, err := r.frontier.Add(crawl.Item{URL: bare(u), From: crawl.None}); err != nil {
			return nil, err
		}
	}
	return r, r.frontier.Flush()
}

// bare returns u without its user, which must not be stored in the Frontier.
func bare(u *url.URL) *url.URL {
	without := *u
	without.User = nil
	return &without
}

// open opens the directory and the Frontier.
func (r *run) open() (err error) {
	if !r.DryRun {
		if r.tree, err = openTree(r.Dir); err != nil {
			return err
		}
		r.frontier, err = crawl.Open(filepath.Join(r.Dir, stateName))
		if err == nil {
			r.tree.probe()
		}
		return err
	}
	return r.openCopy()
}

// openCopy opens a copy of the Frontier, for a dry run. If the directory does not exist, the
// Frontier is new.
func (r *run) openCopy() (err error) {
	if r.scratch, err = os.MkdirTemp("", "fetch-mirror-"); err != nil {
		return err
	}
	dir := r.scratch
	if _, err := os.Stat(r.Dir); r.Dir != "" && err == nil {
		dir = r.Dir
		err := copyFile(filepath.Join(r.scratch, stateName), filepath.Join(dir, stateName))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if r.tree, err = openTree(dir); err != nil {
		return err
	}
	r.frontier, err = crawl.Open(filepath.Join(r.scratch, stateName))
	if err == nil {
		r.tree.probe()
	}
	return err
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// load reads the paths of all URLs. If the last run was complete, all URLs that this run has to
// request become Waiting.
func (r *run) load() error {
	ended := r.frontier.Counts().Waiting == 0
	r.names = newNames(r.tree.fold)
	for e, err := range r.frontier.All() {
		if err != nil {
			return err
		}
		if ended && e.State == crawl.Skipped { // the settings may have changed
			if err := r.frontier.Set(e.ID, crawl.Waiting, e.Note); err != nil {
				return err
			}
		}
		n := readNote(e.Note)
		if n.Meant && (e.State == crawl.Done || e.State == crawl.Settled) { // a page was being converted
			if err := r.resolve(e, &n); err != nil {
				return err
			}
		}
		if n.Path != "" {
			if !filepath.IsLocal(filepath.FromSlash(n.Path)) || path.Clean(n.Path) == stateName {
				return fmt.Errorf("%s: %w: a path that no file of the copy can have", r.tree.abs(stateName), ErrDamaged)
			}
			r.names.keep(e.ID, r.wanted(e.URL, n.Type), n.Path)
			if !n.Gone && n.Time != 0 {
				r.files++
			}
		}
	}
	if !ended {
		return nil
	}
	return r.frontier.Renew()
}

// resolve finds out whether an interrupted conversion of a page was complete.
func (r *run) resolve(e crawl.Entry, n *note) error {
	info, err := r.tree.stat(n.Path)
	if info == nil || err != nil {
		return err
	}
	if have, _ := r.there(n); have {
		n.left(info)
		n.Plain = true
	}
	n.Meant = false
	return r.frontier.Set(e.ID, e.State, n.bytes())
}

func (r *run) close() error {
	var err error
	if r.frontier != nil {
		err = r.frontier.Close()
	}
	if r.tree != nil {
		err = errors.Join(err, r.tree.close())
	}
	if r.scratch != "" {
		err = errors.Join(err, os.RemoveAll(r.scratch))
	}
	return err
}

// run visits all waiting URLs, and then finds deleted files and converts pages.
func (r *run) run(ctx context.Context, yield func(Change, error) bool) error {
	within, end := context.WithCancelCause(ctx)
	defer end(nil)
	r.end = end
	r.crawl = &crawl.Crawl{
		Frontier: r.frontier, Scope: &r.scope, Visit: r.visit,
		Robots: r.Robots, Pace: r.Pace, Hosts: r.Hosts, Most: r.Most,
	}
	if r.Sitemaps {
		if err := r.addSitemaps(ctx); err != nil {
			return err
		}
	}
	for result, err := range r.crawl.Run(within) {
		if err != nil {
			if cause := context.Cause(within); errors.Is(err, context.Canceled) && cause != nil {
				return cause
			}
			return err
		}
		if c := r.change(result); c.Kind != Gone && !yield(c, nil) {
			return errBroken
		}
	}
	if err := r.missing(ctx, yield); err != nil {
		return err
	}
	if r.Convert && !r.DryRun {
		return r.convertAll(ctx)
	}
	return nil
}

// change returns the Change of a visit.
func (r *run) change(result crawl.Result) Change {
	r.mu.Lock()
	c, ok := r.notes[result.ID]
	delete(r.notes, result.ID)
	r.mu.Unlock()
	if !ok || result.ID == crawl.None {
		c = Change{Kind: Visited}
	}
	c.URL, c.Resource = result.URL, result.Resource
	switch {
	case result.Err != nil && c.Kind != Gone:
		c.Kind, c.Err = Failed, result.Err
		if from, err := r.frontier.Entry(result.From); err == nil {
			c.From = from.URL
		}
	case result.State == crawl.Skipped:
		c.Kind, c.Why = Skipped, result.Why
	}
	return c
}

// say stores the Change of a visit until its Result is yielded.
func (r *run) say(id crawl.ID, c Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes[id] = c
}

// mark adds a URL to a set.
func (r *run) mark(set *bits, id crawl.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set.add(id)
}

// addSitemaps adds the sitemaps of the servers of the roots.
func (r *run) addSitemaps(ctx context.Context) error {
	if r.Robots == nil {
		return nil
	}
	for _, root := range r.scope.Roots {
		maps, err := r.Robots.Sitemaps(ctx, root)
		if err != nil {
			return err
		}
		for _, u := range maps {
			if _, err := r.frontier.Add(crawl.Item{URL: bare(u), From: 0, Depth: 0}); err != nil {
				return err
			}
		}
	}
	return nil
}

// follows reports whether a link of a page is to be followed.
func (r *run) follows(l links.Link) bool {
	switch l.Kind {
	case links.Mention:
		return false
	case links.Sitemap:
		return r.Sitemaps
	}
	return !l.NoFollow || l.Kind == links.Requisite || !r.NoFollow
}
