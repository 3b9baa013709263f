package fetchers

import (
	"context"
	"errors"
)

var (
	errNoURL     = errors.New("the request has no URL")
	errNoRequest = errors.New("there is no request")
	errNoContext = errors.New("the context is nil")
	errNoFetcher = errors.New("there is no Fetcher")
)

// Check returns an [*Error] if ctx, req or its URL is nil. A Fetcher calls Check before it uses
// them.
func (req *Request) Check(ctx context.Context) error {
	switch {
	case req == nil:
		return &Error{Op: "fetch", Err: errNoRequest}
	case req.URL == nil:
		return &Error{Op: "fetch", Err: errNoURL}
	case ctx == nil:
		return NewError("fetch", req.URL, errNoContext)
	}
	return nil
}

// Fetch fetches req by f. The error is an [*Error] if f, ctx, req or its URL is nil. A Fetcher that
// wraps another one calls Fetch, so that a missing Fetcher is an error.
func Fetch(ctx context.Context, f Fetcher, req *Request) (*Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, NewError("fetch", req.URL, errNoFetcher)
	}
	return f.Fetch(ctx, req)
}
