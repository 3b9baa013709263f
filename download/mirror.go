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
// Only to.Sum makes sure that all of them have the same.
func (s *Saver) SaveAny(ctx context.Context, reqs []*fetchers.Request, to Target) (saved *Saved, err error) {
	asked := slices.Clone(reqs)
	for i, req := range reqs {
		if part, _ := to.unfinished(req); part != nil {
			part.leave()
			asked = slices.Insert(slices.Delete(asked, i, i+1), 0, req)
			break
		}
	}
	for i, req := range asked {
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
		if i+1 < len(asked) && s.Next != nil {
			s.Next(failed, asked[i+1])
		}
	}
	return saved, err
}
