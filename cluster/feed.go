package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// The times of a feed.
const (
	feedEvery    = 250 * time.Millisecond // it looks for pages
	versionAgain = 30 * time.Second       // a page of another version is looked at again
)

// feed opens pages until ctx ends.
func (w *Worker) feed(ctx context.Context) {
	ticks := time.NewTicker(feedEvery)
	defer ticks.Stop()
	var counted time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-w.feedNow:
		}
		if time.Since(counted) > feedEvery/2 && w.hungry() {
			if err := w.count(ctx); err != nil {
				if ctx.Err() == nil {
					w.trouble(fmt.Errorf("pages: %w", err))
				}
				continue
			}
			counted = time.Now()
		}
		putBack := false
		for _, h := range w.held() {
			if ctx.Err() == nil && w.putBack(ctx, h) {
				putBack = true
			}
			for ctx.Err() == nil && w.mayOpen(h) {
				if err := w.openNext(ctx, h); err != nil {
					if ctx.Err() == nil {
						w.trouble(fmt.Errorf("pages of partition %03d: %w", h.partition, err))
					}
					break
				}
			}
		}
		if putBack {
			w.sweep()
		}
	}
}

// hungry reports whether the worker may hold more pages of some partition.
func (w *Worker) hungry() bool {
	for _, h := range w.held() {
		w.mu.Lock()
		may := h.ready && !h.stopping && (plan.MayTake(h.count(), w.items, w.idle()) || h.stale() != nil)
		w.mu.Unlock()
		if may {
			return true
		}
	}
	return false
}

// idle reports whether more could be fetched at once. The mutex is held.
func (w *Worker) idle() bool { return w.fetching < w.most() }

// count asks how many pages wait.
func (w *Worker) count(ctx context.Context) error {
	counts, err := w.Store.waiting(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.strange = 0
	for p, h := range w.holdings {
		if h.versionSkipped > 0 && time.Now().After(h.versionSkipUtil) {
			h.versionSkipped, h.cursor = 0, 0 // those that are open are passed over
		}
		h.waiting = counts[p] - len(h.pages) - h.versionSkipped
		w.strange += h.versionSkipped
	}
	return nil
}

// mayOpen reports whether another page of a holding is to be opened.
func (w *Worker) mayOpen(h *holding) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.mayWork(h) {
		return false
	}
	return plan.MayTake(h.count(), w.items, w.idle())
}

// mayWork reports whether there is another page of a holding, and the worker may begin fetches of it. The
// mutex is held.
func (w *Worker) mayWork(h *holding) bool {
	return h.ready && !h.stopping && h.waiting > 0 && !time.Now().Before(h.notBefore) && w.lease.valid()
}

// queueName returns the name by which the queue knows the host of a URL; nil stands for a text that is none.
func queueName(u *url.URL) string {
	name := crawl.HostOf(u)
	if name == "" && u != nil {
		name = u.Scheme + ":"
	}
	return name
}

// enqueue has a task done when its host has its turn, unless begin ends before.
func (w *Worker) enqueue(begin context.Context, h *holding, t *task, host string) {
	w.mu.Lock()
	s := w.hosts[host]
	if s == nil {
		s = new(hostState)
		w.hosts[host] = s
	}
	s.items++
	if u, err := t.page.items[t.index].parse(); err == nil && w.Hosts != nil && s.key == "" {
		s.key = w.Hosts.Key(u)
	}
	w.mu.Unlock()
	over := func() {
		w.mu.Lock()
		if s.items--; s.items == 0 {
			delete(w.hosts, host)
		}
		w.mu.Unlock()
	}
	begun := context.AfterFunc(begin, over)
	if err := w.queue.Do(begin, host, func(ctx context.Context) {
		if !begun() {
			return
		}
		defer over()
		w.work(ctx, h, t, s.key)
	}); err != nil && begin.Err() == nil {
		w.trouble(err)
	}
}

// work fetches the URL of a task, until there is an outcome or the holding stops.
func (w *Worker) work(ctx context.Context, h *holding, t *task, key string) {
	w.mu.Lock()
	if h.stopping || t.begun {
		w.mu.Unlock()
		return
	}
	t.begun = true
	h.running++
	w.fetching++
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		h.running--
		w.fetching--
		if h.stopping {
			w.changed.Broadcast()
		}
		w.mu.Unlock()
	}()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // what has begun may end, unless the holding is lost
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	ctx = fetchers.WithPause(ctx, queue.Pause)
	if w.Hosts != nil {
		ctx = w.Hosts.Context(ctx, key)
	}
	if plan.GivenUp(t.deaths) {
		w.giveUp(h, t)
		return
	}
	if plan.Alone(t.deaths) {
		select {
		case w.alone <- struct{}{}:
			defer func() { <-w.alone }()
		case <-h.begin.Done():
			return
		}
	}
	for {
		if w.syncGo.pass(h.begin) != nil || w.sinkGo.pass(h.begin) != nil {
			return
		}
		o, err := w.named(ctx, h, t)
		if err == nil {
			w.hold(ctx, &o)
		}
		var broken sinkError
		switch {
		case err == nil:
			w.sinkGo.worked()
			if w.finish(h, result{t, o}) {
				return
			}
		case errors.Is(err, errTerm):
		case errors.As(err, &broken):
			w.sinkGo.failed(broken.error)
			w.trouble(fmt.Errorf("sink: %w", broken.error))
		case ctx.Err() != nil, h.begin.Err() != nil:
			return
		default:
			w.trouble(err)
			return
		}
	}
}

// named fetches the URL of a task, and names it in the store meanwhile. It is errTerm if the lease has ended.
func (w *Worker) named(ctx context.Context, h *holding, t *task) (outcome, error) {
	defer w.flight.end(t)
	if err := w.flight.begin(h.begin, t); err != nil {
		return outcome{}, err
	}
	if err := w.awaitLease(h); err != nil {
		return outcome{}, err
	}
	within, ended, cancel := w.within(ctx)
	defer cancel()
	o, err := w.fetch(within, &t.page.items[t.index])
	if err != nil && ended() {
		err = errTerm
	}
	return o, err
}

// awaitLease waits until the worker may begin a fetch.
func (w *Worker) awaitLease(h *holding) error {
	for !w.lease.valid() {
		select {
		case <-time.After(leaseEvery):
		case <-h.begin.Done():
			return h.begin.Err()
		}
	}
	return nil
}

// finish hands the outcome of a task to the committer. It reports false if the body may be lost: then the task
// is to be done again.
func (w *Worker) finish(h *holding, r result) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h.gone {
		return true
	}
	if w.mayBeLost(r) {
		return false
	}
	if len(h.pending) == 0 {
		h.oldest, h.linkBytes = time.Now(), 0
	}
	h.pending = append(h.pending, r)
	h.linkBytes += r.links.bytes
	if len(h.pending) == manyPending {
		w.wakeCommit()
	}
	return true
}

// damaged has a set of done URLs made anew: the partition is given back, and taken again.
func (w *Worker) damaged(h *holding, err error) {
	w.mu.Lock()
	d := h.done
	h.done = nil
	w.mu.Unlock()
	if d == nil { // the holding has ended
		return
	}
	w.trouble(fmt.Errorf("partition %03d: %w; it is made anew from the records", h.partition, err))
	d.discard()
	w.stop([]int{h.partition})
}
