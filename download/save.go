package download

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Saver saves what it fetches into files.
type Saver struct {
	// Fetcher does the work. It is usually a *fetchers.Client.
	Fetcher fetchers.Fetcher

	// Write writes a Resource to a file, if there is a better way than to copy
	// its Body, as for a Listing. It is not asked about large Documents.
	Write func(w io.Writer, res *fetchers.Resource) error

	// Segments is how many connections a large file may take: 0 is as many as
	// make it faster, up to four.
	Segments int

	// Survey tells of directories where no earlier attempt has left anything. If it
	// is nil, that is looked for with each file.
	Survey *Survey

	// Next is told by SaveAny that a place failed and which is next, if it is not
	// nil. It may be called by several goroutines at once.
	Next func(failed error, next *fetchers.Request)

	// Restart is told that what was begun, in this run or an earlier one, is fetched
	// from its beginning, since the place does not have the rest of the same, if it is
	// not nil. It may be called by several goroutines at once.
	Restart func(req *fetchers.Request)

	// Duplicate returns the request for a further place that a server named to
	// SaveAny (RFC 6249), or nil if it is not to be asked. SaveAny takes the secrets out
	// of it, unless they may go there. A nil Duplicate is for none of them.
	Duplicate func(place *url.URL) *fetchers.Request
}

// adaptive is how many connections may be tried without being asked for. More is
// often taken for an attack.
const adaptive = 4

// A Saved is what became of a resource.
type Saved struct {
	*fetchers.Resource        // which is closed
	Name               string // of the file, be it new or Unchanged; empty if there is none
	Resumed            int64  // how many octets were there from an earlier attempt
	Fetched            int64  // how many came
	mixed              bool   // from several places
	spent              bool   // output went to a pipe or device and cannot be rewritten
}

// A FileError is a failure to write a file.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// fileError returns err as a FileError, if it is an error.
func fileError(err error) error {
	if err == nil {
		return nil
	}
	return &FileError{err}
}

// Save fetches what req asks for into a file. If an earlier attempt left a part
// of it and the server still has the same, only the rest is fetched; if it has
// changed, all of it is, and the two are never mixed. What is whole gets its name;
// what is interrupted is left as NAME.part with NAME.part.json beside it, if it
// can be taken up again, and removed if not. What is whole and is not what it has to be
// is removed too, unless to.Pieces tell which of it is right. If a download cannot be
// resumed, Save starts it again when the Fetcher is a Client whose Retry allows it
// ([fetchers.RestartError]). It does not if to.Head is set, since nothing proves that a
// new answer fits the octets that are there, nor if output went to a pipe or device.
//
// A Resource that has no content of its own, such as a Redirect or a Session, is
// returned without a Name, and so is one of Kind Unchanged, unless it is by to.Keep: then
// Name is that of the file that was left as it is. The error is a
// FileError if the file cannot be written, and that is ErrBusy if another download
// writes it; it is ErrChecksum if the content is not what it has to be, or what the
// server says that it is (RFC 9530), and one of package fetchers otherwise. The
// Saved is nil if there was no Resource.
func (s *Saver) Save(ctx context.Context, req *fetchers.Request, to Target) (*Saved, error) {
	return s.save(ctx, req, to, nil)
}

// save is Save. If others is not nil, it tells which other places have what a
// response begins, if it hashes to a sum.
func (s *Saver) save(ctx context.Context, req *fetchers.Request, to Target, others func(*fetchers.Resource, Sum) ([]*fetchers.Request, Sum)) (*Saved, error) {
	if (to.Times || to.Newer) && !req.ModTime {
		dated := *req
		dated.ModTime = true
		req = &dated
	}
	var restarts fetchers.Restarts
	for {
		saved, err := s.try(ctx, req, to, others)
		if err == nil || saved == nil || saved.spent || to.Head > 0 {
			return saved, err
		}
		if err = restarts.Again(ctx, err); err != nil {
			return saved, fetchers.NewError("fetch", req.URL, err)
		}
		if to.Hash != nil {
			to.Hash.Reset()
		}
		to.again = true
	}
}

// try is save, and does not begin again.
func (s *Saver) try(ctx context.Context, req *fetchers.Request, to Target, others func(*fetchers.Resource, Sum) ([]*fetchers.Request, Sum)) (*Saved, error) {
	if to.Name == "" && !to.Prefer {
		return nil, fileError(errNameless)
	}
	part, err := s.unfinished(req, to)
	if err != nil {
		return nil, fileError(err)
	}
	if part == nil && to.Keep {
		if res := s.looksWhole(ctx, req, to); res != nil {
			return &Saved{Resource: res, Name: to.Name}, nil
		}
	}
	res, err := s.open(ctx, req, part)
	if err != nil {
		part.leave()
		return nil, err
	}
	defer res.Close()
	saved := &Saved{Resource: res}
	switch res.Kind {
	case fetchers.Document, fetchers.Listing, fetchers.Index:
	default:
		part.leave()
		_, err := io.Copy(io.Discard, res.Body) // empty, and read to its end
		if err == nil && res.Kind == fetchers.Unchanged {
			err = to.stillHolds(ctx, req)
		}
		return saved, err
	}
	if to.Prefer && res.Name != "" {
		to.Name = filepath.Join(filepath.Dir(to.Name), SafeName(res.Name))
		if to.Allow != nil {
			if err := to.Allow(to.Name); err != nil {
				return saved, fileError(err)
			}
		}
	}
	if res.Range.Offset != to.Head && to.Head > 0 {
		return saved, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w: only the whole can be had", fetchers.ErrRange))
	}
	if err := to.fits(req, res.Size); err != nil {
		part.leave()
		return saved, fetchers.NewError("verify", req.URL, err)
	}
	to.of = req
	a := &attempt{Saver: s, req: req, res: res}
	switch {
	case part == nil:
		if to.again && s.Restart != nil {
			s.Restart(req)
		}
		part, err = to.create(ctx, res)
		saved.Resumed, a.resumed = to.Head, to.Head > 0
	case res.Range != fetchers.Range{}:
		saved.Resumed, a.resumed = part.journal.total(), true
		if sum, err := ParseSum(part.journal.Sum); err == nil {
			to.Sum, a.mixed = sum, true
		}
	default:
		if s.Restart != nil {
			s.Restart(req)
		}
		if err = part.remove(); err == nil {
			part, err = to.create(ctx, res)
		}
	}
	if err != nil {
		part.leave()
		return saved, unwritten(ctx, req, err)
	}
	if others != nil {
		a.others, to.Sum = others(res, to.Sum)
	}
	to.Meter.begin(saved.Resumed, res.Size)
	a.to, a.part = to, part
	saved.spent = part.name == "" && !part.unnamed
	saved.Fetched, err = a.fill(ctx)
	saved.mixed = a.mixed
	if err != nil {
		return saved, err
	}
	if to.Times {
		part.modified = res.Validator.ModTime
	}
	saved.Name, err = to.commit(ctx, part)
	return saved, unwritten(ctx, req, err)
}

// unwritten returns err as a FileError, or as that of ctx if this was all that was wrong.
func unwritten(ctx context.Context, req *fetchers.Request, err error) error {
	if err != nil && err == ctx.Err() {
		return fetchers.NewError("fetch", req.URL, err)
	}
	return fileError(err)
}

// looksWhole returns what is known about what req asks for, as Kind Unchanged, if
// the file that is there has the same size and is not older, and is what it has to be.
// Where the size is not told, its time has to be the same, for to.Newer.
// It is nil otherwise, and so it is for to.Newer if the resource has no time.
func (s *Saver) looksWhole(ctx context.Context, req *fetchers.Request, to Target) *fetchers.Resource {
	info, err := os.Stat(to.Name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	about := *req
	about.Describe = true
	res, err := s.Fetcher.Fetch(ctx, &about)
	if err != nil {
		return nil // the fetch will fail too, and say why
	}
	res.Close()
	modified := res.Validator.ModTime
	sized := res.Size == info.Size() || res.Size < 0 && to.Newer && modified.Equal(info.ModTime())
	if res.Kind != fetchers.Document || !sized || modified.After(info.ModTime()) || to.Newer && modified.IsZero() || to.fits(req, res.Size) != nil || !to.holds(ctx) {
		return nil
	}
	res.Kind = fetchers.Unchanged
	return res
}

// open asks for what req asks for, or for what is missing of it if there is a part.
func (s *Saver) open(ctx context.Context, req *fetchers.Request, part *Part) (*fetchers.Resource, error) {
	if part == nil {
		return s.Fetcher.Fetch(ctx, req)
	}
	gap := part.journal.missing()[0]
	for _, want := range slices.Compact([]span{gap, {gap.from, part.journal.Size}}) {
		rest := *req
		rest.Range, rest.Have = want.within(part.journal.Size), part.journal.validator()
		res, err := s.Fetcher.Fetch(ctx, &rest)
		switch {
		case err == nil && proves(res, want, part.journal.Size, rest.Have):
			part.journal.goesOn(res, want)
			return res, nil
		case err == nil && res.Range == (fetchers.Range{}) && want.to == part.journal.Size:
			return res, nil // the whole, or something else
		case err == nil:
			res.Close() // it is a part of something else, or more than one connection should bring
		case !fetchers.ConcernsRest(err):
			return nil, err
		}
	}
	return s.Fetcher.Fetch(ctx, req)
}

// An attempt is one to save what a place has.
type attempt struct {
	*Saver
	req     *fetchers.Request
	others  []*fetchers.Request // places that have the same, if it hashes to to.Sum
	to      Target
	part    *Part
	res     *fetchers.Resource // what the part begins with, or goes on with
	resumed bool
	mixed   bool // what is in the part may be from several places
}

// fill writes res to the part, with what else is missing. If that fails, the part is
// left or removed.
func (a *attempt) fill(ctx context.Context) (fetched int64, err error) {
	proofs := proofs(append(declared(a.req, a.res, a.resumed), a.to.Sum)...)
	var hashes []hash.Hash
	for _, p := range proofs {
		hashes = append(hashes, p.hash)
	}
	if a.to.Hash != nil {
		hashes = append(hashes, a.to.Hash)
	}
	part := a.part
	part.begin(a.req.URL, a.res)
	if part.journal != nil {
		a.Survey.forget()
	}
	if part.journal != nil && resumable(a.res) && a.req.Range == (fetchers.Range{}) {
		fetched, err = a.segmented(ctx, hashes)
	} else {
		if err = a.to.copyHead(filler{part, hashes, nil}); err == nil {
			err = a.write(filler{part, hashes, a.to.Meter}, a.res)
		}
		fetched = a.res.Received()
	}
	if err == nil {
		if err = check(proofs); err == nil {
			err = a.checkWhole(ctx)
		}
		if err == nil {
			return fetched, nil
		}
		err = fetchers.NewError("verify", a.req.URL, err)
	}
	if part.journal != nil && a.keeps(ctx, err) {
		part.leave()
	} else {
		part.Discard()
	}
	return fetched, err
}

// checkWhole holds the file against to.Size, and against to.Pieces where they are all that
// it is known to hash to.
func (a *attempt) checkWhole(ctx context.Context) error {
	if a.part.name == "" && !a.part.unnamed {
		return nil
	}
	if a.to.Size < 1 && !a.to.inPieces() {
		return nil
	}
	size := a.part.size()
	if err := a.to.fits(a.req, size); err != nil || !a.to.inPieces() {
		return err
	}
	return a.to.Pieces.check(ctx, a.part, size)
}

// keeps reports whether another attempt can go on with what there is after a failure.
// Pieces that are wrong are no longer there for it.
func (a *attempt) keeps(ctx context.Context, failed error) bool {
	j := a.part.journal
	wrong := errors.Is(failed, ErrChecksum)
	var file *FileError
	if a.to.Pieces == nil || a.to.Sum == (Sum{}) || errors.As(failed, &file) || ctx.Err() != nil {
		return !wrong && len(j.Have) > 0
	}
	there := j.Have
	if wrong {
		there = []span{{0, j.Size}}
	}
	right, err := a.to.Pieces.right(ctx, a.part, j.Size, there)
	if err != nil || a.part.sync() != nil {
		return !wrong && len(j.Have) > 0
	}
	j.Sum = a.to.Sum.String() // which proves what any place will add
	whole := len(right) == 1 && right[0].len() == j.Size
	return j.note(right) == nil && len(right) > 0 && !(wrong && whole)
}

// segmented fetches what is missing of the part, of which res is the beginning.
func (a *attempt) segmented(ctx context.Context, hashes []hash.Hash) (int64, error) {
	j := a.part.journal
	all := &segments{
		fetcher: a.Fetcher, part: a.part, hashes: hashes, meter: a.to.Meter, next: a.Next,
		size: a.res.Size, gaps: j.missing(), more: make(chan struct{}, 1),
		sources: []*source{{req: a.req, state: j.validator()}},
	}
	for _, other := range a.others {
		all.sources = append(all.sources, &source{req: other})
		j.Sum = a.to.Sum.String()
	}
	pace := pace{most: a.Segments, eager: a.Segments > 0}
	switch {
	case a.res.URL.Scheme == "file":
		pace.most = 1 // the others would read the same disk
	case a.Segments == 0:
		pace.most = adaptive
	}
	err := all.run(ctx, a.res, pace)
	a.mixed = a.mixed || all.mixed()
	if err != nil {
		return all.received, fetchers.NewError("read", a.req.URL, err)
	}
	a.res.Confirmed = func() bool { return true } // every segment was
	a.res.Range = fetchers.Range{}                // all of them are the whole
	return all.received, nil
}

// copyHead writes the beginning that is there.
func (to Target) copyHead(w io.Writer) error {
	if to.Head == 0 {
		return nil
	}
	file, err := os.Open(to.Name)
	if err != nil {
		return fileError(err)
	}
	defer file.Close()
	if _, err := io.CopyN(w, file, to.Head); err == io.EOF {
		return fileError(fmt.Errorf("%s: it has less than %d bytes", to.Name, to.Head))
	} else if err != nil {
		return fileError(err)
	}
	return nil
}

func (s *Saver) write(w io.Writer, res *fetchers.Resource) error {
	if s.Write != nil {
		return s.Write(w, res)
	}
	_, err := io.Copy(w, res.Body)
	return err
}

// maxLooks bounds the numbers under which the part of an earlier attempt is looked for.
const maxLooks = 1000

// unfinished returns the part of what req asks for that an earlier attempt left,
// or nil if there is none to go on with.
func (s *Saver) unfinished(req *fetchers.Request, to Target) (*Part, error) {
	if s.Survey.isClear(filepath.Dir(to.Name)) {
		return nil, nil
	}
	if req.Range != (fetchers.Range{}) || to.Prefer || to.refused() != nil {
		return nil, nil // it asks for something else than the whole, or who knows where to
	}
	name, special, err := resolve(to.Name)
	if err != nil || special {
		return nil, nil // create will say what is wrong with it
	}
	free := false       // there is no NAME.part, but an earlier attempt may have used NAME.1.part beside a foreign one
	for n := 0; ; n++ { // in the order in which beginFor tries them
		part, err := reopen(numbered(name, n))
		switch {
		case errors.Is(err, ErrBusy) && !to.Beside && !free:
			return nil, err
		case err == nil && !part.unclear && part.journal != nil && part.journal.about(req.URL, to.Sum, part.size()) && part.journal.newer(req.Have):
			part.name = name
			part.journal.moveTo(req.URL)
			return part, nil
		}
		part.leave()
		if n == 0 && errors.Is(err, fs.ErrNotExist) {
			free = true
			removeJournals(partName(name)) // of a download that was killed after the part got its name
		}
		taken := err == nil || errors.Is(err, ErrBusy) || errors.Is(err, errForeign)
		if ofName := n == 0 && err == nil && !to.Beside; ofName || !taken && !(n == 0 && free) || n == maxLooks {
			return nil, nil // there are no more, or create will say why it cannot be known
		}
	}
}

// create begins the part of what a response brings. What is small is not taken up again,
// so it can do without a name until it is whole, unless its time is to be set by that, or
// an earlier attempt left a part that it replaces.
func (to Target) create(ctx context.Context, res *fetchers.Resource) (*Part, error) {
	if 0 <= res.Size && res.Size <= small && to.Head == 0 && !to.Times && !isThere(partName(to.Name)) && !isThere(journalName(partName(to.Name))) {
		if f, err := openUnnamed(to.Name); err == nil {
			return &Part{File: f, unnamed: true}, nil
		}
	}
	return to.createNamed(ctx)
}

// createNamed begins a part that has a name.
func (to Target) createNamed(ctx context.Context) (*Part, error) {
	if to.Beside {
		return createBeside(to.Name, to.takes)
	}
	if err := to.refused(); err != nil {
		return nil, &fs.PathError{Op: "create", Path: to.Name, Err: err}
	}
	return create(ctx, to.Name, to.takes)
}

// takes reports whether the part under the nth name, which has the journal j, is of no more
// use once to is there. A range does not replace the whole. If the part may be that of
// another file, as NAME.1.part may be that of NAME.1, it has to be of the same URL. A part
// with a damaged journal is always replaced.
func (to Target) takes(n int, j *journal) bool {
	return j.isDamaged() || to.of.Range == (fetchers.Range{}) && (n == 0 && !to.Beside || j.URL == to.of.URL.Redacted())
}

// commit gives the part its name, and returns it.
func (to Target) commit(ctx context.Context, part *Part) (string, error) {
	switch {
	case part.unnamed:
		return to.appear(ctx, part)
	case to.Beside:
		return part.CommitBeside()
	}
	return to.Name, part.Commit()
}

// appear gives an unnamed part its name. If somebody has that, or nobody can, it is
// for a part with a name to find out.
func (to Target) appear(ctx context.Context, part *Part) (string, error) {
	defer part.Close()
	if linkUnnamed(part.File, to.Name) == nil {
		return to.Name, nil
	}
	named, err := to.createNamed(ctx)
	if err != nil {
		return "", err
	}
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		named.Discard()
		return "", err
	}
	if _, err := io.Copy(named, part); err != nil {
		named.Discard()
		return "", err
	}
	return to.commit(ctx, named)
}
