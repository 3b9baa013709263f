package mirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// A lost is a file that is gone.
type lost struct {
	id   crawl.ID
	note note
	c    Change
}

// missing finds files that were not seen, requests each from the server, and deletes those that are
// proved to be gone. A URL has a greater ID than the listing that it was first in, so that a
// directory precedes its contents.
func (r *run) missing(ctx context.Context, yield func(Change, error) bool) error {
	var all []lost
	for e, err := range r.frontier.All() {
		if err != nil {
			return err
		}
		n := readNote(e.Note)
		c, err := r.search(ctx, e, n)
		if late := r.late[e.ID]; late != nil && err == nil && c.Kind == Visited {
			c.Kind, c.Err = Failed, late
		}
		switch {
		case err != nil:
			return err
		case c.Kind == Failed:
			if !yield(c, nil) {
				return errBroken
			}
		case c.Kind == Unproved:
			if !yield(c, nil) {
				return errBroken
			}
		case c.Kind == Gone:
			r.mark(&r.gone, e.ID)
			if n.Path != "" && n.Time != 0 && (!n.Gone || r.Delete) {
				all = append(all, lost{e.ID, n, c})
			} else if n.Path == "" && !n.Gone {
				n.Gone = true
				if err := r.frontier.Set(e.ID, crawl.Settled, n.bytes()); err != nil {
					return err
				}
			}
		}
	}
	var tooMany error
	if most, ok := r.mostDeleted(); ok && r.Delete && len(all) > most {
		failed := &DeleteError{Gone: len(all), Most: most}
		for _, l := range all[:min(len(all), 1000)] {
			failed.Paths = append(failed.Paths, l.note.Path)
		}
		tooMany = failed
	}
	for _, l := range all {
		if r.Delete && tooMany == nil {
			r.delete(&l)
		}
		if tooMany == nil || !r.Delete {
			l.note.Gone = true
		}
		state := crawl.Settled
		if l.note.Listed == nil {
			state = crawl.Done // the next run requests it again
		}
		if err := r.frontier.Set(l.id, state, l.note.bytes()); err != nil {
			return err
		}
		if !yield(l.c, nil) {
			return errBroken
		}
	}
	if err := r.frontier.Flush(); err != nil {
		return err
	}
	return tooMany
}

// search checks a URL that was not seen in this run. The Kind of the Change is Gone, Unproved, or
// another one.
func (r *run) search(ctx context.Context, e crawl.Entry, n note) (Change, error) {
	c := Change{Kind: Visited, URL: e.URL, Path: n.Path}
	isFile := n.Path != "" && n.Time != 0
	switch {
	case e.From == crawl.None, !isFile && n.Listed == nil, e.State == crawl.Waiting:
		return c, nil
	case r.gone.has(e.ID):
		return r.page(e, c)
	case r.seen.has(e.ID), n.Listed == nil:
		return c, nil
	case !r.gone.has(e.From) && !r.asked.has(e.From): // an earlier process has requested the listing
		return c, nil
	case n.Gone && (n.Path == "" || !r.Delete): // an earlier run has proved it
		c.Kind = Gone
		return c, nil
	case !r.gone.has(e.From) && !r.whole.has(e.From):
		if isFile {
			c.Kind, c.Err = Unproved, errors.New("the listing of its directory was not complete")
		}
		return c, nil
	}
	err := r.exists(ctx, e)
	switch {
	case ctx.Err() != nil:
		return c, ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		c.Kind = Gone
	case isFile && err == nil:
		c.Kind, c.Err = Unproved, errors.New("its directory does not list it, and the server has it")
	case isFile:
		c.Kind, c.Err = Unproved, fmt.Errorf("its directory does not list it, and the server does not say that it is gone: %w", err)
	}
	return c, nil
}

// page checks a page that the server does not have. This proves nothing if the server does not have
// the root of the copy either.
func (r *run) page(e crawl.Entry, c Change) (_ Change, err error) {
	root := e
	for root.From != crawl.None {
		if root, err = r.frontier.Entry(root.From); err != nil {
			return c, err
		}
	}
	switch {
	case r.seen.has(root.ID):
		c.Kind = Gone
	case r.asked.has(root.ID): // otherwise an earlier process has requested it
		c.Kind, c.Err = Unproved, fmt.Errorf("the server says that it is gone, and does not have the root %s", root.URL.Redacted())
	}
	return c, nil
}

// exists requests the description of a URL. The error is fs.ErrNotExist if the server does not have
// it, or has a directory of that name.
func (r *run) exists(ctx context.Context, e crawl.Entry) error {
	req := r.crawl.Request(e.URL)
	req.Describe = true
	res, err := fetchers.Fetch(ctx, r.Fetcher, req)
	if err != nil {
		return err
	}
	if to := res.Location; res.Kind == fetchers.Redirect && to != nil {
		dir := *e.URL
		if dir.Path += "/"; dir.Equal(to) {
			err = fmt.Errorf("%w: it is a directory", fs.ErrNotExist)
		}
	}
	return errors.Join(err, res.Close())
}

// mostDeleted returns the maximum number of files to delete, and whether there is a limit.
func (r *run) mostDeleted() (int, bool) {
	l := r.MaxDelete
	if l.Percent {
		return l.Files * r.files / 100, l.Set
	}
	return l.Files, l.Set
}

// delete deletes a file, unless it was changed since it was saved.
func (r *run) delete(l *lost) {
	info, err := r.tree.stat(l.note.Path)
	switch {
	case err != nil:
		l.c.Why = err.Error()
		return
	case info == nil && l.note.Meant && !r.DryRun: // no run has completed the file
		if err := download.Discard(r.tree.abs(l.note.Path)); err != nil {
			l.c.Why = err.Error()
			return
		}
	case info == nil: // already deleted by another process
	case !l.note.ours(info):
		l.c.Why = ErrOccupied.Error()
		return
	case r.DryRun:
		l.c.Why = "nothing is deleted by a dry run"
		return
	default:
		if err := r.tree.remove(l.note.Path); err != nil {
			l.c.Why = err.Error()
			return
		}
	}
	l.note.Path, l.note.Time, l.note.Meant, l.c.Deleted = "", 0, false, true
}

// Error returns the number of files that are gone, and the limit.
func (e *DeleteError) Error() string {
	return fmt.Sprintf("%d files are gone, and no more than %d may be deleted: nothing was deleted", e.Gone, e.Most)
}
