package fetchers

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/seed1ea3422f/fetch/url"
)

// DefaultDepth is the default of Walker.Depth.
const DefaultDepth = 64

// A Walker visits everything below a directory, in any protocol with listings. Its fields must not
// change while in use.
type Walker struct {
	Fetcher Fetcher // usually a *Client

	// Depth is the maximum number of levels of directories below the root: 0 means DefaultDepth. A
	// deeper directory is not entered, and yields ErrTooLarge.
	Depth int

	// Enter decides whether a directory is entered. If nil, all are.
	Enter func(dir Entry) bool
}

// Walk walks root by a Walker with the Fetcher f.
func Walk(ctx context.Context, f Fetcher, root *url.URL) iter.Seq2[Entry, error] {
	return (&Walker{Fetcher: f}).Walk(ctx, root)
}

// Walk yields everything below the directory root: each entry of its listing in the server's order,
// and after a directory, the entries below it. If ctx, the Fetcher or root is nil, it yields one
// error.
//
// A directory is entered only if its URL is below that of the directory that lists it
// ([url.URL.Holds]). Therefore names and redirections made up by a server do not lead out of root.
// Only root itself may be redirected elsewhere by the Fetcher. A symbolic link is not entered if
// the listing shows it by the attribute unix.link. If URLs are not hierarchical, directories of the
// same origin are entered, but no directory within itself.
//
// If a directory cannot be listed completely, its Entry is yielded again with the error, an
// [*Error], and the walk continues; for root this Entry has only a URL and a Kind. When ctx is
// done, its error ends the walk.
//
// A listing is read to its end before its entries are yielded, so that no connection waits for the
// caller. Only the entries of the directories on the path to the current one are held in memory.
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

// A visit is one walk. Its methods report whether to continue.
type visit struct {
	*Walker
	ctx   context.Context
	yield func(Entry, error) bool
	above []*url.URL // path to the current directory
}

// directory yields the entries below dir. Redirections are followed to resources in within.
func (v *visit) directory(dir Entry, within *url.URL) bool {
	place, entries, err := readDirectory(v.ctx, v.Fetcher, dir.URL, within)
	if place != nil && slices.ContainsFunc(v.above, place.Equal) { // after a redirection
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

// enters reports whether the entry e of place is a directory to enter.
func (v *visit) enters(e Entry, place *url.URL) bool {
	return e.Kind == Listing && !e.isLink() && e.URL != nil && place.Holds(e.URL) &&
		!slices.ContainsFunc(v.above, e.URL.Directory().Equal) && (v.Enter == nil || v.Enter(e))
}

// below yields the entries below e, unless the depth is exceeded.
func (v *visit) below(e Entry) bool {
	if depth := cmp.Or(v.Depth, DefaultDepth); len(v.above) > depth {
		err := fmt.Errorf("%w: more than %d levels of directories", ErrTooLarge, depth)
		return v.yield(e, NewError("list", e.URL, err))
	}
	return v.directory(e, e.URL.Directory())
}
