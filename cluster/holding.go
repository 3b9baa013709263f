package cluster

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A holding is a partition that a worker owns.
type holding struct {
	worker    *Worker
	partition int
	token     uint64
	done      *doneSet

	// Fetches begin until begin ends, and are interrupted when ctx ends.
	ctx, begin      context.Context
	cancel, noMore  context.CancelFunc
	notBefore       time.Time      // for the first fetch: the owner before may just have asked the hosts
	dead            string         // the owner before, if it died
	suspects        map[string]int // deaths of owners, by the name of a URL that they were fetching
	last            uint64         // the sequence number of the last message of records; for the committer
	counts          Counts         // for the committer
	sending         *sending
	versionSkipped  int       // pages of another version, in this round
	versionSkipUtil time.Time // the end of the round

	// The mutex of the worker guards the fields below.
	preparing bool // prepare has its fields, done among them
	ready     bool // pages may be opened
	stopping  bool // no fetch begins any more
	gone      bool // nothing is written any more
	pages     []*openPage
	cursor    uint64 // from which sequence number on there are pages that are not open
	waiting   int    // pages that are not open, as far as known
	inflight  map[mark]*task
	running   int
	pending   []result
	linkBytes int       // of pending
	oldest    time.Time // when the first of pending came
}

// An openPage is a page of which some URLs have no record yet.
type openPage struct {
	holding *holding
	seq     uint64
	items   []Item
	left    int // items without a record
	moves   int // how often its items were put back
	opened  time.Time
	leaving bool // its items are put back, but for those that are being fetched

	begin  context.Context // until its items are put back
	noMore context.CancelFunc
}

// A task is an item of an open page.
type task struct {
	page       *openPage
	index      int
	hash       hash
	generation uint8
	also       []*openPage // pages that have the same URL
	begun      bool        // it is being fetched, or was put back
	deaths     int         // of workers that were fetching it
}

// mark returns the mark of the record that the task is to have. A URL that is fetched again is another task: the
// record of its generation before may be on its way still.
func (t *task) mark() mark { return mark{t.hash, t.generation} }

// A result is the outcome of a task that is not written yet.
type result struct {
	task *task
	outcome
}

// drop ends all work on a holding, and writes nothing any more. The mutex of the worker is held.
func (h *holding) drop() {
	h.gone, h.stopping = true, true
	h.cancel()
	h.noMore()
	h.worker.items -= len(h.inflight)
	h.pending, h.inflight = nil, nil
	h.worker.changed.Broadcast()
}

// taken makes holdings of partitions, and works on them when it knows which of their URLs are done.
func (w *Worker) taken(_ context.Context, all []plan.Taking) {
	var holdings []*holding
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range all {
		h := &holding{worker: w, partition: t.Partition, token: t.Token, inflight: make(map[mark]*task), preparing: true}
		h.ctx, h.cancel = context.WithCancel(context.Background())
		h.begin, h.noMore = context.WithCancel(h.ctx)
		h.dead = t.Dead
		w.holdings[t.Partition] = h
		holdings = append(holdings, h)
	}
	w.tasks.Go(func() { w.prepare(holdings) })
}

// lost ends the work on partitions that another worker has now.
func (w *Worker) lost(partitions []int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range partitions {
		if h := w.holdings[p]; h != nil {
			w.said.Say(lateWords)
			w.forget(h)
		}
	}
}

// lateWords are for a worker that was taken for dead.
const lateWords = "another worker has partitions of this one, whose beats did not arrive in time; records that come too late are dropped"

// forget ends the work on a holding without giving it back. The mutex of the worker is held.
func (w *Worker) forget(h *holding) {
	h.drop()
	if w.holdings[h.partition] == h {
		delete(w.holdings, h.partition)
	}
	w.tasks.Go(func() {
		w.mu.Lock()
		for h.preparing || h.running > 0 {
			w.changed.Wait()
		}
		w.mu.Unlock()
		h.closeDone()
	})
}

// closeDone closes the set of done URLs, once.
func (h *holding) closeDone() {
	h.worker.mu.Lock()
	d := h.done
	h.done = nil
	h.worker.mu.Unlock()
	if d != nil {
		d.close()
	}
}

// stop has no more fetches begin in partitions, and gives them back when those under way have a record.
func (w *Worker) stop(partitions []int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var stopped []*holding
	for _, p := range partitions {
		if h := w.holdings[p]; h != nil && !h.stopping {
			h.stopping = true
			h.noMore()
			stopped = append(stopped, h)
		}
	}
	if len(stopped) == 0 {
		return
	}
	w.tasks.Go(func() { w.giveBack(stopped) })
	w.wakeCommit()
}

// giveBack gives holdings back, each when it has nothing to do.
func (w *Worker) giveBack(stopped []*holding) {
	for len(stopped) > 0 {
		var free map[int]uint64
		free, stopped = w.free(stopped)
		if len(free) == 0 {
			continue
		}
		keep, cancel := context.WithTimeout(context.Background(), wait)
		if err := w.writeWaits(keep, slices.Collect(maps.Keys(free))); err != nil {
			w.trouble(err)
		}
		cancel()
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		if err := w.lease.give(ctx, free); err != nil {
			w.trouble(err)
		}
		cancel()
	}
}

// free waits until some of the holdings that are stopped have nothing to do, and forgets these. It returns their
// partitions with their tokens, without those that were lost, and the other holdings.
func (w *Worker) free(stopped []*holding) (free map[int]uint64, others []*holding) {
	free = make(map[int]uint64)
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for _, h := range stopped {
			if !h.gone && (h.preparing || h.running > 0 || len(h.pending) > 0) {
				others = append(others, h)
				continue
			}
			if !h.gone {
				free[h.partition] = h.token
			}
			if w.holdings[h.partition] == h {
				w.forget(h)
			}
		}
		if len(others) < len(stopped) {
			return free, others
		}
		others = nil
		w.changed.Wait()
	}
}

// prepare makes holdings ready: it opens the sets of done URLs, fences off the owners before, and
// reads the records that the sets lack.
func (w *Worker) prepare(all []*holding) {
	var each sync.WaitGroup
	few := make(chan struct{}, 4) // the last message of a partition may have 1 MiB
	for _, h := range all {
		each.Go(func() {
			few <- struct{}{}
			defer func() { <-few }()
			h.retry(func() error { return h.open() })
		})
	}
	each.Wait()
	var fresh, others []*holding // a fresh set needs all records
	for _, h := range all {
		switch {
		case h.done == nil || h.done.last >= h.last:
		case h.done.last == 0:
			fresh = append(fresh, h)
		default:
			others = append(others, h)
		}
	}
	w.catchUp(fresh)
	w.catchUp(others)
	w.mu.Lock()
	for _, h := range all {
		h.preparing, h.ready = false, h.done != nil && h.last > 0
	}
	w.changed.Broadcast()
	w.mu.Unlock()
	w.wakeFeed()
}

// retry repeats fn until it succeeds, or the holding stops.
func (h *holding) retry(fn func() error) {
	var pause backoff
	for {
		err := fn()
		if err == nil || h.begin.Err() != nil {
			return
		}
		h.worker.trouble(fmt.Errorf("partition %03d: %w", h.partition, err))
		if pause.wait(h.begin) != nil {
			return
		}
	}
}

// open opens the set of done URLs, and publishes that the partition is taken: whoever had it before
// publishes nothing any more.
func (h *holding) open() error {
	w := h.worker
	if h.done == nil {
		d, err := openDone(w.Dir, h.partition, w.Store.born)
		if err != nil {
			return err
		}
		h.done = d
	}
	seq, tail, err := w.Store.tail(h.begin, h.partition, h.done.last)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(h.begin, 2*wait)
	defer cancel()
	if tail.token > h.token {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.forget(h)
		return nil
	}
	if seq > 0 {
		h.notBefore = time.Now().Add(w.firstWait())
	}
	if err := h.suspect(ctx); err != nil {
		return err
	}
	if err := w.readWaits(ctx, h.partition); err != nil {
		return err
	}
	batch := head{token: h.token, batch: rand.Uint64(), counts: tail.counts}
	fields, err := batch.encode()
	if err != nil {
		return err
	}
	m := &nats.Msg{Subject: w.Store.recordSubject(h.partition), Header: fields}
	ack, err := w.Store.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(seq))
	if err != nil {
		return err
	}
	h.last, h.counts = ack.Sequence, tail.counts
	return nil
}

// firstWait is how long a new owner leaves each host alone, since the owner before may just have asked
// it.
func (w *Worker) firstWait() time.Duration {
	if w.Pace == nil {
		return 0
	}
	least := w.Pace.Least
	if w.Pace.Random {
		least += least / 2
	}
	return least
}

// catchUp adds the marks of records to sets of done URLs that lack them. It returns when they have all
// of them, up to the message by which the partition was taken, or have stopped. A server that keeps a copy of
// the records may be behind.
func (w *Worker) catchUp(all []*holding) {
	var pause backoff
	for {
		all = slices.DeleteFunc(all, func(h *holding) bool { return h.begin.Err() != nil || h.done.last >= h.last })
		if len(all) == 0 {
			return
		}
		err := w.read(all)
		for _, h := range all {
			if err == nil && h.done.last < h.last {
				err = fmt.Errorf("partition %03d: the server has not shown message %d yet", h.partition, h.last)
			}
		}
		if err == nil {
			return
		}
		w.trouble(fmt.Errorf("records: %w", err))
		pause.wait(all[0].begin) // the others go on without it
	}
}

// read reads the heads of the records of holdings, from the first one on that one of them lacks.
func (w *Worker) read(all []*holding) error {
	of := make(map[int]*holding)
	from := all[0].done.last
	c := jetstream.ConsumerConfig{HeadersOnly: true, DeliverPolicy: jetstream.DeliverByStartSequencePolicy}
	for _, h := range all {
		of[h.partition] = h
		from = min(from, h.done.last)
		c.FilterSubjects = append(c.FilterSubjects, w.Store.recordSubject(h.partition))
	}
	c.OptStartSeq = from + 1
	return w.Store.each(all[0].begin, c, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
		p, err := partitionOf(m.Subject())
		if err != nil {
			return err
		}
		h, seq := of[p], meta.Sequence.Stream
		if h == nil || seq <= h.done.last || seq > h.last {
			return nil
		}
		batch, err := decodeHead(m.Headers())
		if err != nil {
			w.trouble(fmt.Errorf("records of partition %03d: message %d is passed over: %w", p, seq, err))
			batch.marks = nil
		}
		return h.done.add(seq, batch.marks)
	})
}
