// Package data fetches data URLs, which contain their own content (RFC 2397):
//
//	data:text/plain;charset=utf-8,caf%C3%A9    Document "café"
//	data:;base64,aGVsbG8=                      Document "hello", text/plain; charset=US-ASCII
//
// It opens no connection. A URL with invalid base64 is malformed.
package data

import (
	"bytes"
	"context"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Fetcher fetches data URLs. The zero value is ready to use.
type Fetcher struct{}

// Fetch decodes the URL, or the Range of req.
func (*Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := req.URL.Data()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	content, err := what.Bytes()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: what.MediaType, Size: int64(len(content))}
	if req.Describe {
		res.SetBody(nil)
		return res, nil
	}
	if req.Range != (fetchers.Range{}) && req.Have.IsZero() {
		if res.Range, err = req.Range.In(res.Size); err != nil {
			return nil, fetchers.NewError("fetch", req.URL, err)
		}
		content = content[res.Range.Offset:][:res.Range.Length]
	}
	res.SetBody(io.NopCloser(bytes.NewReader(content)))
	return res, nil
}
