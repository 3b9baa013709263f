package cluster

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// manyGroups is how many groups of URLs a worker fetches carefully at once.
const manyGroups = 16

// workCarefully fetches a page at which owners have died: the URLs that are about to be fetched are named in
// the store before, so that the next owner knows which ones may have killed this worker, too.
func (w *Worker) workCarefully(h *holding, page *openPage, tasks []*task, names []string) {
	for len(tasks) > 0 && h.begin.Err() == nil {
		next := h.named.Next(page.seq, tasks[0].index, len(page.items))
		if next.GivenUp() {
			w.giveUp(h, tasks[0], next.Deaths)
			tasks = tasks[1:]
			continue
		}
		n := 0
		for n < len(tasks) && tasks[n].index < next.From+next.Count {
			n++
		}
		w.fetchNamed(h, next, tasks[:n], names)
		tasks = tasks[n:]
	}
	if h.begin.Err() == nil {
		w.name(h, plan.Suspects{})
	}
	w.wakeFeed()
}

// fetchNamed names URLs, fetches them, and takes the names back.
func (w *Worker) fetchNamed(h *holding, next plan.Suspects, tasks []*task, names []string) {
	places := w.groups
	if next.Count == 1 {
		places = w.single
	}
	select {
	case places <- struct{}{}:
	case <-h.begin.Done():
		return
	}
	defer func() { <-places }()
	w.name(h, next)
	if h.begin.Err() != nil {
		return
	}
	var group sync.WaitGroup
	for _, t := range tasks {
		group.Add(1)
		w.enqueue(h, t, names[t.index], group.Done)
	}
	group.Wait()
	if h.begin.Err() == nil {
		w.name(h, next.Cleared())
	}
}

// name writes the names of suspects.
func (w *Worker) name(h *holding, s plan.Suspects) {
	h.retry(func() error {
		ctx, cancel := context.WithTimeout(h.begin, wait)
		defer cancel()
		return w.Store.put(ctx, keySuspects(h.partition), s)
	})
	w.mu.Lock()
	h.named = s
	w.mu.Unlock()
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
