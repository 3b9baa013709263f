package mirror

import (
	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// list reads a listing. Known unchanged files are not requested; all other entries are queued. The
// listing proves that an absent file is gone if it is complete, its end was confirmed, and all
// lines were parsed.
func (r *run) list(v *crawl.Visit, n *note, res *fetchers.Resource) error {
	n.Type = ""
	res.MaxListing = -1
	whole, at := true, now()
	dir := res.URL.Directory()
	for e, err := range res.Entries() {
		switch {
		case err != nil:
			return err
		case e.URL == nil:
			whole = whole && e.Kind == fetchers.Text
		case r.belongs(&e, dir):
			l := links.Link{URL: e.URL, Text: e.Name, Offset: -1, Entry: &e, ModTime: e.ModTime}
			if err := r.entry(v, l, at); err != nil {
				return err
			}
		}
	}
	if whole && res.Confirmed() {
		r.mark(&r.whole, v.ID)
	}
	return nil
}

// belongs reports whether an entry of a listing is part of the tree: for a directory, an entry in
// it, and for a menu, any entry. A symbolic link to a directory is not followed, as it may form a
// loop.
func (r *run) belongs(e *fetchers.Entry, dir *url.URL) bool {
	if e.URL == nil {
		return false
	}
	if _, link := e.Attributes["unix.link"]; link && e.Kind != fetchers.Document {
		return false
	}
	return !dir.Hierarchical() || dir.Holds(e.URL) && !dir.Equal(e.URL)
}

// entry queues an entry of a listing, unless it is known and unchanged.
func (r *run) entry(v *crawl.Visit, l links.Link, at int64) error {
	listed := factsOf(l.Entry, at)
	found, err := v.Follow(l, note{Listed: listed}.bytes())
	if err != nil {
		return err
	}
	if !found.Visit { // excluded in this run, but it still exists
		if e, known, err := r.frontier.Lookup(l.URL); known || err != nil {
			r.mark(&r.seen, e.ID)
			return err
		}
		return nil
	}
	e := found.Entry
	r.mark(&r.seen, e.ID)
	if !found.Known {
		return nil
	}
	if e.State == crawl.Waiting || e.State == crawl.Doing || r.wasAsked(e.ID) {
		return nil
	}
	n := readNote(e.Note)
	if l.Entry.Kind == fetchers.Listing && n.Path == "" && !n.Gone {
		return nil // a directory, which is queued in each run
	}
	if have, err := r.there(&n); err != nil || have && !n.Gone && n.Listed.same(listed, n.Asked) {
		return err
	}
	n.Listed, n.Gone = listed, false
	failed := v.Set(e.ID, crawl.Waiting, n.bytes())
	if e, err := r.frontier.Entry(e.ID); err == nil && failed != nil && e.State == crawl.Doing {
		return nil // another listing has queued it
	}
	return failed
}

// wasAsked reports whether a URL was requested in this run.
func (r *run) wasAsked(id crawl.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked.has(id)
}
