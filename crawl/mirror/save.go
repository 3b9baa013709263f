package mirror

import (
	"context"
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// save writes a document to its file, and follows its links. res is the response, or nil if an
// earlier run has left a partial file.
func (r *run) save(ctx context.Context, v *crawl.Visit, n *note, req *fetchers.Request, res *fetchers.Resource) error {
	before, err := r.tree.stat(n.Path)
	if err != nil {
		return fetchers.NewError("save", v.URL, &download.FileError{Err: err})
	}
	kind := Changed
	if before == nil {
		kind = Added
	}
	switch {
	case before == nil, n.ours(before), r.Overwrite && before.Mode().IsRegular():
	case res != nil && r.alike(n, res, before): // the existing file matches the response, whoever created it
		n.left(before)
		r.say(v.ID, Change{Kind: Unchanged, Path: n.Path})
		return r.linksOf(v, n)
	case r.NoClobber && before.Mode().IsRegular():
		r.say(v.ID, Change{Kind: Unchanged, Path: n.Path})
		return r.linksOf(v, n)
	default:
		return fetchers.NewError("save", v.URL, &download.FileError{Err: fmt.Errorf("%s: %w", n.Path, ErrOccupied)})
	}
	if err := r.tree.mkdir(n.Path); err != nil {
		return fetchers.NewError("save", v.URL, &download.FileError{Err: err})
	}
	restore := *n
	n.intend(before)
	if err := v.Intend(n.bytes()); err != nil {
		return err
	}
	saver := r.Saver
	saver.Fetcher = &given{Fetcher: r.Fetcher, first: res}
	target := download.Target{Name: r.tree.abs(n.Path), Strange: true, Most: r.scope.MaxSize}
	if r.Meter != nil {
		meter, done := r.Meter(n.Path)
		target.Meter = meter
		defer done()
	}
	plain := *req
	plain.Have = fetchers.Validator{}
	asked := now()
	saved, err := saver.Save(ctx, &plain, target)
	if err != nil {
		if r.leftover(n) == "" {
			*n = restore // the write never started
		}
		return err
	}
	v.Resource = saved.Resource
	if saved.Name == "" {
		return fetchers.NewError("save", v.URL, fmt.Errorf("%w: it is a %s by now", fetchers.ErrChanged, saved.Kind))
	}
	if res == nil {
		n.came(saved.Resource, asked)
	}
	r.date(n)
	after, err := r.tree.stat(n.Path)
	if err != nil || after == nil {
		return fetchers.NewError("save", v.URL, &download.FileError{Err: fmt.Errorf("%s: the file is not there any more: %w", n.Path, fs.ErrNotExist)})
	}
	n.left(after)
	r.say(v.ID, Change{Kind: kind, Path: n.Path, Fetched: saved.Fetched, Resumed: saved.Resumed})
	if total := r.came.Add(saved.Fetched); r.Quota > 0 && total > r.Quota {
		defer r.end(ErrQuota)
	}
	return r.linksOf(v, n)
}

// date sets the time of the file to that of its resource, according to the server or else the
// listing. A Saver that does this needs the name of the file before it is whole.
func (r *run) date(n *note) {
	switch {
	case n.Modified != 0:
		r.tree.date(n.Path, time.Unix(n.Modified, 0))
	case n.Listed != nil && n.Listed.Time != 0:
		r.tree.date(n.Path, time.Unix(n.Listed.Time, 0))
	}
}

// intend records that the file is about to be written, and the state of the existing file.
func (n *note) intend(before fs.FileInfo) {
	if n.Meant && n.Time != 0 {
		return // recorded by an earlier run
	}
	n.Size, n.Time = 0, 1 // matches no file
	if before != nil {
		n.left(before)
	}
	n.Meant = true
}

// alike reports whether a file has the size and the time of the response, to the second.
func (r *run) alike(n *note, res *fetchers.Resource, info fs.FileInfo) bool {
	size, modified := res.Size, n.Modified
	if n.Listed != nil && size < 0 {
		size = n.Listed.Size
	}
	if n.Listed != nil && modified == 0 {
		modified = n.Listed.Time
	}
	return info.Mode().IsRegular() && size >= 0 && info.Size() == size && modified != 0 && info.ModTime().Unix() == modified
}

// linksOf follows the links of a file.
func (r *run) linksOf(v *crawl.Visit, n *note) error {
	format, ok := links.FormatOf(n.Type)
	if !ok || n.Plain {
		return nil
	}
	file, err := r.tree.read(n.Path)
	if err != nil {
		return fetchers.NewError("read", v.URL, err)
	}
	defer file.Close()
	for l, err := range format.Read(n.base(v.URL), file) {
		if err := r.link(v, l, err); err != nil {
			return err
		}
	}
	return nil
}

// base returns the URL that the file was fetched from.
func (n note) base(u *url.URL) *url.URL {
	if n.Base != "" {
		if base, err := url.Parse(n.Base); err == nil {
			return base
		}
	}
	return u
}

// given is a Fetcher that answers the first request with an existing response.
type given struct {
	fetchers.Fetcher
	first *fetchers.Resource
	used  atomic.Bool
}

func (g *given) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if g.first != nil && g.used.CompareAndSwap(false, true) && req.Range == (fetchers.Range{}) {
		return g.first, nil
	}
	return fetchers.Fetch(ctx, g.Fetcher, req)
}
