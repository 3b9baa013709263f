package fetchers

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/seed1ea3422f/fetch/url"
)

// DefaultDepth is the Depth of a Walker that has none.
const DefaultDepth = 64

// A Walker visits all that is below a directory, in any protocol with listings. Its fields must
// not change in use.
type Walker struct {
	Fetcher Fetcher // usually a *Client

	// Depth is how many levels of directories there may be below the root: 0 means
	// DefaultDepth. A directory that is deeper is not entered, and ErrTooLarge.
	Depth int

	// Enter decides whether a directory is entered. If nil, all are.
	Enter func(dir Entry) bool
}

// Walk is the Walk of a Walker with the Fetcher f.
func Walk(ctx context.Context, f Fetcher, root *url.URL) iter.Seq2[Entry, error] {
	return (&Walker{Fetcher: f}).Walk(ctx, root)
}

// Walk yields what is below the directory root: each entry of its listing in the server's
// order, and after a directory, what is below that. If ctx, the Fetcher or root is nil, it yields
// one error.
//
// A directory is entered only if its URL is below that of the directory which lists it
// ([url.URL.Holds]). So neither names nor redirections that a server made up lead out of root,
// which alone may be redirected to elsewhere by the Fetcher. A symbolic link is not entered,
// where the listing shows it by the attribute unix.link. Where URLs are not hierarchical,
// directories of the same origin are entered, but none below itself.
//
// If a directory cannot be listed, or not to its end, its Entry comes once more with the error,
// an [*Error], and the walk goes on; for root that is an Entry with only a URL and a Kind. When
// ctx is done, its error ends the walk.
//
// A listing is read to its end before its entries are yielded, so no connection waits for the
// caller. Only the entries of the directories that lead to the current one are held.
func (w *Walker) Walk(ctx context.Context, root *url.URL) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := (&Request{URL: root}).Check(ctx); err != nil {
			yield(Entry{URL: root, Kind: Listing, Size: -1}, err)
			return
		}
		v := visit{Walker: w, ctx: ctx, yield: yield}
		v.directory(Entry{URL: root, Kind: Listing, Size: -1}, nil)
	}
}

// A visit is one walk. Its methods report whether to go on.
type visit struct {
	*Walker
	ctx   context.Context
	yield func(Entry, error) bool
	above []*url.URL // the directories that lead to the current one
}

// directory yields what is below dir. Redirections may lead to what within holds.
func (v *visit) directory(dir Entry, within *url.URL) bool {
	place, entries, err := readDirectory(v.ctx, v.Fetcher, dir.URL, within)
	if place != nil && slices.ContainsFunc(v.above, place.Equal) { // by a redirection
		return true
	}
	v.above = append(v.above, place)
	for _, e := range entries {
		if !v.yield(e, nil) || v.enters(e, place) && !v.below(e) {
			return false
		}
	}
	v.above = v.above[:len(v.above)-1]
	return err == nil || v.yield(dir, err) && v.ctx.Err() == nil
}

// enters reports whether e is a directory to be entered from place.
func (v *visit) enters(e Entry, place *url.URL) bool {
	return e.Kind == Listing && !e.isLink() && e.URL != nil && place.Holds(e.URL) &&
		!slices.ContainsFunc(v.above, e.URL.Directory().Equal) && (v.Enter == nil || v.Enter(e))
}

// below yields what is below e, unless that is too deep.
func (v *visit) below(e Entry) bool {
	if depth := cmp.Or(v.Depth, DefaultDepth); len(v.above) > depth {
		err := fmt.Errorf("%w: more than %d levels of directories", ErrTooLarge, depth)
		return v.yield(e, NewError("list", e.URL, err))
	}
	return v.directory(e, e.URL.Directory())
}
