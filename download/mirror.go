package download

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// SaveAny is Save for a file that is said to be in several places, of which the
// first that has it whole will do. One that fails, or whose file is not what it has
// to be, is followed by the next; a file that cannot be written is the end of it. If
// none will do, the error is that of the first place in reqs, or of the first that has
// something else, and says what happened at the last one too. That reqs has no place is
// an error too.
//
// If it is known what the file hashes to, from to.Sum or from the server, the places
// share the work: segments may come from any of them, and what one of them began or
// an earlier attempt has left is gone on with at another one. If the whole is then not
// what it has to be, one of them has something else, and they are asked again, one
// after the other and each for all of it, or for what to.Pieces says is wrong.
//
// Otherwise nothing proves that all of them have the same, and what one place sent is
// never continued with what another one sends: an earlier attempt is taken up at the
// place where it was made, which is asked first.
//
// A server may name further places, and the hash of the file (RFC 6249). They come
// after those in reqs. Such a place counts as named by a stranger (fetchers.ByStranger),
// unless it is at the origin of the place that names it and the user has named that. It is
// tried once, and there are at most ten of them, two at a host. The same holds for those
// of reqs, after the first, that are by a stranger.
func (s *Saver) SaveAny(ctx context.Context, reqs []*fetchers.Request, to Target) (saved *Saved, err error) {
	if len(reqs) == 0 {
		return nil, &fetchers.Error{Op: "fetch", Err: errNowhere}
	}
	var places []candidate
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
	apart := false
	var last error // of the last place, if err is not
	for i := 0; i < len(places); i++ {
		here := places[i]
		if to.Hash != nil {
			to.Hash.Reset()
		}
		got, failed := s.save(ctx, here.goal(to), func(res *fetchers.Resource, sum Sum) ([]*fetchers.Request, Sum) {
			places = s.further(places, here.req, res, sum)
			if apart {
				return nil, sum
			}
			return others(places, here.req, res, sum)
		})
		if failed == nil {
			return got, nil
		}
		last = failed
		wrong, before := errors.Is(failed, ErrChecksum), errors.Is(err, ErrChecksum)
		if err == nil || wrong && !before || wrong == before && here.req == reqs[0] {
			saved, err, last = got, failed, nil
		}
		var file *FileError
		if errors.As(failed, &file) || ctx.Err() != nil {
			return got, failed
		}
		if !apart && got != nil && got.mixed && errors.Is(failed, ErrChecksum) {
			apart, i = true, -1
		}
		if i+1 < len(places) && s.Next != nil {
			s.Next(failed, places[i+1].req)
		}
	}
	if last != nil {
		err = fmt.Errorf("%w; and at the last place: %v", err, last) // of which nobody was told
	}
	return saved, err
}

var errNowhere = errors.New("there is no place to fetch the file from")

// begunAt reports whether an earlier attempt to fetch req has left a part.
func (s *Saver) begunAt(req *fetchers.Request, to Target) bool {
	left, _ := s.leftover(candidate{req: req}.goal(to)) // without a sum, it is about this place
	left.leave()
	return left != nil
}

// A candidate is a place and what its file has to hash to.
type candidate struct {
	req *fetchers.Request
	sum Sum
}

// goal returns the goal that is to be fetched from the place.
func (c candidate) goal(to Target) goal {
	to.Sum = c.sum
	return goal{req: c.req, to: to}
}

// How much a stranger may have us ask for a file: a server that names duplicates, or the
// author of a Metalink. Each of these places is asked once.
const (
	maxFurther = 10 // places
	maxPerHost = 2  // of them at one host
)

// bounded returns req, which is for a place that the user has not named, as one that is
// tried once. It returns nil if there are enough of such places already.
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

// others returns the places that have the file that res begins, besides req, and what
// it has to hash to then: want, or else what the server says. There are none if nothing
// is known to prove it.
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

// further returns places with those at its end that res names, which is the response to
// from. What the user wants the file to hash to counts more than what a server says. Only a
// place at the origin of a URL that the user named gets the same secrets as that.
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
