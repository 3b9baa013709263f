package download

import (
	"context"
	"hash"
	"io"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An attempt makes one answer a file: plan, open, fill, verify, commit.
type attempt struct {
	*Saver
	known
	share  sharing       // finds further places; nil if there are none
	left   *partial      // the partial file whose rest was requested; nil if there is none
	took   time.Duration // from the request to the answer
	name   string        // of the file
	plan   plan
	saved  *Saved              // the result so far
	out    output              // nil until it is opened
	sum    Sum                 // of the content, by the plan or by share; the zero Sum is any
	others []*fetchers.Request // places that have the content too, as sum proves
	proofs []proof             // hashes that are computed while the content comes
}

// A sharing returns the further places that have the content of a resource, and the sum that
// proves it, where want is the one that is known before.
type sharing func(res *fetchers.Resource, want Sum) (others []*fetchers.Request, sum Sum)

// run takes the steps. If one fails, a partial file that can be resumed stays.
func (a *attempt) run(ctx context.Context) error {
	if err := a.decide(); err != nil {
		return err
	}
	if a.plan.empty {
		return a.drain(ctx)
	}
	if err := a.open(ctx); err != nil {
		return unwritten(ctx, a.req, err)
	}
	err := a.fill(ctx)
	if err == nil {
		err = a.verify(ctx)
	}
	if err != nil {
		a.end(ctx, err)
		return err
	}
	return unwritten(ctx, a.req, a.commit(ctx))
}

// decide names the file, and plans it.
func (a *attempt) decide() error {
	name, suggested := a.fileName()
	if suggested && a.to.Allow != nil {
		if err := a.to.Allow(name); err != nil {
			return fileError(err)
		}
	}
	a.name = name
	a.stale = a.isSmall() && (isThere(partName(name)) || isThere(journalName(partName(name))))
	if a.left != nil {
		a.begun = &a.left.journal.record
	}
	a.plan = a.known.plan()
	a.sum = a.plan.sum
	return a.plan.refusal
}

// drain reads a resource without content to its end. If the server says that it has nothing
// newer, the file that is there must still be right.
func (a *attempt) drain(ctx context.Context) error {
	_, err := io.Copy(io.Discard, a.answer.Body)
	if err == nil && a.answer.Kind == fetchers.Unchanged {
		err = a.to.stillHolds(ctx, a.req)
	}
	return err
}

// hashes returns the hashes that are given the content.
func (a *attempt) hashes() (all []hash.Hash) {
	for _, p := range a.proofs {
		all = append(all, p.hash)
	}
	if a.to.Hash != nil {
		all = append(all, a.to.Hash)
	}
	return all
}
