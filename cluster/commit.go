package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// manyPending is how many records of a partition are written without waiting for more.
const manyPending = 500

// A sending is a message of records of which it is not known yet whether the server has it. Until then
// the same message is sent again.
type sending struct {
	results int // the first ones of pending
	head    head
	message *nats.Msg
	adding  bool // its links, which come first, are being added to the pages
}

// commitLoop writes records until ctx ends.
func (w *Worker) commitLoop(ctx context.Context) {
	defer w.linking.Wait()
	ticks := time.NewTicker(max(w.Flush/8, 10*time.Millisecond))
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-w.commitNow:
		}
		if due := w.due(); len(due) > 0 {
			w.commit(ctx, due)
		}
		w.removePages(ctx)
	}
}

// due returns the holdings with records to be written.
func (w *Worker) due() []*holding {
	w.mu.Lock()
	defer w.mu.Unlock()
	var due []*holding
	pending := 0
	for _, h := range w.holdings {
		pending += len(h.pending)
	}
	idle := pending == w.items // no record is on its way that these could wait for
	for _, h := range w.holdings {
		n := len(h.pending)
		if h.sending != nil && h.sending.adding {
			continue
		}
		if n >= manyPending || n > 0 && (h.stopping || idle || time.Since(h.oldest) >= w.Flush) {
			due = append(due, h)
		}
	}
	return due
}

// commit writes records of holdings, after the bodies and links that belong to them.
func (w *Worker) commit(ctx context.Context, due []*holding) {
	var fresh []*holding
	w.mu.Lock()
	due = slices.DeleteFunc(due, func(h *holding) bool { return h.gone || len(h.pending) == 0 })
	for _, h := range due {
		if h.sending == nil {
			h.sending = h.next()
			fresh = append(fresh, h)
		}
	}
	w.mu.Unlock()
	whole, err := w.syncSink(ctx)
	if err != nil {
		return
	}
	if !whole {
		w.fetchLostAgain(fresh)
		return
	}
	due = w.linksFirst(ctx, due, fresh)
	futures := make([]jetstream.PubAckFuture, len(due))
	for i, h := range due {
		var err error
		if futures[i], err = w.send(h); err != nil {
			w.storeFailed(ctx, err)
		}
	}
	troubled := false
	for i, h := range due {
		if futures[i] == nil {
			continue
		}
		select {
		case ack := <-futures[i].Ok():
			w.written(h, ack.Sequence)
		case err := <-futures[i].Err():
			if err = w.resolve(ctx, h, err); err != nil && !troubled {
				troubled = true
				w.storeFailed(ctx, err)
			}
		case <-ctx.Done():
			return
		}
	}
	if !troubled {
		w.storeGo.worked()
	}
}

// next returns the message of the first records that are pending. The mutex of the worker is held.
func (h *holding) next() *sending {
	s := &sending{head: head{token: h.token, batch: rand.Uint64(), counts: h.counts.clone()}}
	size := 0
	for _, r := range h.pending {
		if s.results == plan.PageItems || s.results > 0 && size+len(r.line) > batchBytes {
			break
		}
		s.results++
		size += len(r.line)
	}
	text := make([]byte, 0, size)
	for _, r := range h.pending[:s.results] {
		item := Item{Generation: r.task.generation}
		if r.task.page.items != nil {
			item = r.task.page.items[r.task.index]
		}
		text = append(text, r.line...)
		s.head.counts.add(string(r.class), item.Was, item.Generation > 0, r.bytes)
		s.head.marks = append(s.head.marks, mark{r.task.hash, r.task.generation})
	}
	s.message = &nats.Msg{Subject: h.worker.Store.recordSubject(h.partition), Data: text}
	return s
}

// syncSink returns when a Sync succeeds, and reports whether the first one did: then the bodies of all records
// that are pending are on stable storage. A Sync that succeeds after one that failed proves nothing: the system
// tells once that it could not write a body.
func (w *Worker) syncSink(ctx context.Context) (whole bool, err error) {
	var pause backoff
	for whole = true; ; whole = false {
		err := w.Sink.Sync(ctx)
		switch {
		case err == nil:
			w.syncGo.worked()
			return whole, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		}
		w.mu.Lock()
		w.failedSyncs++
		w.mu.Unlock()
		w.syncGo.failed(err)
		w.trouble(fmt.Errorf("sink: %w", err))
		if err := pause.wait(ctx); err != nil {
			return false, err
		}
	}
}

// send publishes the message of a holding. The server takes it only if the one before is still the last
// of the partition.
func (w *Worker) send(h *holding) (jetstream.PubAckFuture, error) {
	fields, err := h.sending.head.encode()
	if err != nil {
		return nil, err
	}
	m := *h.sending.message
	m.Header = fields
	return w.Store.js.PublishMsgAsync(&m, jetstream.WithExpectLastSequencePerSubject(h.last), jetstream.WithRetryAttempts(0))
}

// resolve finds out what became of a message whose publication failed.
func (w *Worker) resolve(ctx context.Context, h *holding, failure error) error {
	ask, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	seq, tail, err := w.Store.tail(ask, h.partition, h.last)
	switch {
	case err != nil:
		return errors.Join(failure, err)
	case tail.token > h.token:
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said.Say(lateWords)
		w.forget(h)
		return nil
	case tail.token == h.token && tail.batch == h.sending.head.batch:
		w.written(h, seq)
		return nil
	}
	h.last = seq
	if isConflict(failure) {
		return nil // it is sent again, after the right one
	}
	return failure
}

// storeFailed says why the store does not take something, and waits.
func (w *Worker) storeFailed(ctx context.Context, err error) {
	w.storeGo.failed(err)
	w.trouble(fmt.Errorf("store: %w", err))
	timer := time.NewTimer(w.storeGo.left())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// written takes note that the message of a holding is in the store.
func (w *Worker) written(h *holding, seq uint64) {
	s := h.sending
	w.mu.Lock()
	d := h.done
	w.mu.Unlock()
	if d != nil {
		if err := d.add(seq, s.head.marks); err != nil {
			w.damaged(h, err)
		}
	}
	h.last, h.counts, h.sending = seq, s.head.counts, nil
	w.mu.Lock()
	defer w.mu.Unlock()
	w.recorded += int64(s.results)
	if h.gone {
		return
	}
	for _, r := range h.pending[:s.results] {
		h.linkBytes -= r.links.bytes
		delete(h.inflight, r.task.mark())
		w.items--
		for _, page := range append(r.task.also, r.task.page) {
			if page.left--; page.left == 0 {
				w.finished = append(w.finished, page)
			}
		}
	}
	h.pending = slices.Delete(h.pending, 0, s.results)
	if len(h.pending) == 0 {
		h.pending = nil
	}
	h.oldest = time.Now()
	w.changed.Broadcast()
}

// removePages removes the pages whose URLs all have records. What cannot be removed now is tried again.
func (w *Worker) removePages(ctx context.Context) {
	w.mu.Lock()
	pages := w.finished
	w.finished = nil
	w.mu.Unlock()
	if len(pages) == 0 {
		return
	}
	var each sync.WaitGroup
	some := make(chan struct{}, 16)
	for _, page := range pages {
		some <- struct{}{}
		each.Go(func() {
			defer func() { <-some }()
			ask, cancel := context.WithTimeout(ctx, wait)
			defer cancel()
			err := w.Store.remove(ask, page.seq)
			w.mu.Lock()
			defer w.mu.Unlock()
			h := page.holding
			if err != nil && !h.gone {
				w.finished = append(w.finished, page)
				return
			}
			page.noMore()
			h.pages = slices.DeleteFunc(h.pages, func(p *openPage) bool { return p == page })
		})
	}
	each.Wait()
	w.wakeFeed()
}
