package download

import (
	"context"
	"slices"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Batch does work for many hosts, as much at the same time as its limits allow.
// It never holds more than a little of what is to come, so what it is given may be
// without end. Its fields must not change in use, and only one goroutine may give
// it work.
type Batch struct {
	Most    int // at the same time; less than 1 is 1
	PerHost int // of them for one host; less than 1 is 1

	mu      sync.Mutex
	room    sync.Cond // there is some for more work
	busy    int
	asleep  int
	awake   []*seat // whose work has slept and goes on when there is room
	waiting int
	hosts   map[string]*host
	ready   []*host // those that have work waiting and may have more done
	working sync.WaitGroup
}

// window is how much work is held that has to wait for its host, while there may be
// some for another behind it. In a list it is this many lines.
const window = 1000

// refill is how much less there has to be before more is taken, so that who gives it
// is not woken for each bit of work.
const refill = 32

// maxAsleep is how much work may have left its place to other. More stays where it is.
const maxAsleep = 256

// A host is one for which something is done or waits.
type host struct {
	name    string
	busy    int
	waiting []func()
	ready   bool // it is in Batch.ready
}

// Do sees to it that some work for a host is done. If it cannot begin yet, it
// waits: in the order in which it came for its host, and in turn with that of other
// hosts. Do returns before it is done, unless too much waits already.
func (b *Batch) Do(name string, work func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room.L = &b.mu
	if b.waiting >= window {
		for b.waiting > window-refill {
			b.room.Wait()
		}
	}
	if b.hosts == nil {
		b.hosts = make(map[string]*host)
	}
	h := b.hosts[name]
	if h == nil {
		h = &host{name: name}
		b.hosts[name] = h
	}
	h.waiting = append(h.waiting, work)
	b.waiting++
	b.line(h)
	b.start()
}

// Wait waits until all work is done.
func (b *Batch) Wait() { b.working.Wait() }

// line puts h at the end of those that are ready, if it is.
func (b *Batch) line(h *host) {
	if !h.ready && len(h.waiting) > 0 && h.busy < max(b.PerHost, 1) {
		h.ready = true
		b.ready = append(b.ready, h)
	}
}

// start begins what may begin.
func (b *Batch) start() {
	for h, work := b.next(); work != nil; h, work = b.next() {
		b.working.Go(func() { b.work(h, work) })
	}
	if b.room.L != nil && b.waiting <= window-refill {
		b.room.Signal()
	}
}

// work does some work for h, and goes on with other, since a new goroutine would have to
// make room for all that is called again.
func (b *Batch) work(h *host, work func()) {
	for work != nil {
		work()
		h, work = b.done(h)
	}
}

// next takes the work that is to be done next, if it may begin.
func (b *Batch) next() (*host, func()) {
	if b.busy >= max(b.Most, 1) || len(b.ready) == 0 {
		return nil, nil
	}
	h := b.ready[0]
	b.ready[0], b.ready, h.ready = nil, b.ready[1:], false
	work := h.waiting[0]
	h.waiting[0], h.waiting = nil, h.waiting[1:]
	b.waiting--
	b.busy++
	h.busy++
	b.line(h)
	return h, work
}

// done makes room for other work, and returns the first of it.
func (b *Batch) done(h *host) (*host, func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy--
	h.busy--
	if h.busy == 0 && len(h.waiting) == 0 {
		delete(b.hosts, h.name)
	}
	b.line(h)
	b.wake()
	next, work := b.next()
	b.start()
	return next, work
}

// Context returns the context for one piece of work that is given to b. What is fetched
// with it leaves the place of the work to other while it waits before it asks a server again,
// or because it was asked to, unless Most is 1. If several things are fetched at the same
// time, the first that waits does so, whatever the others do, and the first that goes on
// takes the place again. For its host the work still counts.
func (b *Batch) Context(ctx context.Context) context.Context {
	p := new(seat)
	return fetchers.WithPause(ctx, func(ctx context.Context) func() { return b.leave(ctx, p) })
}

// A seat is the place of a piece of work.
type seat struct {
	back chan struct{} // closed when it is taken again; nil while it is not away
}

// leave gives away p, unless it is away or too many are, and returns what takes it again.
func (b *Batch) leave(ctx context.Context, p *seat) (enter func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Most > 1 && p.back == nil && b.asleep < maxAsleep {
		p.back = make(chan struct{})
		b.asleep++
		b.busy--
		b.wake()
		b.start()
	}
	return func() { b.enter(ctx, p) }
}

// enter takes p again if it is away: before what has not begun, and at once if there is
// nothing left to be done in it.
func (b *Batch) enter(ctx context.Context, p *seat) {
	b.mu.Lock()
	back := p.back
	if back != nil && !slices.Contains(b.awake, p) {
		b.asleep--
		b.awake = append(b.awake, p)
		b.wake()
	}
	b.mu.Unlock()
	if back == nil {
		return
	}
	select {
	case <-back:
		return
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.back == back {
		b.take(p)
	}
}

// wake gives places to who has slept.
func (b *Batch) wake() {
	for len(b.awake) > 0 && b.busy < b.Most {
		b.take(b.awake[0])
	}
}

// take takes p again, which is one of those that are awake.
func (b *Batch) take(p *seat) {
	i := slices.Index(b.awake, p)
	b.awake = slices.Delete(b.awake, i, i+1)
	close(p.back)
	p.back = nil
	b.busy++
}
