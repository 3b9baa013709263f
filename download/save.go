package download

import (
	"context"
	"io"

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
	return s.save(ctx, goal{req: req, to: to}, nil)
}

// save is Save. If share is not nil, it finds further places with the same content.
func (s *Saver) save(ctx context.Context, g goal, share sharing) (*Saved, error) {
	var restarts fetchers.Restarts
	for {
		saved, err := s.try(ctx, g, share)
		if err == nil || saved == nil || saved.spent || g.to.Head > 0 {
			return saved, err
		}
		if err = restarts.Again(ctx, err); err != nil {
			return saved, fetchers.NewError("fetch", g.req.URL, err)
		}
		if g.to.Hash != nil {
			g.to.Hash.Reset()
		}
		g.again = true
	}
}

// try is save, and does not begin again.
func (s *Saver) try(ctx context.Context, g goal, share sharing) (*Saved, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	left, err := s.leftover(g)
	if err != nil {
		return nil, fileError(err)
	}
	defer left.leave()
	if left == nil && g.to.Keep {
		if res := s.current(ctx, g); res != nil {
			return &Saved{Resource: res, Name: g.to.Name}, nil
		}
	}
	answer, rest, err := s.request(ctx, g.req, left)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	a := &attempt{
		Saver: s, known: known{goal: g, answer: answer, rest: rest},
		left: left, share: share, saved: &Saved{Resource: answer},
	}
	return a.saved, a.run(ctx)
}
