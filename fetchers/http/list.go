package http

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// list answers a request for a listing: with the entries of the server's index page, or else with
// those of WebDAV. The Resource may be a Redirect. If the page is no [Index] and the server has no
// WebDAV, the error is ErrNotListing. If req.Describe is set, any page is accepted.
func (f *Fetcher) list(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	page := *req
	page.Range, page.Have, page.NoFail = fetchers.Range{}, fetchers.Validator{}, false
	res, refusal := f.get(ctx, &page)
	switch {
	case refusal != nil && !hasNoPage(refusal):
		return nil, refusal
	case refusal == nil && (res.Kind != fetchers.Document || req.Describe):
		return res, nil
	case refusal == nil:
		is, err := Index(res)
		if is {
			return res, nil
		}
		res.Close()
		if err != nil {
			return nil, err
		}
		refusal = fetchers.NewError("list", req.URL, fmt.Errorf("%w: the page is no index of a directory", fetchers.ErrNotListing))
	}
	page.URL = req.URL.Directory()
	if !req.URL.Equal(page.URL) && !isUnread(refusal) { // else the path may lack the slash of a directory
		return nil, refusal
	}
	res, err := f.List(ctx, &page)
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, fetchers.ErrTemporary)):
		return nil, err
	case err != nil:
		return nil, refusal
	case req.Describe:
		res.Close()
		res.SetBody(nil)
	}
	return res, nil
}

// hasNoPage reports whether err is the refusal of a server that has no page for the directory, but
// may have WebDAV.
func hasNoPage(err error) bool { return isUnread(err) || statusOf(err) == 404 }

// isUnread reports whether the server refused to return a page, without saying that it is missing.
func isUnread(err error) bool { return slices.Contains([]int{403, 405, 501}, statusOf(err)) }

// statusOf returns the status of a refusal, or 0.
func statusOf(err error) int {
	var status *fetchers.StatusError
	if !errors.As(err, &status) {
		return 0
	}
	return status.Code
}
