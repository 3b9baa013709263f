package download

import (
	"context"
	"io"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Saver saves resources in files.
type Saver struct {
	// Fetcher fetches the resources. It is usually a *fetchers.Client.
	Fetcher fetchers.Fetcher

	// Write writes a Resource to a file, if there is a better way than to copy
	// its Body, as for a Listing. It is not called for a Document that may come in segments.
	Write func(w io.Writer, res *fetchers.Resource) error

	// Segments is how many connections a large file may take. 0 is as many as
	// make it faster, up to 16.
	Segments int

	// MaxSegments bounds the connections of a large file where Segments is 0. With 0 only the
	// Saver's own bound counts.
	MaxSegments int

	// Survey remembers the directories where no earlier attempt has left anything. If it is
	// nil, the Saver looks for a partial file of each file.
	Survey *Survey

	// Next is called by SaveAny when a place failed, with the request for the next one,
	// unless it is nil. Several goroutines may call it at once.
	Next func(failed error, next *fetchers.Request)

	// Restart is called before the Saver fetches a file from its beginning of which this run
	// or an earlier one has fetched some octets, since the server does not have the rest of
	// the same content. It may be nil. Several goroutines may call it at once.
	Restart func(req *fetchers.Request)

	// Duplicate returns the request for a further place that a server named to
	// SaveAny (RFC 6249), or nil if that place is not to be used. SaveAny takes the secrets
	// out of the request, unless they may go there. With a nil Duplicate no further place is
	// used.
	Duplicate func(place *url.URL) *fetchers.Request
}

// adaptive is how many connections a file may take if the user gave no number. More than a few
// are made only where each is held back (package share).
const adaptive = 16

// adaptiveLogins is adaptive for protocols with a login, since servers count these.
const adaptiveLogins = 4

// A Saved is the result of a download.
type Saved struct {
	*fetchers.Resource        // which is closed
	Name               string // of the file, be it new or Unchanged; empty if there is none
	Resumed            int64  // how many octets were there from an earlier attempt
	Fetched            int64  // how many octets of the file came; those that came twice count once

	Item    Item   // that All was given; set by All
	SHA256  string // of the content, in lower case hexadecimal, if Options ask All for it; empty for a file that stayed as it was
	Skipped bool   // the State of All has the file, and nothing was fetched

	mixed bool // the octets may be from several places
	spent bool // the output was a pipe or device, and cannot be written again
}

// Save fetches the resource that req names into a file. If an earlier attempt left a partial
// file and the server still has the same content, Save requests only the rest. If the content
// has changed, Save fetches all of it; it never mixes the two. A file gets its name when it is
// whole. An interrupted download leaves NAME.part and NAME.part.json if it can be resumed, and
// nothing otherwise. A whole file that has not the content it must have is removed too, unless
// to.Pieces tell which of it is right. If a download breaks off and cannot be resumed,
// Save starts it again when the Fetcher is a Client whose Retry allows that
// ([fetchers.RestartError]). It does not if to.Head is set, since nothing proves that a
// new answer fits the octets that are there, nor if the output was a pipe or device.
//
// With NoFail of the request the page of a refusal is saved, but not in place of octets that
// the Save could go on from: a partial file, those of to.Head, or a file that to.Keep is
// about. There a refusal is an error.
//
// For a Resource that has no content of its own, such as a Redirect or a Session, the Saved
// has no Name, nor has it for one of Kind Unchanged, unless that is by to.Keep: then Name is
// that of the file that stays as it is. The error is a FileError if the file cannot be
// written, and then ErrBusy if another download writes the partial file. It is ErrChecksum if
// the content is not that which to asks for, or which the server announced (RFC 9530), and one
// of package fetchers otherwise. The Saved is nil if there was no Resource.
//
// A file of up to 1 MiB has no partial file on many systems, and is not known as busy: if two
// downloads write it at once, both succeed, neither has octets of the other, and the one that
// ends last stays.
func (s *Saver) Save(ctx context.Context, req *fetchers.Request, to Target) (*Saved, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	return s.save(ctx, goal{req: req, to: to}, nil)
}

// save makes attempts until one succeeds, or another would not help. If share is not nil, it
// finds further places with the same content.
func (s *Saver) save(ctx context.Context, g goal, share sharing) (*Saved, error) {
	g = g.dated()
	var restarts fetchers.Restarts
	ctx = restarts.Context(ctx)
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

// try makes one attempt.
func (s *Saver) try(ctx context.Context, g goal, share sharing) (*Saved, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	left, err := s.leftover(g)
	if err != nil {
		return nil, fileError(err)
	}
	defer left.leave()
	if left != nil || g.continues() {
		g.req = failing(g.req)
	}
	if left == nil && g.to.Keep {
		if res := s.current(ctx, g); res != nil {
			return &Saved{Resource: res, Name: g.to.Name}, nil
		}
	}
	asked := time.Now()
	answer, rest, err := s.request(ctx, g.req, left)
	took := time.Since(asked)
	if empty := g.emptyRest(err); empty != nil {
		answer, err = empty, nil
	}
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	a := &attempt{
		Saver: s, known: known{goal: g, answer: answer, rest: rest}, took: took,
		left: left, share: share, saved: &Saved{Resource: answer},
	}
	return a.saved, a.run(ctx)
}
