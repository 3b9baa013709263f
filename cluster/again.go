package cluster

import "slices"

// syncFailures returns how often a Sync of the sink has failed.
func (w *Worker) syncFailures() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failedSyncs
}

// mayBeLost reports whether a Sync has failed since the body of a result was begun. The mutex is held.
func (w *Worker) mayBeLost(r result) bool { return r.kept && r.failedSyncs != w.failedSyncs }

// fetchLostAgain drops the results that are pending and whose bodies may be lost, and has their URLs fetched
// again. The messages of the fresh holdings were never sent. The bodies of the other messages are on stable
// storage: a Sync succeeded before they were sent.
func (w *Worker) fetchLostAgain(fresh []*holding) {
	var again []*task
	w.mu.Lock()
	for _, h := range fresh {
		h.sending = nil
	}
	for _, h := range w.holdings {
		safe := 0
		if h.sending != nil {
			safe = h.sending.results
		}
		kept := slices.Clone(h.pending[:min(safe, len(h.pending))])
		for _, r := range h.pending[len(kept):] {
			if !w.mayBeLost(r) {
				kept = append(kept, r)
				continue
			}
			r.task.begun = false
			h.linkBytes -= r.links.bytes
			again = append(again, r.task)
		}
		h.pending = kept
	}
	w.changed.Broadcast()
	w.mu.Unlock()
	for _, t := range again {
		w.repeat(t)
	}
}

// repeat has the URL of a task fetched again. A page that was put back has let the task go on, so that the task
// ends with the holding only.
func (w *Worker) repeat(t *task) {
	w.mu.Lock()
	h, begin := t.page.holding, t.page.begin
	if t.page.leaving {
		begin = h.begin
	}
	item := t.page.items[t.index]
	w.mu.Unlock()
	u, _ := item.parse()
	w.enqueue(begin, h, t, queueName(u))
}
