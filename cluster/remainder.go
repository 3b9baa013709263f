package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A remainder is the URLs of open pages that wait for the turn of their hosts. If an idle worker has had the
// pages for long, it writes these URLs to new pages at the end of the partition, and then removes the old
// pages. So hosts that are slow do not keep the pages behind them from being opened.
//
// A worker that is killed in between leaves both pages. The set of done URLs, and the one of URLs in flight,
// see to it that each URL has one record even so.
type remainder struct {
	pages []*openPage
	tasks []*task
	moves int // how often the URLs were put back, with this time
}

// count returns how many pages are open. The mutex of the worker is held.
func (h *holding) count() (n plan.Pages) {
	for _, page := range h.pages {
		if page.leaving {
			n.Leaving++
		} else {
			n.Open++
		}
	}
	return n
}

// stale returns the pages that are to be put back. The mutex of the worker is held.
func (h *holding) stale() (pages []*openPage) {
	if !h.worker.idle() {
		return nil
	}
	for _, page := range h.pages {
		if !page.leaving && page.items != nil && time.Since(page.opened) >= h.worker.patience(page.moves) {
			pages = append(pages, page)
		}
	}
	return pages
}

// remainder returns the URLs that are to be put back, if there are any.
func (w *Worker) remainder(h *holding) *remainder {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := h.count(); !w.mayWork(h) || n.Full() || plan.MayTake(n, w.items, w.idle()) {
		return nil
	}
	r := &remainder{pages: h.stale()}
	for _, page := range r.pages {
		r.moves = max(r.moves, page.moves+1)
	}
	for _, t := range h.inflight {
		if !t.begun && slices.Contains(r.pages, t.page) {
			r.tasks = append(r.tasks, t)
		}
	}
	if len(r.tasks) == 0 {
		return nil
	}
	slices.SortFunc(r.tasks, func(a, b *task) int {
		if a.page != b.page {
			return cmp.Compare(a.page.seq, b.page.seq)
		}
		return a.index - b.index
	})
	return r
}

// putBack moves the URLs of open pages that wait to the end of the partition, and reports whether it did.
func (w *Worker) putBack(ctx context.Context, h *holding) bool {
	r := w.remainder(h)
	if r == nil {
		return false
	}
	if err := w.publish(ctx, h, r); err != nil {
		if ctx.Err() == nil {
			w.trouble(fmt.Errorf("pages of partition %03d: %w", h.partition, err))
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, page := range r.pages {
			page.opened = time.Now() // the next attempt comes as late
		}
		return false
	}
	w.moved(h, r)
	return true
}

// publish writes a remainder to new pages, and returns when the server has them on stable storage.
func (w *Worker) publish(ctx context.Context, h *holding, r *remainder) error {
	out, writer := outbox{store: w.Store}, pageWriter{job: w.Store.job, moves: r.moves}
	for _, t := range r.tasks {
		full, err := writer.add(&t.page.items[t.index])
		if err != nil {
			return err
		}
		if full != nil {
			if err := out.write(ctx, w.Store.pageSubject(h.partition), full); err != nil {
				return err
			}
		}
	}
	if err := out.write(ctx, w.Store.pageSubject(h.partition), writer.flush()); err != nil {
		return err
	}
	return out.wait(ctx)
}

// moved drops the URLs of a remainder that is written. A URL that was begun meanwhile is in the new page,
// too, and has its record when that is opened. A URL whose body was lost meanwhile is in no new page, and is fetched
// again as one of the old page.
func (w *Worker) moved(h *holding, r *remainder) {
	for _, t := range w.dropMoved(h, r) {
		w.repeat(t)
	}
}

// dropMoved is the part of moved that needs the mutex. It returns the tasks of the old pages that are still to begin.
func (w *Worker) dropMoved(h *holding, r *remainder) (left []*task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h.gone {
		return nil
	}
	for _, page := range r.pages {
		page.leaving = true
	}
	for _, t := range r.tasks {
		if t.begun {
			continue
		}
		t.begun = true // so that it does not begin
		delete(h.inflight, t.mark())
		w.items--
		for _, page := range append(t.also, t.page) {
			if page.left--; page.left == 0 {
				w.finished = append(w.finished, page)
			}
		}
		t.page.items[t.index] = Item{}
	}
	for _, t := range h.inflight {
		if !t.begun && slices.Contains(r.pages, t.page) {
			left = append(left, t)
		}
	}
	for _, page := range r.pages {
		page.noMore()
	}
	h.waiting++
	w.wakeCommit()
	return left
}

// sweep drops the places in the queue of URLs that were put back.
func (w *Worker) sweep() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	w.queue.Wait(ended) // it drops them first, and then waits for nothing
}
