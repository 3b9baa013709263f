package download

import (
	"context"
	"errors"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// verify checks the content against all known sums and sizes.
func (a *attempt) verify(ctx context.Context) error {
	err := check(a.proofs)
	if err == nil {
		err = a.checkWhole(ctx)
	}
	if err != nil {
		return fetchers.NewError("verify", a.req.URL, err)
	}
	return nil
}

// checkWhole checks the size of the output, and the sums of its pieces if there is no sum of the
// whole. A special output cannot be read again.
func (a *attempt) checkWhole(ctx context.Context) error {
	inPieces := a.to.Pieces != nil && a.sum == (Sum{})
	if !a.out.readable() || a.to.Size < 1 && !inPieces {
		return nil
	}
	size := a.out.size()
	if err := a.fits(size); err != nil || !inPieces {
		return err
	}
	return a.to.Pieces.check(ctx, a.out, size)
}

// end closes the output of a failed attempt. A partial file stays if it can be resumed; any other
// output is discarded.
func (a *attempt) end(ctx context.Context, failed error) {
	if part := journaled(a.out); part != nil && a.keeps(ctx, part, failed) {
		part.leave()
		return
	}
	a.out.discard()
}

// keeps reports whether another attempt can resume a partial file after a failure. It removes wrong
// pieces from the journal.
func (a *attempt) keeps(ctx context.Context, part *partial, failed error) bool {
	j := part.journal
	wrong := errors.Is(failed, ErrChecksum)
	var file *FileError
	if a.to.Pieces == nil || a.sum == (Sum{}) || errors.As(failed, &file) || ctx.Err() != nil {
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
	j.Sum = a.sum.String() // it proves the bytes of any mirror
	whole := len(right) == 1 && right[0].len() == j.Size
	return j.note(right) == nil && len(right) > 0 && !(wrong && whole)
}
