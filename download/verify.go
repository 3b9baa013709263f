package download

import (
	"context"
	"errors"
)

// checkWhole holds the file against to.Size, and against to.Pieces where they are all that
// it is known to hash to.
func (a *attempt) checkWhole(ctx context.Context) error {
	if !a.out.readable() || a.to.Size < 1 && !a.to.inPieces() {
		return nil
	}
	size := a.out.size()
	if err := a.to.fits(a.req, size); err != nil || !a.to.inPieces() {
		return err
	}
	return a.to.Pieces.check(ctx, a.out, size)
}

// keeps reports whether another attempt can go on with what there is after a failure.
// Pieces that are wrong are no longer there for it.
func (a *attempt) keeps(ctx context.Context, part *partial, failed error) bool {
	j := part.journal
	wrong := errors.Is(failed, ErrChecksum)
	var file *FileError
	if a.to.Pieces == nil || a.to.Sum == (Sum{}) || errors.As(failed, &file) || ctx.Err() != nil {
		return !wrong && len(j.Have) > 0
	}
	there := j.Have
	if wrong {
		there = []span{{0, j.Size}}
	}
	right, err := a.to.Pieces.right(ctx, part, j.Size, there)
	if err != nil || part.sync() != nil {
		return !wrong && len(j.Have) > 0
	}
	j.Sum = a.to.Sum.String() // which proves what any place will add
	whole := len(right) == 1 && right[0].len() == j.Size
	return j.note(right) == nil && len(right) > 0 && !(wrong && whole)
}
