// Package mid fetches mid and cid URLs (RFC 2392), which name messages and parts of messages
// without a location.
//
//	mid:message-id              the message, from a news server
//	mid:message-id/content-id   a part of that message
//	cid:content-id              a part of the message In
//
// A part is a Document of its own media type, with its transfer encoding decoded. A missing part is
// fs.ErrNotExist. If no source for the message is set, the error is ErrNotRetrievable.
package mid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches mid and cid URLs. Its fields must not change in use.
type Fetcher struct {
	// News fetches messages, with news URLs without a host. If nil, mid URLs are ErrNotRetrievable.
	News fetchers.Fetcher

	// In is the URL of the message that cid URLs refer to, and Fetcher fetches it. If either is
	// nil, cid URLs are ErrNotRetrievable.
	In      *url.URL
	Fetcher fetchers.Fetcher
}

// Fetch fetches req.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if req.URL.Scheme == "cid" {
		what, err := req.URL.CID()
		switch {
		case err != nil:
			return nil, fetchers.NewError("parse", req.URL, err)
		case f.In == nil || f.Fetcher == nil:
			return nil, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w: it names a part of a message, and no message is set", fetchers.ErrNotRetrievable))
		}
		return part(ctx, f.Fetcher, &fetchers.Request{URL: f.In}, req, what.ContentID)
	}
	what, err := req.URL.MID()
	switch {
	case err != nil:
		return nil, fetchers.NewError("parse", req.URL, err)
	case f.News == nil:
		return nil, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w: it names a message, and no news server is set", fetchers.ErrNotRetrievable))
	}
	whole := *req
	whole.URL = url.News{MessageID: what.MessageID}.URL()
	if what.ContentID == "" {
		res, err := f.News.Fetch(ctx, &whole)
		return res, about(req.URL, err)
	}
	return part(ctx, f.News, &fetchers.Request{URL: whole.URL, Named: req.Named, Login: req.Login}, req, what.ContentID)
}

// part fetches a message with f and returns the part with the content-id.
func part(ctx context.Context, f fetchers.Fetcher, whole, req *fetchers.Request, id string) (*fetchers.Resource, error) {
	from, err := f.Fetch(ctx, whole)
	if err != nil {
		return nil, about(req.URL, err)
	}
	if from.Kind != fetchers.Document {
		from.Close()
		return nil, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w: %s is not a message, but of kind %s", fetchers.ErrNotRetrievable, whole.URL.Redacted(), from.Kind))
	}
	in := message.NewReader(from.Body)
	for {
		p, err := in.Next()
		switch {
		case err == io.EOF:
			from.Close()
			return nil, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w: the message has no part of that content-id", fs.ErrNotExist))
		case err != nil:
			from.Close()
			return nil, about(req.URL, err)
		case p.ContentID != id:
			continue
		}
		res := &fetchers.Resource{
			URL: req.URL, Kind: fetchers.Document, Reply: from.Reply,
			MediaType: p.MediaType, Name: p.Name, Size: -1, Header: p.Header,
		}
		if req.Describe {
			from.Close()
			res.SetBody(nil)
			return res, nil
		}
		res.SetBody(body{p.Body, from, req.URL})
		return res, nil
	}
}

// A body is the content of a part.
type body struct {
	io.Reader
	io.Closer // of the message
	url       *url.URL
}

func (b body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, about(b.url, err)
}

// about returns err as an error about u instead of the URL of the message, and gives an error of
// package message its class.
func about(u *url.URL, err error) error {
	var e *fetchers.Error
	op := "fetch"
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		op, err = e.Op, e.Err
	case errors.Is(err, message.ErrMalformed):
		err = fmt.Errorf("%w: %w", fetchers.ErrProtocol, err)
	}
	return fetchers.NewError(op, u, err)
}
