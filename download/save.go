package download

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

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
	var out output = part
	switch {
	case part == nil:
		if to.again && s.Restart != nil {
			s.Restart(req)
		}
		out, err = to.create(ctx, res)
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
			out, err = to.create(ctx, res)
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
	a.to, a.out = to, out
	saved.spent = !out.readable()
	saved.Fetched, err = a.fill(ctx)
	saved.mixed = a.mixed
	if err != nil {
		return saved, err
	}
	how := finish{beside: to.Beside}
	if to.Times {
		how.modified = res.Validator.ModTime
	}
	saved.Name, err = out.commit(ctx, how)
	if !to.Beside {
		saved.Name = to.Name // which may be that of a link
	}
	return saved, unwritten(ctx, req, err)
}
