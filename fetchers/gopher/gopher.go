package gopher

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches gopher and gophers URLs. The zero value is ready to use. Its fields must not
// change in use.
type Fetcher struct {
	// Network connects to servers.
	Network *fetchers.Network

	// TLS holds settings for gophers URLs; nil means defaults. It is not modified.
	TLS *tls.Config

	dialer transport.Dialer
}

// Fetch fetches req on a new connection. It opens a second one only if a description is requested,
// and the server does not support Gopher+ or has no information about the item.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := req.URL.Gopher()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	res := unasked(req.URL, what)
	switch plus := what.Plus; {
	case res != nil:
		err = ctx.Err()
	case strings.HasPrefix(plus, "!"), plus == "?":
		res, err = f.attributes(ctx, req, what)
	case req.Describe && what.Search == "" && !strings.HasPrefix(plus, "$"):
		res, err = f.describe(ctx, req, what)
	default:
		res, err = f.item(ctx, req, what)
	}
	if err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	return res, nil
}

// unasked returns the Resource of a URL that needs no request, or nil.
func unasked(u *url.URL, what url.Gopher) *fetchers.Resource {
	res := &fetchers.Resource{URL: u, Size: -1}
	link := linkOf(what.Type, what.Selector)
	switch service := serviceOf(what.Type); {
	case link != nil:
		res.Kind, res.Location, res.Leads = fetchers.Redirect, link, fetchers.Anywhere
	case service != "":
		res.Kind = fetchers.Session
		res.Session = &fetchers.SessionHint{Service: service, Addr: u.Addr()}
		if what.Selector != "" && what.Type != '2' {
			res.Session.Login = fetchers.Credential{User: what.Selector, Source: "url"}
		}
	case what.Type == '7' && !what.SearchSet:
		res.Kind = fetchers.Index
		res.Query = func(words string) *url.URL {
			asked := what
			asked.Search, asked.SearchSet = words, true
			return asked.URL()
		}
	default:
		return nil
	}
	res.SetBody(nil)
	return res
}

// item fetches an item itself, or with "$" the attributes of all items of a directory.
func (f *Fetcher) item(ctx context.Context, req *fetchers.Request, what url.Gopher) (*fetchers.Resource, error) {
	a, err := f.ask(ctx, what, req.Named)
	if err != nil {
		return nil, err
	}
	res := newResource(req.URL, what)
	switch {
	case a.failed:
		defer a.Close()
		return a.failure(req.URL)
	case !a.plus:
		if !req.Describe {
			a.conn.Flow() // judge reads the first line, which may be an error, or the beginning of a slow body
		}
		err = a.judge(what)
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	if res.Kind == fetchers.Document && a.plus && a.length >= 0 {
		res.Size = a.length
	}
	a.conn.Mark(res)
	if req.Describe {
		a.Close()
		res.SetBody(nil)
		return res, nil
	}
	a.conn.Flow()
	body := a.body(res.Kind, textual(what.Type))
	res.Confirmed = a.confirmed.Load
	res.SetBody(body)
	return res, nil
}

// newResource returns the Resource of an item before the request.
func newResource(u *url.URL, what url.Gopher) *fetchers.Resource {
	res := &fetchers.Resource{URL: u, Kind: kindOf(what.Type), MediaType: mediaTypeOf(what.Type, what.Selector), Size: -1}
	if res.Kind == fetchers.Text { // an explicit request returns the text itself
		res.Kind = fetchers.Document
	}
	view := viewType(what.Plus)
	switch {
	case strings.HasPrefix(what.Plus, "$"), view == attributeList:
		res.Kind, res.MediaType = fetchers.Listing, attributeList
	case view != "" && view != plainMenu:
		res.Kind, res.MediaType = fetchers.Document, view
	}
	switch {
	case res.Kind == fetchers.Listing && what.PlusSet:
		res.Parse = parseEither
	case res.Kind == fetchers.Listing:
		res.Parse = parseMenu
	}
	return res
}

// judge checks an answer without a status line: it may be an error in the plain form, or the plain
// item of a server without Gopher+, which is as good as the default view.
func (a *answer) judge(what url.Gopher) error {
	if err := a.plainError(what.Type); err != nil || !what.PlusSet {
		return err
	}
	switch view := viewType(what.Plus); {
	case what.Block != "": // the server has ignored it
	case a.begins("+INFO"):
		a.trace.Note("the attributes have no status line")
		return nil
	case strings.HasPrefix(what.Plus, "$"),
		what.Plus == "+", what.Plus == "+\t0",
		view != "" && view == mediaTypeOf(what.Type, what.Selector):
		a.trace.Note("the server does not speak Gopher+, so this is the plain item")
		return nil
	}
	return errNotPlus
}

var errNotPlus = fmt.Errorf("%w: the server does not speak Gopher+", fetchers.ErrProtocol)
