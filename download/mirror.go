package download

import (
	"context"
	"errors"
	"slices"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// SaveAny is Save for a file that is said to be in several places, of which the
// first that has it whole will do. One that fails, or whose file is not what it has
// to be, is followed by the next; a file that cannot be written is the end of it.
// What one place sent is never continued with what another one sends: an earlier
// attempt is taken up at the place where it was made, which is asked first. If none
// will do, the error is that of the first place in reqs.
//
// Only to.Sum makes sure that all of them have the same. A server that fails after it
// has named further places, and what the file hashes to, is followed by those too, in
// the end; there the file has to have that hash.
func (s *Saver) SaveAny(ctx context.Context, reqs []*fetchers.Request, to Target) (saved *Saved, err error) {
	var places []candidate
	for _, req := range reqs {
		c := candidate{req, to.Sum}
		if len(reqs) == 1 {
			places = append(places, c) // it is first anyway
		} else if part, _ := to.unfinished(req); part != nil {
			part.leave()
			places = slices.Insert(places, 0, c)
		} else {
			places = append(places, c)
		}
	}
	for i := 0; i < len(places); i++ {
		req := places[i].req
		to.Sum = places[i].sum
		if to.Hash != nil {
			to.Hash.Reset()
		}
		got, failed := s.Save(ctx, req, to)
		if failed == nil {
			return got, nil
		}
		if err == nil || req == reqs[0] {
			saved, err = got, failed
		}
		var file *FileError
		if errors.As(failed, &file) || ctx.Err() != nil {
			return got, failed
		}
		if got != nil && s.Duplicate != nil {
			places = s.further(places, got.Resource, to.Sum)
		}
		if i+1 < len(places) && s.Next != nil {
			s.Next(failed, places[i+1].req)
		}
	}
	return saved, err
}

// A candidate is a place and what its file has to hash to.
type candidate struct {
	req *fetchers.Request
	sum Sum
}

// further returns places with those at its end that a response names. What the user
// wants the file to hash to counts more than what a server says.
func (s *Saver) further(places []candidate, res *fetchers.Resource, want Sum) []candidate {
	urls, sum := duplicates(res)
	if want != (Sum{}) {
		sum = want
	}
	for _, u := range urls {
		known := slices.ContainsFunc(places, func(c candidate) bool { return c.req.URL.String() == u.String() })
		if known || len(places) > maxDuplicates {
			continue
		}
		if req := s.Duplicate(u); req != nil {
			places = append(places, candidate{req, sum})
		}
	}
	return places
}
