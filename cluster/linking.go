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
// written, and the pages that are done are removed. The message of a holding that was lost meanwhile is not sent: its
// links went with the results.
func (w *Worker) linksFirst(ctx context.Context, due, fresh []*holding) []*holding {
	var linking []*holding
	var links []Item
	w.mu.Lock()
	due = slices.DeleteFunc(due, func(h *holding) bool { return h.gone })
	for _, h := range fresh {
		before := len(links)
		for _, r := range h.pending[:min(h.sending.results, len(h.pending))] {
			links = append(links, r.links.items...)
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
	for {
		err := w.addOnce(ctx, links)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		timer := time.NewTimer(w.linksGo.left())
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// addOnce adds links to the pages. A failure closes the gate for links.
func (w *Worker) addOnce(ctx context.Context, links []Item) error {
	hashes := make([]hash, len(links))
	for i := range links {
		u, err := links[i].parse()
		if err != nil {
			continue
		}
		hashes[i] = hashOfURL(u, links[i].URL)
	}
	if err := w.addPages(ctx, links, hashes); err != nil {
		w.linksRefused(err)
		return err
	}
	w.linksGo.worked()
	for _, h := range hashes {
		w.recent.add(h)
	}
	return nil
}

// tryLinks adds links to the pages, and reports whether the store takes them soon. A fetch that waits for space
// would keep its host from the URLs that take up the space.
func (w *Worker) tryLinks(ctx context.Context, links []Item) bool {
	if w.linksGo.left() > 0 {
		return false
	}
	soon, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return w.addOnce(soon, links) == nil
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
