package download

import (
	"context"
	"hash"
	"io"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An attempt saves one response as a file: plan, open, fill, verify, commit.
type attempt struct {
	*Saver
	known
	share  sharing       // finds mirrors; nil if there are none
	left   *partial      // the partial file that was requested to be resumed; nil if there is none
	took   time.Duration // from the request to the response
	name   string        // of the file
	plan   plan
	saved  *Saved              // the result so far
	out    output              // nil until it is opened
	sum    Sum                 // the sum of the content, by the plan or by share; the zero Sum allows any
	others []*fetchers.Request // mirrors with the same content, as sum proves
	proofs []proof             // hashes that are computed while the content arrives
}

// A sharing returns the mirrors of a resource, and the sum that proves that they have the same
// content. want is the sum that is known beforehand.
type sharing func(res *fetchers.Resource, want Sum) (others []*fetchers.Request, sum Sum)

// run makes the steps. If one fails, a partial file that can be resumed stays.
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

// decide finds the name of the file and makes the plan.
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

// drain reads a response without content to its end. If the server says that the file is unchanged,
// the local file has to have the sum and size of the Target.
func (a *attempt) drain(ctx context.Context) error {
	_, err := io.Copy(io.Discard, a.answer.Body)
	if err == nil && a.answer.Kind == fetchers.Unchanged {
		err = a.to.stillHolds(ctx, a.req)
	}
	return err
}

// hashes returns the hashes that have to read the content.
func (a *attempt) hashes() (all []hash.Hash) {
	for _, p := range a.proofs {
		all = append(all, p.hash)
	}
	if a.to.Hash != nil {
		all = append(all, a.to.Hash)
	}
	return all
}
