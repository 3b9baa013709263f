package fetchers

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/url"
)

// maxMoves is how many redirections within a directory are followed for one request. A directory
// without its final slash needs one.
const maxMoves = 5

// fetchWithin fetches req, and follows redirections to resources within a directory. If within is
// nil, f follows them by its own rules, and further ones must stay in the directory of req.
func fetchWithin(ctx context.Context, f Fetcher, req *Request, within *url.URL) (*Resource, error) {
	r := *req
	r.NoFollow = within != nil
	if within == nil {
		within = req.URL.Directory()
	}
	for range maxMoves + 1 {
		res, err := Fetch(ctx, f, &r)
		if err != nil || res.Kind != Redirect {
			return res, err
		}
		to := res.Location
		res.discard()
		if to == nil || !within.Holds(to) {
			return nil, NewError("fetch", r.URL, fmt.Errorf("%w: to %s, outside the directory", ErrRedirect, to.Redacted()))
		}
		moved := *to
		moved.User, moved.Fragment = r.URL.User, ""
		r.URL = &moved
	}
	return nil, NewError("fetch", req.URL, fmt.Errorf("%w: more than %d of them", ErrRedirect, maxMoves))
}

// kindOf returns the Kind of res in a tree. A page whose URL ends in a slash is a directory.
func kindOf(res *Resource) Kind {
	if res.Kind == Document && res.URL.Hierarchical() && strings.HasSuffix(res.URL.Path, "/") {
		return Listing
	}
	return res.Kind
}

// readDirectory reads all entries of the directory u. Redirections are followed as in fetchWithin;
// place is the URL of the listing. With an error, the entries before it are returned. If a listing
// does not contain the Kind of an entry, readDirectory requests it from the server.
func readDirectory(ctx context.Context, f Fetcher, u, within *url.URL) (place *url.URL, entries []Entry, err error) {
	res, err := fetchWithin(ctx, f, &Request{URL: u.Directory(), List: true}, within)
	if err != nil {
		return nil, nil, err
	}
	defer res.Close()
	if res.Kind != Listing {
		return nil, nil, NewError("list", res.URL, fmt.Errorf("%w: a %s", ErrNotListing, res.Kind))
	}
	place = res.URL.Directory()
	for e, failure := range res.Entries() {
		if failure != nil {
			err = NewError("list", res.URL, failure)
			break
		}
		entries = append(entries, e)
	}
	res.Close() // releases the connection for the next requests
	for i := range entries {
		if e := &entries[i]; e.Kind == Unknown && !e.isLink() && e.isIn(place) {
			e.Kind = describedKind(ctx, f, e.URL)
		}
	}
	return place, entries, err
}

// describedKind returns the Kind of u, or Unknown if the server does not report it.
func describedKind(ctx context.Context, f Fetcher, u *url.URL) Kind {
	res, err := fetchWithin(ctx, f, &Request{URL: u, Describe: true, List: true}, u.Directory())
	if err != nil {
		return Unknown
	}
	res.Close()
	return kindOf(res)
}

// isIn reports whether e, an entry of the directory place, is a child of it.
func (e *Entry) isIn(place *url.URL) bool {
	if e.URL == nil || !place.Hierarchical() {
		return e.URL != nil && place.Holds(e.URL)
	}
	child, err := place.Child(e.Name)
	return err == nil && child.Holds(e.URL)
}

// isLink reports whether the listing shows e to be a symbolic link.
func (e *Entry) isLink() bool {
	_, is := e.Attributes["unix.link"]
	return is
}

// File returns the Name as one element of a path of io/fs. A slash, a backslash, a control
// character, a byte that is not UTF-8 and the names "." and ".." are escaped as %XX, and so is a
// "%" that could be taken for such an escape: [url.Unescape] returns the Name again. File is not
// meant for names of local files, which have further rules.
func (e Entry) File() string { return fileName(e.Name) }

func fileName(name string) string {
	if name == "." || name == ".." {
		return strings.Repeat("%2E", len(name))
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		octets := name[i : i+size]
		switch {
		case r == utf8.RuneError && size == 1, r == '/', r == '\\', unicode.IsControl(r),
			r == '%' && url.Unescape(name[i:min(i+3, len(name))]) != name[i:min(i+3, len(name))]:
			for _, c := range []byte(octets) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		default:
			b.WriteString(octets)
		}
		i += size
	}
	return b.String()
}
