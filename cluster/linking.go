package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// linksFirst has the links of fresh messages added to the pages, and returns the holdings whose messages need
// not wait for that. The pages may have no space for links, so this goes on aside: meanwhile other records are
// written, and the pages that are done are removed.
func (w *Worker) linksFirst(ctx context.Context, due, fresh []*holding) []*holding {
	var linking []*holding
	var links []Item
	w.mu.Lock()
	for _, h := range fresh {
		before := len(links)
		for _, r := range h.pending[:min(h.sending.results, len(h.pending))] {
			links = append(links, r.links...)
		}
		if len(links) > before {
			h.sending.adding = true
			linking = append(linking, h)
		}
	}
	w.mu.Unlock()
	if len(linking) == 0 {
		return due
	}
	w.linking.Go(func() {
		w.linkTurn.Lock() // one list of links at a time is in the memory of an Adder
		defer w.linkTurn.Unlock()
		if w.addLinks(ctx, links) != nil {
			return
		}
		w.mu.Lock()
		for _, h := range linking {
			h.sending.adding = false
		}
		w.mu.Unlock()
		w.wakeCommit()
	})
	return slices.DeleteFunc(due, func(h *holding) bool { return slices.Contains(linking, h) })
}

// addLinks adds links to the pages, and returns when they are there.
func (w *Worker) addLinks(ctx context.Context, links []Item) error {
	hashes := make([]hash, len(links))
	for i := range links {
		u, err := links[i].parse()
		if err != nil {
			continue
		}
		hashes[i] = hashOfURL(u, links[i].URL)
	}
	for {
		err := w.addPages(ctx, links, hashes)
		if err == nil {
			w.linksGo.worked()
			for _, h := range hashes {
				w.recent.add(h)
			}
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.linksRefused(err)
		timer := time.NewTimer(w.linksGo.left())
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// linksRefused says why the store does not take links.
func (w *Worker) linksRefused(err error) {
	err = fmt.Errorf("links: %w", err)
	w.linksGo.failed(err)
	w.trouble(fmt.Errorf("store: %w", err))
}

// addPages makes pages of the links that were not added lately.
func (w *Worker) addPages(ctx context.Context, links []Item, hashes []hash) error {
	a := NewAdder(w.Store)
	a.out.refused = w.linksRefused
	now := make(map[hash]bool)
	for i := range links {
		if h := hashes[i]; h == (hash{}) || now[h] || w.recent.has(h) {
			continue
		}
		now[hashes[i]] = true
		err := a.Add(ctx, links[i])
		if err != nil && !errors.Is(err, ErrSecret) && !errors.Is(err, errLong) {
			return err
		}
	}
	return a.Flush(ctx)
}
