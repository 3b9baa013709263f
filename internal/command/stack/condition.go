package stack

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/textproto"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A held describes the copy that the user has on disk. If the copy is current, it is not fetched
// again.
type held struct {
	validator fetchers.Validator
	unread    error // the error of reading the entity tag; each request for the URL fails with it
}

// openHeld returns the copy that the flags describe. The file of --etag-compare need not
// exist yet. The error is that of ctx.
func openHeld(ctx context.Context, o option.Have) (held, error) {
	var h held
	if !o.Since.Older {
		h.validator.ModTime = o.Since.Time
	}
	if o.ETagCompare == "" {
		return h, nil
	}
	tag, err := pipe.Contents(ctx, o.ETagCompare)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.unread = record.InputError{Err: err}
	}
	h.validator.ETag = strings.TrimSpace(string(tag))
	return h, ctx.Err()
}

// unlessHeld returns next with the condition of --time-cond. Most servers do not support such a
// condition, or only compare whether a time is the same.
func unlessHeld(since option.Since, next fetchers.Fetcher) fetchers.Fetcher {
	if since.IsZero() {
		return next
	}
	return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if option.In(option.Menus, req.URL.Scheme) { // only the attributes of an item have its time
			about := *req
			about.Describe = true
			if res, err := next.Fetch(ctx, &about); err == nil && setUnchanged(res, since) {
				return res, nil
			}
		}
		res, err := next.Fetch(ctx, req)
		if err == nil {
			setUnchanged(res, since)
		}
		var refused *fetchers.StatusError
		if since.Older && option.In(option.Web, req.URL.Scheme) && errors.As(err, &refused) && refused.Code == 412 {
			res = &fetchers.Resource{URL: req.URL, Kind: fetchers.Unchanged, Reply: refused.Reply, Size: -1}
			res.SetBody(nil)
			return res, nil // the server has compared the time
		}
		return res, err
	})
}

// unmodified returns the field If-Unmodified-Since (RFC 9110, section 13.1.4) for -z -DATE: a web
// server then sends a file only if it is no newer than since. It returns nil for another
// condition or scheme.
func unmodified(u *url.URL, since option.Since) textproto.MIMEHeader {
	if !since.Older || !option.In(option.Web, u.Scheme) {
		return nil
	}
	return textproto.MIMEHeader{"If-Unmodified-Since": {since.Time.UTC().Format(http.TimeFormat)}}
}

// setUnchanged makes res Unchanged if it is a Document of a time for which nothing is to be
// fetched, and reports whether it did.
func setUnchanged(res *fetchers.Resource, since option.Since) bool {
	modified := res.Validator.ModTime
	if res.Kind != fetchers.Document || modified.IsZero() || modified.After(since.Time) != since.Older {
		return false
	}
	res.Close()
	res.Kind, res.Confirmed = fetchers.Unchanged, nil
	res.SetBody(nil)
	return true
}

// KeepETag writes the entity tag of res to the file of --etag-save. If res has none, the
// file is emptied: it may hold the tag of an earlier fetch. The error is a
// record.OutputError, or that of ctx if the file is a pipe.
func (st *Stack) KeepETag(ctx context.Context, res *fetchers.Resource) error {
	name, tag := st.options.Have.ETagSave, res.Validator.ETag
	if name == "" || tag == "" && res.Kind == fetchers.Unchanged {
		return nil
	}
	if tag == "" {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	} else {
		tag += "\n"
	}
	return replace(ctx, name, func(w io.Writer) error {
		_, err := io.WriteString(w, tag)
		return err
	})
}
