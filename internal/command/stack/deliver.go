package stack

import (
	"errors"
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/internal/command/session"
	"github.com/seed1ea3422f/fetch/record"
)

// Rest returns res and err of a fetch. With -C N, if err reports that the resource ends at byte N, it
// returns an empty Document instead.
func (st *Stack) Rest(req *fetchers.Request, res *fetchers.Resource, err error) (*fetchers.Resource, error) {
	var end *fetchers.RangeError
	at := st.options.Files.ContinueAt.At
	if at <= 0 || !errors.As(err, &end) || end.Size != at || errors.Is(err, fetchers.ErrChanged) {
		return res, err
	}
	res = &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: at, Range: fetchers.Range{Offset: at}}
	res.SetBody(nil)
	return res, nil
}

// CheckDelivery returns an error if the flags cannot use a Resource of the Kind of res: a document,
// a range of one, or a service. An Index can be delivered if its Body describes it; then res has a
// MediaType.
func (st *Stack) CheckDelivery(res *fetchers.Resource) error {
	o := st.options
	if res.Session == nil && (o.Session.Connect || o.Session.Banner > 0) {
		return record.UsageError{Err: fmt.Errorf("%s: no interactive service but a %s: --connect and --banner mean nothing for it", res.URL.Redacted(), res.Kind)}
	}
	asked := o.Ask.Range
	inPart := asked != (fetchers.Range{}) && asked != (fetchers.Range{Length: fetchers.ToEnd}) || o.Files.ContinueAt.At > 0
	switch {
	case res.Kind == fetchers.Index && gopher.FormOf(res) != nil:
		return fmt.Errorf("%s: a form to be filled: %w: give it answers with %s", res.URL.Redacted(), fetchers.ErrNotRetrievable, formHint(gopher.FormOf(res)))
	case res.Kind == fetchers.Index && res.URL.Scheme == "gemini":
		return unanswered(res)
	case res.Kind == fetchers.Index && res.MediaType == "":
		return fmt.Errorf("%s: a searchable index: %w: ask it by %s", res.URL.Redacted(), fetchers.ErrNotRetrievable, res.Query("words").Redacted())
	case res.Kind == fetchers.Document, res.Kind == fetchers.Listing, res.Kind == fetchers.Index:
		if inPart && res.Range == (fetchers.Range{}) {
			return fetchers.NewError("fetch", res.URL, fmt.Errorf("%w: the server sends only the whole resource", fetchers.ErrRange))
		}
	case res.Kind == fetchers.Session:
		return session.Advice(o.Session, res)
	}
	return nil
}
