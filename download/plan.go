package download

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// This file holds the decisions of a download: its functions do not use a disk, a network or a
// clock. The other steps collect the facts and act on the decisions.

// A file of at most small bytes is fetched again rather than resumed, and has no journal.
const small = 1 << 20

// A goal is one file to save. It is immutable.
type goal struct {
	req   *fetchers.Request
	to    Target
	again bool // an earlier attempt of the same Save was cut off
}

// whole reports whether the request is for the whole resource, rather than a range of it.
func (g goal) whole() bool { return g.req.Range == (fetchers.Range{}) }

// dated returns g with ModTime in its request, if the file gets the time of the resource or is
// compared by it.
func (g goal) dated() goal {
	if (g.to.Times || g.to.Newer) && !g.req.ModTime {
		req := *g.req
		req.ModTime = true
		g.req = &req
	}
	return g
}

// resumes reports whether the partial file of an earlier attempt may be used. A request for a range
// has no partial file. With Prefer, the name is not known before the response.
func (g goal) resumes() bool { return g.whole() && !g.to.Prefer }

// check returns an error if the file has no name.
func (g goal) check() error {
	if g.to.Name == "" && !g.to.Prefer {
		return fileError(errNameless)
	}
	return nil
}

// fits returns an error if the file must not have the given size, which is negative if unknown. It
// does not check a range without the beginning of the file.
func (g goal) fits(size int64) error {
	switch {
	case size < 0, !g.whole() && g.to.Head == 0:
	case g.to.Most > 0 && size > g.to.Most:
		return fmt.Errorf("%w: %d bytes, and the limit is %d", fetchers.ErrTooLarge, size, g.to.Most)
	case g.to.Size > 0 && size != g.to.Size:
		return fmt.Errorf("%w: it has %d bytes, and not %d", ErrChecksum, size, g.to.Size)
	}
	return nil
}

// emptyRest returns an empty rest if err means that the Head is already the whole file, and nil
// otherwise.
func (g goal) emptyRest(err error) *fetchers.Resource {
	var end *fetchers.RangeError
	if g.to.Head <= 0 || !errors.As(err, &end) || end.Offset != g.to.Head || end.Size != end.Offset || errors.Is(err, fetchers.ErrChanged) {
		return nil
	}
	res := &fetchers.Resource{URL: g.req.URL, Kind: fetchers.Document, Size: end.Size, Range: fetchers.Range{Offset: end.Offset}}
	res.SetBody(nil)
	return res
}

// replaces reports whether a new download makes a partial file under the nth name, with the record
// j, obsolete. A range does not replace the whole file. If the partial file may belong to another
// file, as NAME.1.part may to NAME.1, it has to have the same URL. A partial file with a damaged
// journal is always replaced.
func (g goal) replaces(n int, j *record) bool {
	return j.isDamaged() || g.whole() && (n == 0 && !g.to.Beside || j.URL == g.req.URL.Redacted())
}

// replacesOwn is replaces for a file of which only the name is known: NAME.1.part may be the
// partial file of NAME.1.
func replacesOwn(n int, j *record) bool { return n == 0 || j.isDamaged() }

// A former is the existing file with the name of the goal.
type former struct {
	size     int64
	modified time.Time
}

// isCurrent reports whether the existing file can stay, according to the description of the
// resource: it has the same size and is not older. With Newer, the resource must have a time; if
// the server does not tell the size, the time has to be the same.
func (g goal) isCurrent(f former, about *fetchers.Resource) bool {
	modified := about.Validator.ModTime
	sized := about.Size == f.size || about.Size < 0 && g.to.Newer && modified.Equal(f.modified)
	dated := !modified.After(f.modified) && !(g.to.Newer && modified.IsZero())
	return about.Kind == fetchers.Document && sized && dated && g.fits(about.Size) == nil
}

// A leftover describes the file at the nth name for a partial file.
type leftover struct {
	n       int
	err     error   // the reason why it is unusable: it does not exist, or another download or program uses it
	journal *record // nil if it has none
	size    int64   // of the partial file
	unclear bool    // other users can write the partial file
}

// A search tells how to continue the search for a partial file.
type search int

const (
	noFurther search = iota // there is none to resume
	further                 // try the next name
	resume                  // resume this partial file
	busy                    // another download writes the file
)

// judge decides about a leftover. free is true if there was none under the first name; an earlier
// attempt that found another program's file there has used a later name.
func (g goal) judge(l leftover, free bool) search {
	ours := l.err == nil
	switch {
	case errors.Is(l.err, ErrBusy) && !g.to.Beside && !free:
		return busy
	case ours && !l.unclear && l.journal != nil && l.journal.about(g.req.URL, g.to.Sum, l.size) && l.journal.newer(g.req.Have):
		return resume
	case ours && l.n == 0 && !g.to.Beside, l.n == maxLooks:
		return noFurther // this one will be replaced
	case ours, errors.Is(l.err, ErrBusy), errors.Is(l.err, errForeign), l.n == 0 && errors.Is(l.err, fs.ErrNotExist):
		return further
	}
	return noFurther // create returns the error
}

// ranges returns the spans to request for the rest of a partial file, in order of preference: the
// first gap, then everything from its beginning.
func (r *record) ranges() []span {
	gap := r.missing()[0]
	return slices.Compact([]span{gap, {gap.from, r.Size}})
}

// A reply classifies a response to a request for a span of a partial file.
type reply int

const (
	useless reply = iota // a range of another version, or more than one connection should transfer
	theRest              // the span, of the same version
	another              // the whole file, or another version
)

// reply classifies a response to a request for a span.
func (r *record) reply(answer *fetchers.Resource, want span) reply {
	switch {
	case proves(answer, want, r.Size, r.validator()):
		return theRest
	case answer.Range == (fetchers.Range{}) && want.to == r.Size:
		return another
	}
	return useless
}

// known holds the facts for a plan, after the server has answered.
type known struct {
	goal
	answer *fetchers.Resource
	begun  *record // of the partial file that was requested to be resumed; nil if there is none
	rest   bool    // the response is the rest of that file
	stale  bool    // the response is small, and another partial file or journal has its name
}

// A plan tells how a response becomes the file.
type plan struct {
	refusal error // the reason to save nothing; nil if there is none
	empty   bool  // the response has a Kind without content, and is only read to its end

	restarts bool // bytes of an earlier attempt are fetched again
	goesOn   bool // the partial file is resumed; otherwise a new output is opened
	unnamed  bool // the new output has no name until it is whole, if the file system supports that
	journal  bool // a partial file has a journal with its progress
	segments bool // several connections may fetch the file, if it has a journal

	resumed int64 // bytes that exist already
	sum     Sum   // the required sum of the content; the zero Sum allows any
	mixed   bool  // the existing bytes may be from several mirrors
}

// fileName returns the name of the file, and whether the server suggested it.
func (k known) fileName() (name string, suggested bool) {
	if k.isEmpty() || !k.to.Prefer || k.answer.Name == "" {
		return k.to.Name, false
	}
	return filepath.Join(filepath.Dir(k.to.Name), SafeName(k.answer.Name)), true
}

// isEmpty reports whether the response has a Kind without content to save.
func (k known) isEmpty() bool {
	switch k.answer.Kind {
	case fetchers.Document, fetchers.Listing, fetchers.Index:
		return false
	}
	return true
}

// plan decides how the response becomes the file.
func (k known) plan() plan {
	if k.isEmpty() {
		return plan{empty: true}
	}
	p := plan{
		refusal:  k.refusal(),
		goesOn:   k.rest,
		restarts: k.begun != nil && !k.rest || k.begun == nil && k.again,
		resumed:  k.to.Head,
		sum:      k.to.Sum,
	}
	if k.rest {
		p.resumed = k.begun.total()
		if sum, err := ParseSum(k.begun.Sum); err == nil {
			p.sum, p.mixed = sum, true
		}
	}
	p.unnamed = !k.rest && k.isSmall() && k.to.Head == 0 && !(k.stale && k.begun == nil)
	p.journal = k.rest || !k.isSmall()
	p.segments = p.journal && k.whole() && resumable(k.answer)
	return p
}

// continues reports whether the response is appended to existing bytes.
func (p plan) continues() bool { return p.goesOn || p.resumed > 0 }

// refusal returns the reason why the response is not saved, or nil.
func (k known) refusal() error {
	if k.to.Head > 0 && k.answer.Range.Offset != k.to.Head {
		return fetchers.NewError("fetch", k.req.URL, fmt.Errorf("%w: the server sends only the whole resource", fetchers.ErrRange))
	}
	if err := k.fits(k.answer.Size); err != nil {
		return fetchers.NewError("verify", k.req.URL, err)
	}
	return nil
}

// isSmall reports whether another fetch of the content costs no more than resuming it.
func (k known) isSmall() bool { return 0 <= k.answer.Size && k.answer.Size <= small }

// resumable reports whether the Body of a resource has the bytes that the server counts, and the
// resource has a strong validator.
func resumable(res *fetchers.Resource) bool {
	return res.Kind == fetchers.Document && res.Size > 0 && res.Validator.Strong() && res.Header.Get("Content-Encoding") == ""
}

// proves reports whether res is a span of a file of the given size, and of the given version,
// unless state is zero.
func proves(res *fetchers.Resource, want span, size int64, state fetchers.Validator) bool {
	return resumable(res) && res.Size == size && (state.IsZero() || res.Validator.Same(state)) &&
		res.Range == fetchers.Range{Offset: want.from, Length: want.len()}
}
