package cluster

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// workCarefully fetches a page at which the owner before may have died: the URLs that are about to be
// fetched are named in the store before, so that the next owner knows which ones may have killed this
// worker, too.
func (w *Worker) workCarefully(h *holding, page *openPage, tasks []*task, names []string) {
	items := len(page.items)
	for at := 0; len(tasks) > 0; {
		at = tasks[0].index
		next := h.named.Next(page.seq, at, items)
		if next.GivenUp() {
			w.giveUp(h, tasks[0], next.Deaths)
			tasks = tasks[1:]
			continue
		}
		h.retry(func() error {
			ctx, cancel := context.WithTimeout(h.begin, wait)
			defer cancel()
			return w.Store.put(ctx, keySuspects(h.partition), next)
		})
		if h.begin.Err() != nil {
			return
		}
		h.named = next
		var group sync.WaitGroup
		for len(tasks) > 0 && tasks[0].index < at+next.Count {
			group.Add(1)
			w.enqueue(h, tasks[0], names[tasks[0].index], group.Done)
			tasks = tasks[1:]
		}
		group.Wait()
		if h.begin.Err() != nil {
			return
		}
	}
	w.mu.Lock()
	h.carefulPages--
	w.mu.Unlock()
	if h.carefulPages == 0 {
		h.retry(func() error {
			ctx, cancel := context.WithTimeout(h.begin, wait)
			defer cancel()
			return w.Store.put(ctx, keySuspects(h.partition), plan.Suspects{})
		})
	}
	w.wakeFeed()
}

// giveUp makes a record of a URL that is not fetched any more.
func (w *Worker) giveUp(h *holding, t *task, deaths int) {
	item := &t.page.items[t.index]
	u, err := item.parse()
	if err != nil {
		u = nil
	}
	rec := record.New(u, w.now())
	if u == nil {
		rec.URL = item.URL
	}
	rec.Attempts = deaths
	rec.Fill(nil, fetchers.NewError("fetch", u, fmt.Errorf("%w: %d workers ended while they fetched it", record.ErrCrash, deaths)))
	o, err := (&visit{rec: rec}).outcome()
	if err != nil {
		w.trouble(err)
		return
	}
	w.finish(h, result{t, o})
}
