package download

import (
	"context"
	"io"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Saver saves resources as files.
type Saver struct {
	// Fetcher fetches the resources. It is usually a *fetchers.Client.
	Fetcher fetchers.Fetcher

	// Write writes a Resource to a file, for kinds such as a Listing where copying the Body is not
	// enough. It is not called for a Document that may be fetched in segments.
	Write func(w io.Writer, res *fetchers.Resource) error

	// Segments is the number of connections for a large file. 0 means as many as make the download
	// faster, up to 16.
	Segments int

	// MaxSegments limits the connections of a large file if Segments is 0. 0 means no limit besides
	// the Saver's own.
	MaxSegments int

	// Survey remembers the directories without partial files. If it is nil, the Saver checks each
	// file for a partial file.
	Survey *Survey

	// If Next is not nil, SaveAny calls it when a mirror has failed, with the request for the next
	// one. Next has to be safe for concurrent use.
	Next func(failed error, next *fetchers.Request)

	// If Restart is not nil, the Saver calls it before it restarts a file of which this run or an
	// earlier one has fetched some bytes, because the server does not have the rest of the same
	// content. Restart has to be safe for concurrent use.
	Restart func(req *fetchers.Request)

	// Duplicate returns the request for a mirror that a server named to SaveAny (RFC 6249), or nil
	// to ignore it. SaveAny removes the secrets from the request, unless the mirror may get them.
	// If Duplicate is nil, such mirrors are ignored.
	Duplicate func(place *url.URL) *fetchers.Request
}

// adaptive limits the connections of a file if the user gave no number. The Saver opens more than a
// few only if the server limits the rate of each (package share).
const adaptive = 16

// adaptiveLogins is adaptive for protocols with a login, since servers limit logins.
const adaptiveLogins = 4

// A Saved is the result of a download.
type Saved struct {
	*fetchers.Resource        // closed
	Name               string // of the file, whether new or Unchanged; empty if there is none
	Resumed            int64  // bytes from an earlier attempt
	Fetched            int64  // bytes of the file that arrived; a byte that arrived twice counts once

	Item    Item   // the argument of All; set by All
	SHA256  string // of the content, in lower case hexadecimal, if the Options of All have SHA256; empty for an unchanged file
	Skipped bool   // the State of All lists the file, and nothing was fetched

	mixed bool // the bytes may be from several mirrors
	spent bool // the output was a pipe or device and cannot be rewritten
}

// Save fetches the resource that req names into a file. If an earlier attempt left a partial file
// and the server still has the same content, Save requests only the rest. If the content has
// changed, Save fetches all of it; it never mixes versions. A file gets its name when it is whole.
// An interrupted download leaves NAME.part and NAME.part.json if it can be resumed, and nothing
// otherwise. A whole file with wrong content is removed too, unless to.Pieces tells which pieces
// are right.
//
// If a download is cut off and cannot be resumed, Save restarts it if the Fetcher is a Client whose
// Retry allows that ([fetchers.RestartError]). It does not restart if to.Head is set, since nothing
// proves that a new response matches the existing bytes, or if the output was a pipe or device.
//
// If req has NoFail, an error page is saved as the file. A refusal is still an error if existing
// bytes could be used: a partial file, those of to.Head, or a file for to.Keep.
//
// The Saved has no Name if the Resource has no content of its own, such as a Redirect, a Session,
// or the Kind Unchanged; with to.Keep, Unchanged has the Name of the existing file. The error is a
// FileError if the file cannot be written, and also ErrBusy if another download writes the partial
// file. It is ErrChecksum if the content does not match to, or the sum that the server announced
// (RFC 9530). Other errors are those of package fetchers. The Saved is nil if there was no
// Resource.
//
// On many systems, a file of up to 1 MiB has no partial file and so no lock: if two downloads write
// it at the same time, both succeed, and the last one replaces the other. Their bytes are never
// mixed.
func (s *Saver) Save(ctx context.Context, req *fetchers.Request, to Target) (*Saved, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	return s.save(ctx, goal{req: req, to: to}, nil)
}

// save makes attempts until one succeeds, or another one would not help. If share is not nil, it
// finds mirrors with the same content.
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
