package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// openNext opens the next page of a holding.
func (w *Worker) openNext(ctx context.Context, h *holding) error {
	seq, data, err := w.Store.page(ctx, h.partition, h.cursor)
	if err != nil {
		return err
	}
	w.mu.Lock()
	h.waiting--
	if data == nil {
		h.waiting = 0
		w.mu.Unlock()
		return nil
	}
	h.cursor = seq + 1
	for _, open := range h.pages {
		if open.seq == seq {
			w.mu.Unlock()
			return nil
		}
	}
	w.mu.Unlock()
	page, err := decodePage(data, w.Store.job, h.partition)
	switch {
	case errors.Is(err, errVersion):
		w.said.Say(fmt.Sprintf("a page %s stays for a worker that understands it", record.Text(err)))
		w.mu.Lock()
		h.versionSkipped++
		h.versionSkipUtil = time.Now().Add(versionAgain)
		w.mu.Unlock()
		return nil
	case err != nil:
		w.unreadable(h, seq, err)
		return nil
	}
	if err := w.openPage(ctx, h, seq, page); err != nil {
		w.mu.Lock()
		h.cursor, h.waiting = min(h.cursor, seq), h.waiting+1
		w.mu.Unlock()
		return err
	}
	return nil
}

// unreadable makes a record of a page that cannot be read, unless it has one.
func (w *Worker) unreadable(h *holding, seq uint64, why error) {
	rec := record.New(nil, w.now())
	rec.Attempts = 0
	rec.Fill(nil, fetchers.NewError("read", nil, fmt.Errorf("%w: page %d of partition %03d: %w", fetchers.ErrProtocol, seq, h.partition, why)))
	o, err := (&visit{rec: rec}).outcome()
	if err != nil {
		w.trouble(err)
		return
	}
	page := &openPage{holding: h, seq: seq}
	tasks, err := w.enter(h, page, []mark{{hash: hashOf(fmt.Sprintf("page %s %d", w.Store.job, seq))}})
	if err != nil {
		w.damaged(h, err)
		return
	}
	for _, t := range tasks {
		w.finish(h, result{t, o})
	}
}

// openPage has the URLs of a page fetched that have no record. A page whose links are to be followed is not
// opened until the crawl was read: with another scope links would be lost.
func (w *Worker) openPage(ctx context.Context, h *holding, seq uint64, p *Page) error {
	items := p.Items
	page := &openPage{holding: h, seq: seq, items: items, moves: p.Moves, opened: time.Now()}
	marks, names := make([]mark, len(items)), make([]string, len(items))
	for i := range items {
		u, _ := items[i].parse()
		marks[i] = mark{hashOfURL(u, items[i].URL), items[i].Generation}
		names[i] = queueName(u)
	}
	if slices.ContainsFunc(items, func(i Item) bool { return i.Follow }) {
		if err := w.readCrawl(ctx); err != nil {
			return err
		}
	}
	tasks, err := w.enter(h, page, marks)
	if err != nil {
		w.damaged(h, err)
		return nil
	}
	for _, t := range tasks {
		w.enqueue(page.begin, h, t, names[t.index])
	}
	return nil
}

// enter adds a page to those of a holding, and returns a task for each mark that has no record and no task yet. An
// error is about the set of done URLs.
//
// The tasks in flight are looked at before the set is read. A record is in the set before its task is removed, so
// a URL that is in neither has no record.
func (w *Worker) enter(h *holding, page *openPage, marks []mark) ([]*task, error) {
	w.mu.Lock()
	set := h.done
	if set == nil || h.stopping {
		w.mu.Unlock()
		return nil, nil
	}
	page.begin, page.noMore = context.WithCancel(h.begin)
	page.left = 1 // until all items have been looked at
	h.pages = append(h.pages, page)
	known := make([]bool, len(marks))
	for i, m := range marks {
		known[i] = page.join(h.inflight[m])
	}
	w.mu.Unlock()
	done, err := set.has(marks)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if h.stopping {
		return nil, nil
	}
	var tasks []*task
	for i, m := range marks {
		if known[i] || done[i] || page.join(h.inflight[m]) {
			continue
		}
		t := &task{page: page, index: i, hash: m.hash, generation: m.generation}
		if len(h.suspects) > 0 {
			t.deaths = h.suspects[m.name()]
		}
		page.left++
		h.inflight[m] = t
		w.items++
		tasks = append(tasks, t)
	}
	if page.left--; page.left == 0 {
		w.finished = append(w.finished, page)
		w.wakeCommit()
	}
	return tasks, nil
}

// join has a page wait for a task, too, and reports whether there is one. The mutex of the worker is held.
func (p *openPage) join(t *task) bool {
	if t == nil {
		return false
	}
	t.also = append(t.also, p)
	p.left++
	return true
}
