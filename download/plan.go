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

// This file decides, and does nothing else: its functions turn facts into decisions, without
// a look at a disk, a network or a clock. The other steps gather the facts, and act.

// A file of at most small octets is fetched again rather than resumed, and has no journal.
const small = 1 << 20

// A goal is one file that is to be saved. It does not change in use.
type goal struct {
	req   *fetchers.Request
	to    Target
	again bool // an earlier try of the same Save broke off
}

// whole reports whether the request is for the whole resource, rather than a range of it.
func (g goal) whole() bool { return g.req.Range == (fetchers.Range{}) }

// dated returns g with a request for the time of the resource, if the file gets that time or
// is compared by it.
func (g goal) dated() goal {
	if (g.to.Times || g.to.Newer) && !g.req.ModTime {
		req := *g.req
		req.ModTime = true
		g.req = &req
	}
	return g
}

// resumes reports whether the partial file of an earlier attempt may be used. A request for
// a range has none, and where the server may suggest the name, that is not known yet.
func (g goal) resumes() bool { return g.whole() && !g.to.Prefer }

// check returns an error if there is no name for the file.
func (g goal) check() error {
	if g.to.Name == "" && !g.to.Prefer {
		return fileError(errNameless)
	}
	return nil
}

// fits returns an error if the file must not have a size, which is less than 0 if it is not
// known. It says nothing about a range without its beginning.
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

// emptyRest returns the rest of a file whose Head is the whole, as err says, and nil otherwise.
func (g goal) emptyRest(err error) *fetchers.Resource {
	var end *fetchers.RangeError
	if g.to.Head <= 0 || !errors.As(err, &end) || end.Offset != g.to.Head || end.Size != end.Offset || errors.Is(err, fetchers.ErrChanged) {
		return nil
	}
	res := &fetchers.Resource{URL: g.req.URL, Kind: fetchers.Document, Size: end.Size, Range: fetchers.Range{Offset: end.Offset}}
	res.SetBody(nil)
	return res
}

// replaces reports whether a partial file under the nth name of the file, with the record j,
// is of no more use once the file is begun. A range does not replace the whole. If the partial
// file may be that of another file, as NAME.1.part may be that of NAME.1, it has to be of the
// same URL. One with a damaged journal is always replaced.
func (g goal) replaces(n int, j *record) bool {
	return j.isDamaged() || g.whole() && (n == 0 && !g.to.Beside || j.URL == g.req.URL.Redacted())
}

// replacesOwn is replaces for a file of which only its name is known: NAME.1.part may be the
// partial file of NAME.1.
func replacesOwn(n int, j *record) bool { return n == 0 || j.isDamaged() }

// A former file has the name of the goal before it is fetched.
type former struct {
	size     int64
	modified time.Time
}

// isCurrent reports whether a former file can stay as it is, by the description of the
// resource: it has the same size and is not older. If the server does not tell the size, the
// time has to be the same, for Newer. For Newer the resource has to have a time.
func (g goal) isCurrent(f former, about *fetchers.Resource) bool {
	modified := about.Validator.ModTime
	sized := about.Size == f.size || about.Size < 0 && g.to.Newer && modified.Equal(f.modified)
	dated := !modified.After(f.modified) && !(g.to.Newer && modified.IsZero())
	return about.Kind == fetchers.Document && sized && dated && g.fits(about.Size) == nil
}

// A leftover is the file under the nth name that a partial file may have, as far as it is ours.
type leftover struct {
	n       int
	err     error   // why it cannot be used: there is none, or another download or program has it
	journal *record // nil if it has none
	size    int64   // of the partial file
	unclear bool    // others can write the partial file
}

// A search says how the search for a partial file goes on after a leftover.
type search int

const (
	noFurther search = iota // there is none to resume
	further                 // the next name may have one
	resume                  // fetch the rest of this one
	busy                    // another download writes the file
)

// judge decides about a leftover. If free, there was none under the first name: an earlier
// attempt that found another program's file there has used a later name.
func (g goal) judge(l leftover, free bool) search {
	ours := l.err == nil
	switch {
	case errors.Is(l.err, ErrBusy) && !g.to.Beside && !free:
		return busy
	case ours && !l.unclear && l.journal != nil && l.journal.about(g.req.URL, g.to.Sum, l.size) && l.journal.newer(g.req.Have):
		return resume
	case ours && l.n == 0 && !g.to.Beside, l.n == maxLooks:
		return noFurther // this one is replaced
	case ours, errors.Is(l.err, ErrBusy), errors.Is(l.err, errForeign), l.n == 0 && errors.Is(l.err, fs.ErrNotExist):
		return further
	}
	return noFurther // create says why it cannot be known
}

// ranges returns the spans to request for the rest of a partial file, one after the other
// until a server sends one: the first gap, then all behind the beginning of that.
func (r *record) ranges() []span {
	gap := r.missing()[0]
	return slices.Compact([]span{gap, {gap.from, r.Size}})
}

// A reply says how an answer to a request for a span of a partial file can be used.
type reply int

const (
	useless reply = iota // a range of something else, or more than one connection should bring
	theRest              // the span, of the same content
	another              // the whole, or something else
)

// reply decides about an answer to a request for a span.
func (r *record) reply(answer *fetchers.Resource, want span) reply {
	switch {
	case proves(answer, want, r.Size, r.validator()):
		return theRest
	case answer.Range == (fetchers.Range{}) && want.to == r.Size:
		return another
	}
	return useless
}

// known holds the facts that a plan is made from, once the server has answered.
type known struct {
	goal
	answer *fetchers.Resource
	begun  *record // of the partial file whose rest was requested; nil if there is none
	rest   bool    // the answer is that rest
	stale  bool    // the answer is small, and another partial file, or a journal of one, is at its name
}

// A plan says how an answer becomes the file.
type plan struct {
	refusal error // why it does not; nil if it does
	empty   bool  // the answer is of a Kind without content, and only read to its end

	restarts bool // octets that an earlier attempt fetched are fetched again
	goesOn   bool // the partial file is filled further; otherwise a new output is opened
	unnamed  bool // that has no name before it is whole, if the file system has such files
	journal  bool // its progress is written to a journal, if it is a partial file
	segments bool // several connections may fill it, if it has a journal

	resumed int64 // octets that are there already
	sum     Sum   // that the content must have; the zero Sum is any
	mixed   bool  // the octets that are there may be from several places
}

// fileName returns the name of the file, and whether the server suggested it.
func (k known) fileName() (name string, suggested bool) {
	if k.isEmpty() || !k.to.Prefer || k.answer.Name == "" {
		return k.to.Name, false
	}
	return filepath.Join(filepath.Dir(k.to.Name), SafeName(k.answer.Name)), true
}

// isEmpty reports whether the answer is of a Kind that has no content to save.
func (k known) isEmpty() bool {
	switch k.answer.Kind {
	case fetchers.Document, fetchers.Listing, fetchers.Index:
		return false
	}
	return true
}

// plan decides how the answer becomes the file.
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

// continues reports whether the answer comes behind octets that are there already.
func (p plan) continues() bool { return p.goesOn || p.resumed > 0 }

// refusal returns why the answer is not saved, or nil if it is.
func (k known) refusal() error {
	if k.to.Head > 0 && k.answer.Range.Offset != k.to.Head {
		return fetchers.NewError("fetch", k.req.URL, fmt.Errorf("%w: only the whole can be had", fetchers.ErrRange))
	}
	if err := k.fits(k.answer.Size); err != nil {
		return fetchers.NewError("verify", k.req.URL, err)
	}
	return nil
}

// isSmall reports whether to fetch the content again costs no more than to resume it.
func (k known) isSmall() bool { return 0 <= k.answer.Size && k.answer.Size <= small }

// resumable reports whether the Body of a resource has the octets that the server counts,
// and whether it is known if they are the same another time.
func resumable(res *fetchers.Resource) bool {
	return res.Kind == fetchers.Document && res.Size > 0 && res.Validator.Strong() && res.Header.Get("Content-Encoding") == ""
}

// proves reports whether res is a span of a file of the given size, and of the given
// state of it, unless that is zero.
func proves(res *fetchers.Resource, want span, size int64, state fetchers.Validator) bool {
	return resumable(res) && res.Size == size && (state.IsZero() || res.Validator.Same(state)) &&
		res.Range == fetchers.Range{Offset: want.from, Length: want.len()}
}
