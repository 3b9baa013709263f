package cluster

import (
	"context"
	"errors"
	"time"
)

// A term is the time for which the lease of a worker lasts without a break. Fetches are interrupted at its end,
// since another worker may have their partitions soon: each retry and each redirection is a request.
type term struct {
	ctx context.Context
	end context.CancelFunc
}

// errTerm is the error of a fetch that was interrupted at the end of a term. It begins again in the next one.
var errTerm = errors.New("the lease of the worker has ended")

const termEvery = 250 * time.Millisecond // the lease is looked at

// watchTerm ends terms with the lease, until ctx ends.
func (w *Worker) watchTerm(ctx context.Context) {
	ticks := time.NewTicker(termEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		w.mu.Lock()
		if w.term.end != nil && !w.lease.lasts(termFor) {
			w.term.end()
		}
		w.mu.Unlock()
	}
}

// within returns a context that ends with the term, too.
func (w *Worker) within(ctx context.Context) (_ context.Context, ended func() bool, cancel context.CancelFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.term.ctx == nil || w.term.ctx.Err() != nil {
		w.term.ctx, w.term.end = context.WithCancel(context.Background())
	}
	t := w.term.ctx
	both, end := context.WithCancel(ctx)
	stop := context.AfterFunc(t, end)
	return both, func() bool { return t.Err() != nil && ctx.Err() == nil }, func() { stop(); end() }
}
