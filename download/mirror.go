package download

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// SaveAny is like Save, for a file with several mirrors. It tries them in order until one has the
// whole file with the required content. If the file cannot be written, SaveAny returns that error
// at once. If all mirrors fail, the error is that of the first mirror in reqs, or of the first
// mirror with other content, and also names the failure of the last one. An empty reqs is an error.
//
// If a checksum of the file is known, from to.Sum or from the server, the mirrors share the work:
// segments may come from any of them, and any of them can resume the partial file of another one or
// of an earlier attempt. If the whole file then has another checksum, one mirror has different
// content. SaveAny tries them again one after the other, each for the whole file, or for the pieces
// that are wrong according to to.Pieces.
//
// Without a checksum, nothing proves that the mirrors have the same content, and a file is never
// mixed from two of them. An earlier attempt is resumed at the mirror it was made from, which is
// tried first.
//
// A server may name further mirrors, and the checksum of the file (RFC 6249). They are tried after
// those in reqs. Such a mirror counts as named by a stranger (fetchers.ByStranger), unless it is at
// the same origin as a URL that the user named and that names it. It is tried once. There are at
// most ten such mirrors, and two at one host. The same limits apply to mirrors in reqs, after the
// first, that a stranger named.
func (s *Saver) SaveAny(ctx context.Context, reqs []*fetchers.Request, to Target) (*Saved, error) {
	if len(reqs) == 0 {
		return nil, &fetchers.Error{Op: "fetch", Err: errNowhere}
	}
	for _, req := range reqs {
		if err := req.Check(ctx); err != nil {
			return nil, err
		}
	}
	m := &mirrors{Saver: s, to: to, first: reqs[0], places: s.candidates(reqs, to)}
	for i := 0; i < len(m.places); i++ {
		here := m.places[i]
		got, err := m.save(ctx, here)
		if err == nil || isFinal(ctx, err) {
			return got, err
		}
		m.failed(here, got, err)
		if !m.apart && got != nil && got.mixed && errors.Is(err, ErrChecksum) {
			m.apart, i = true, -1
		}
		if i+1 < len(m.places) && s.Next != nil {
			s.Next(err, m.places[i+1].req)
		}
	}
	return m.result()
}

// mirrors are the mirrors of one file, and the failures so far.
type mirrors struct {
	*Saver
	to     Target
	first  *fetchers.Request // the first one that the user named
	places []candidate       // in the order of trial
	apart  bool              // each has to bring the whole file, since one of them has different content

	saved *Saved // of the failure to report
	err   error  // the failure to report
	last  error  // of the last mirror; nil if that is err
}

// candidates returns the mirrors of reqs in the order of trial.
func (s *Saver) candidates(reqs []*fetchers.Request, to Target) (places []candidate) {
	for i, req := range reqs {
		if i > 0 && req.Named == fetchers.ByStranger {
			if req = bounded(places, req); req == nil {
				continue
			}
		}
		c := candidate{req, to.Sum}
		if len(reqs) > 1 && s.begunAt(req, to) {
			places = slices.Insert(places, 0, c)
		} else {
			places = append(places, c)
		}
	}
	return places
}

// save saves the file from one mirror, with the help of the others unless they are apart.
func (m *mirrors) save(ctx context.Context, here candidate) (*Saved, error) {
	if m.to.Hash != nil {
		m.to.Hash.Reset()
	}
	return m.Saver.save(ctx, here.goal(m.to), func(res *fetchers.Resource, sum Sum) ([]*fetchers.Request, Sum) {
		m.places = m.further(m.places, here.req, res, sum)
		if m.apart {
			return nil, sum
		}
		return others(m.places, here.req, res, sum)
	})
}

// failed stores the failure of a mirror. Different content has priority over other failures, and
// then the first mirror that the user named.
func (m *mirrors) failed(here candidate, got *Saved, err error) {
	m.last = err
	wrong, before := errors.Is(err, ErrChecksum), errors.Is(m.err, ErrChecksum)
	if m.err == nil || wrong && !before || wrong == before && here.req == m.first {
		m.saved, m.err, m.last = got, err, nil
	}
}

// result returns the failure to report. It includes the failure of the last mirror, for which Next
// was not called.
func (m *mirrors) result() (*Saved, error) {
	if m.last != nil {
		return m.saved, fmt.Errorf("%w; and at the last mirror: %v", m.err, m.last)
	}
	return m.saved, m.err
}

// isFinal reports whether no other mirror could help after an error.
func isFinal(ctx context.Context, err error) bool {
	var file *FileError
	return errors.As(err, &file) || ctx.Err() != nil
}

var errNowhere = errors.New("there is no URL to fetch the file from")

// begunAt reports whether an earlier attempt to fetch req has left a partial file.
func (s *Saver) begunAt(req *fetchers.Request, to Target) bool {
	left, _ := s.leftover(candidate{req: req}.goal(to)) // without a sum, so that the partial file has to be of this URL
	left.leave()
	return left != nil
}

// A candidate is a mirror, and the checksum that its file must have.
type candidate struct {
	req *fetchers.Request
	sum Sum
}

// goal returns the goal of a download from the mirror.
func (c candidate) goal(to Target) goal {
	to.Sum = c.sum
	return goal{req: c.req, to: to}
}

// Limits for the mirrors of a file that a stranger names, such as a server or the author of a
// Metalink. Each of them is tried once.
const (
	maxFurther = 10 // mirrors
	maxPerHost = 2  // mirrors at one host
)

// bounded returns a copy of req, a mirror that a stranger named, which is tried once. It returns
// nil if a limit is reached.
func bounded(places []candidate, req *fetchers.Request) *fetchers.Request {
	all, here := 0, 0
	for _, c := range places {
		if c.req.Once {
			all++
			if strings.EqualFold(c.req.URL.Host, req.URL.Host) {
				here++
			}
		}
	}
	if all >= maxFurther || here >= maxPerHost {
		return nil
	}
	once := *req
	once.Once = true
	return &once
}

// others returns the mirrors besides req that have the file of res, and the checksum that proves
// it: want, or else the one that the server announced. Without a checksum it returns none.
func others(places []candidate, req *fetchers.Request, res *fetchers.Resource, want Sum) (others []*fetchers.Request, sum Sum) {
	if sum = want; sum == (Sum{}) {
		_, sum = duplicates(res)
	}
	if sum == (Sum{}) || req.Range != (fetchers.Range{}) {
		return nil, want
	}
	for _, c := range places {
		if c.req != req && (c.sum == sum || c.sum == Sum{}) {
			others = append(others, c.req)
		}
	}
	if others == nil {
		return nil, want
	}
	return others, sum
}

// further returns places, followed by the mirrors that res, the response to from, names. A checksum
// of the user has priority over that of a server. Only a mirror at the origin of a URL that the
// user named gets the secrets for that URL.
func (s *Saver) further(places []candidate, from *fetchers.Request, res *fetchers.Resource, want Sum) []candidate {
	if s.Duplicate == nil {
		return places
	}
	urls, sum := duplicates(res)
	if want != (Sum{}) {
		sum = want
	}
	for _, u := range urls {
		known := slices.ContainsFunc(places, func(c candidate) bool { return c.req.URL.String() == u.String() })
		if known {
			continue
		}
		req := s.Duplicate(u)
		if req == nil {
			continue
		}
		if from.Named != fetchers.ByUser || !u.SameOrigin(from.URL) || !res.URL.SameOrigin(from.URL) {
			req = req.FromStranger()
		}
		if req = bounded(places, req); req != nil {
			places = append(places, candidate{req, sum})
		}
	}
	return places
}
