package download

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// SaveAny is Save for a file that several places are said to have. They are tried in order,
// until one has the whole file with the content that it must have. A file that cannot be
// written ends the search. If all places fail, the error is that of the first place in reqs,
// or of the first that has another content, and names the failure of the last one too. It is
// an error too if reqs is empty.
//
// If a checksum of the file is known, from to.Sum or from the server, the places share the
// work: segments may come from any of them, and a file that one of them began, or an earlier
// attempt, is continued at another one. If the whole then has another checksum, the content of
// one place is different; they are tried again, one after the other, and each for all of the
// file, or for the pieces that are wrong by to.Pieces.
//
// Otherwise nothing proves that all of them have the same content, and a file from one place
// is never continued with octets from another: an earlier attempt is resumed at the place
// where it was made, which is tried first.
//
// A server may name further places, and the checksum of the file (RFC 6249). They come
// after those in reqs. Such a place counts as named by a stranger (fetchers.ByStranger),
// unless it is at the origin of the place that names it and the user has named that. It is
// tried once, and there are at most ten of them, two at a host. The same holds for those
// of reqs, after the first, that are by a stranger.
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

// mirrors are the places of one file, and the failures so far.
type mirrors struct {
	*Saver
	to     Target
	first  *fetchers.Request // that the user named first
	places []candidate       // in the order in which they are tried
	apart  bool              // each is to have the whole, since the content of one is different

	saved *Saved // of the failure that is reported
	err   error  // that is reported
	last  error  // of the last place; nil if that is err
}

// candidates returns the places of reqs in the order in which they are tried.
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

// save saves the file from a place, and with the help of others unless they are apart.
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

// failed notes the failure of a place. One that has another content is reported before all
// others, and among equals the first place that the user named.
func (m *mirrors) failed(here candidate, got *Saved, err error) {
	m.last = err
	wrong, before := errors.Is(err, ErrChecksum), errors.Is(m.err, ErrChecksum)
	if m.err == nil || wrong && !before || wrong == before && here.req == m.first {
		m.saved, m.err, m.last = got, err, nil
	}
}

// result returns the failure that is reported. It names that of the last place, of which Next
// was not told.
func (m *mirrors) result() (*Saved, error) {
	if m.last != nil {
		return m.saved, fmt.Errorf("%w; and at the last place: %v", m.err, m.last)
	}
	return m.saved, m.err
}

// isFinal reports whether no other place would help after an error.
func isFinal(ctx context.Context, err error) bool {
	var file *FileError
	return errors.As(err, &file) || ctx.Err() != nil
}

var errNowhere = errors.New("there is no place to fetch the file from")

// begunAt reports whether an earlier attempt to fetch req has left a partial file.
func (s *Saver) begunAt(req *fetchers.Request, to Target) bool {
	left, _ := s.leftover(candidate{req: req}.goal(to)) // without a sum, it is about this place
	left.leave()
	return left != nil
}

// A candidate is a place, and the checksum that its file must have.
type candidate struct {
	req *fetchers.Request
	sum Sum
}

// goal returns the goal that is to be fetched from the place.
func (c candidate) goal(to Target) goal {
	to.Sum = c.sum
	return goal{req: c.req, to: to}
}

// How many places a stranger may name for a file: a server that names duplicates, or the
// author of a Metalink. Each of these places is tried once.
const (
	maxFurther = 10 // places
	maxPerHost = 2  // of them at one host
)

// bounded returns req, whose place the user has not named, as one that is tried once. It
// returns nil if there are enough of such places already.
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

// others returns the places besides req that have the file which res begins, and the checksum
// that proves it: want, or else the one that the server announced. Without a checksum there
// are none.
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

// further returns places, and behind them those that res names, which is the response to from.
// A checksum from the user counts more than that of a server. Only a place at the origin of a
// URL that the user named gets the same secrets as that.
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
