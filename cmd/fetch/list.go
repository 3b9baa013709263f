package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// list writes the entries of a listing, or the one entry that a document is.
func (a *app) list(ctx context.Context, j job) error {
	req, err := a.request(j)
	if err != nil {
		return err
	}
	ctx, cancel := a.limit(ctx)
	defer cancel()
	ctx = a.listen(ctx, req.URL, new(story))
	res, err := a.limited.Fetch(ctx, req)
	listing, noListing := a.web.index(ctx, req, res, err)
	switch {
	case errors.Is(noListing, errNoIndex) && a.raw: // --raw wants the server's bytes, index or not
	case noListing != nil:
		res.Close()
		return noListing
	case listing != nil && listing != res:
		res.Close()
		res, err = listing, nil
	}
	if err != nil {
		return err
	}
	defer res.Close()
	switch {
	case a.raw:
		return a.show(res, false)
	case a.json:
		return writeRows(jsonRows{a}, res)
	case res.Kind == fetchers.Listing:
		return a.show(res, false)
	case terminal(a.stdout):
		return showTable(a.stdout, res)
	}
	return writeRows(tabRows{sink{a.stdout}}, res)
}

// rows writes entries in some form.
type rows interface {
	row(e *fetchers.Entry) error
}

// writeRows writes the entries of res. What is no listing is an entry itself.
func writeRows(to rows, res *fetchers.Resource) error {
	if res.Kind != fetchers.Listing {
		return to.row(&fetchers.Entry{
			URL: res.URL, Name: res.URL.Base(), Kind: res.Kind, MediaType: res.MediaType,
			Size: res.Size, ModTime: res.Validator.ModTime,
		})
	}
	for e, err := range res.Entries() {
		if err != nil {
			return fetchers.NewError("list", res.URL, err)
		}
		if err := to.row(&e); err != nil {
			return err
		}
	}
	return nil
}

// tabRows are for programs: kind, size, time, name and URL between TABs.
type tabRows struct{ w io.Writer }

func (t tabRows) row(e *fetchers.Entry) error {
	_, err := fmt.Fprintf(t.w, "%s\t%s\t%s\t%s\t%s\n", e.Kind, sizeOf(e), timeOf(e), visible(e.Name), visible(urlOf(e)))
	return err
}

func sizeOf(e *fetchers.Entry) string {
	if e.Size < 0 {
		return "-"
	}
	return strconv.FormatInt(e.Size, 10)
}

func timeOf(e *fetchers.Entry) string {
	if e.ModTime.IsZero() {
		return "-"
	}
	return e.ModTime.UTC().Format(time.RFC3339)
}

func urlOf(e *fetchers.Entry) string {
	if e.URL == nil {
		return "-"
	}
	return withoutPassword(e.URL).Redacted()
}

// jsonRows are the entries as JSON, one a line.
type jsonRows struct{ to *app }

func (j jsonRows) row(e *fetchers.Entry) error {
	row := entryJSON{
		Name: e.Name, Kind: e.Kind.String(), MediaType: orNull(e.MediaType), Modified: timeOrNull(e.ModTime),
		Title: orNull(e.Title), Score: orNull(e.Score), Attributes: e.Attributes,
	}
	if e.URL != nil {
		row.URL = orNull(withoutPassword(e.URL).Redacted())
	}
	if e.Size >= 0 {
		row.Size = &e.Size
	}
	if row.Attributes == nil {
		row.Attributes = map[string]string{}
	}
	return j.to.writeJSON(row)
}

type entryJSON struct {
	Name       string            `json:"name"`
	URL        *string           `json:"url"`
	Kind       string            `json:"kind"`
	MediaType  *string           `json:"media_type"`
	Size       *int64            `json:"size"`
	Modified   *string           `json:"modified"`
	Title      *string           `json:"title"`
	Score      *int              `json:"score"`
	Attributes map[string]string `json:"attributes"`
}
