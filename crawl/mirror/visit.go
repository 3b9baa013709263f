package mirror

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// visit requests one URL and processes the response: it reads a listing, follows a redirection, or
// saves a document and follows its links.
func (r *run) visit(ctx context.Context, v *crawl.Visit) error {
	n := readNote(v.Note)
	defer func() { v.Note = n.bytes() }()
	err := r.ask(ctx, v, &n)
	r.mark(&r.asked, v.ID)
	switch {
	case err == nil:
		r.mark(&r.seen, v.ID)
		if n.Listed != nil && n.Path != "" && v.State == crawl.Done {
			v.State = crawl.Settled // its listing shows changes
		}
	case n.Listed == nil && v.From != crawl.None && isGone(err) && n.Path != "":
		r.mark(&r.seen, v.ID)
		r.mark(&r.gone, v.ID)
		r.say(v.ID, Change{Kind: Gone})
		return nil // missing reports it
	case n.Listed != nil && !v.Time.IsZero() && errors.Is(err, fs.ErrNotExist):
		r.mu.Lock()
		r.late[v.ID] = err
		r.mu.Unlock()
		v.State = crawl.Failed
		r.say(v.ID, Change{Kind: Gone})
		return nil // missing reports it
	case n.Gone && n.Path == "" && isGone(err):
		v.State, v.Why = crawl.Skipped, "it is gone since an earlier run"
		return nil
	}
	return err
}

// isGone reports whether an HTTP server has answered 404 or 410.
func isGone(err error) bool {
	var status *fetchers.StatusError
	return errors.As(err, &status) && (status.Code == 404 || status.Code == 410) && errors.Is(err, fs.ErrNotExist)
}

// ask fetches the URL and processes the response.
func (r *run) ask(ctx context.Context, v *crawl.Visit, n *note) error {
	have, err := r.there(n)
	if err != nil {
		return err
	}
	switch {
	case have && n.Meant && r.leftover(n) == "": // the process was killed after the file was whole
		r.date(n)
		info, err := r.tree.stat(n.Path)
		if err == nil && info != nil && !r.DryRun {
			err = download.Discard(r.tree.abs(n.Path)) // its journal may exist
		}
		if err != nil || info == nil {
			return err
		}
		n.left(info)
		r.say(v.ID, Change{Kind: Added, Path: n.Path})
		return r.linksOf(v, n)
	case have && r.NoClobber:
		r.say(v.ID, Change{Kind: Unchanged, Path: n.Path})
		return nil
	}
	req := v.Request()
	req.Compress, req.Multiplex = n.Listed == nil, true
	if have {
		req.Have = n.validator()
	}
	if n.Meant && !r.DryRun && r.leftover(n) != "" {
		return r.save(ctx, v, n, req, nil)
	}
	if r.DryRun && !mayLead(v) {
		req.Describe = true
	}
	asked := now()
	res, err := fetchers.Fetch(ctx, r.Fetcher, req)
	if res == nil && r.listable(v, err) {
		list := v.Request()
		list.List = true
		if listing, failed := fetchers.Fetch(ctx, r.Fetcher, list); failed == nil {
			res, err = listing, nil
		}
	}
	if err != nil {
		return err
	}
	defer res.Close()
	v.Resource = res
	if _, err := http.Index(res); err != nil {
		return err
	}
	switch res.Kind {
	case fetchers.Unchanged:
		n.Asked = asked
		r.say(v.ID, Change{Kind: Unchanged, Path: n.Path})
		return nil
	case fetchers.Redirect:
		return r.moved(v, n, res)
	case fetchers.Listing:
		return r.list(v, n, res)
	case fetchers.Document:
		return r.document(ctx, v, n, req, res, asked)
	}
	v.State, v.Why = crawl.Skipped, "it is an "+res.Kind.String()
	if res.Kind == fetchers.Session {
		v.Why = "it is an interactive service"
	}
	return nil
}

// leftover returns the name of the partial file of an earlier run, or "".
func (r *run) leftover(n *note) string {
	if n.Path == "" {
		return ""
	}
	return download.Leftover(r.tree.abs(n.Path))
}

// there reports whether the file of a URL exists and is as this copy left it. A file that was about
// to be written exists if it is not its predecessor.
func (r *run) there(n *note) (bool, error) {
	if n.Path == "" {
		return false, nil
	}
	info, err := r.tree.stat(n.Path)
	if info == nil || err != nil {
		return false, err
	}
	if n.Meant {
		before := *n
		before.Meant = false
		return info.Mode().IsRegular() && !before.ours(info), nil
	}
	return n.ours(info), nil
}

// mayLead reports whether the resource of the URL may have links.
func mayLead(v *crawl.Visit) bool {
	path := v.URL.Path
	return strings.HasSuffix(path, "/") || path == "" || crawl.MayLead(v.URL)
}

// listable reports whether a WebDAV listing may replace the missing page of a directory.
func (r *run) listable(v *crawl.Visit, err error) bool {
	var status *fetchers.StatusError
	return strings.HasPrefix(v.URL.Scheme, "http") && (v.URL.Path == "" || strings.HasSuffix(v.URL.Path, "/")) &&
		errors.As(err, &status) && (status.Code == 403 || status.Code == 405 || status.Code == 404 && v.From == crawl.None)
}

// moved follows a redirection.
func (r *run) moved(v *crawl.Visit, n *note, res *fetchers.Resource) error {
	found, err := v.FollowRedirect(res.Location)
	if err != nil {
		return err
	}
	if n.Moved = ""; res.Location != nil {
		n.Moved = short(bare(res.Location).String())
	}
	if !found.Visit {
		v.State, v.Why = crawl.Skipped, found.Why
	}
	return nil
}

// document saves a document, or only reads its links.
func (r *run) document(ctx context.Context, v *crawl.Visit, n *note, req *fetchers.Request, res *fetchers.Resource, asked int64) error {
	keep := r.scope.Kept(v.Decision, res)
	if !keep.Keep {
		v.State, v.Why = crawl.Skipped, keep.Why
		for l, err := range links.Of(res) {
			if err := r.link(v, l, err); err != nil {
				return err
			}
		}
		return nil
	}
	if r.DryRun {
		return r.plan(v, n, res)
	}
	if n.Path == "" {
		wanted := r.wanted(v.URL, res.MediaType)
		if other := r.twin(wanted, v, res); other != nil {
			n.Moved = bare(other).String()
			return nil
		}
		n.Path = r.names.give(v.ID, wanted)
	}
	n.came(res, asked)
	if n.Base = ""; !res.URL.Equal(v.URL) {
		n.Base = short(bare(res.URL).String())
	}
	return r.save(ctx, v, n, req, res)
}

// twin returns the URL of the same document with the same path, as for a directory and its
// index.html. They are the same if the server has the same validator for both.
func (r *run) twin(wanted string, v *crawl.Visit, res *fetchers.Resource) *url.URL {
	id, taken := r.names.owner(wanted)
	if !taken || id == v.ID || path.Base(wanted) != "index.html" {
		return nil
	}
	e, err := r.frontier.Entry(id)
	if err != nil || !e.URL.SameOrigin(v.URL) || path.Dir(e.URL.Path+"-") != path.Dir(v.URL.Path+"-") || e.URL.Query != v.URL.Query {
		return nil
	}
	if n := readNote(e.Note); n.Path != wanted || n.Gone || !n.validator().Strong() || !n.validator().Same(res.Validator) {
		return nil
	}
	return e.URL
}

// plan reports the action for a document in a dry run.
func (r *run) plan(v *crawl.Visit, n *note, res *fetchers.Resource) error {
	kind := Changed
	if n.Path == "" {
		kind, n.Path = Added, r.names.give(v.ID, r.wanted(v.URL, res.MediaType))
	}
	r.say(v.ID, Change{Kind: kind, Path: n.Path, Fetched: max(res.Size, 0)})
	for l, err := range links.Of(res) {
		if err := r.link(v, l, err); err != nil {
			return err
		}
	}
	return nil
}

// link follows a link of a document, or returns a read error.
func (r *run) link(v *crawl.Visit, l links.Link, err error) error {
	switch {
	case errors.Is(err, links.ErrTooLong):
		return nil
	case err != nil:
		return err
	case !r.follows(l):
		return nil
	}
	_, err = v.Follow(l, nil)
	return err
}
