package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// The times of a lease. They are measured by the monotonic clock of one process: no time of one
// machine is compared with that of another.
const (
	beatEvery  = 2 * time.Second        // a worker writes a beat
	heldFor    = 6 * time.Second        // after its last beat was begun, a worker begins no fetch
	termFor    = 7 * time.Second        // after its last beat was begun, a worker interrupts its fetches
	deadAfter  = 8 * time.Second        // without a new beat, a worker is dead for the others
	leaseEvery = 500 * time.Millisecond // the table is looked at

	buriedAfter = 30 * time.Second // without a new beat, the beat of a worker is removed
)

// A Beat tells that a worker is there, and what it does. It is written every two seconds.
type Beat struct {
	Name       string  `json:"name"`       // of the machine, or what the user calls the worker
	Number     uint64  `json:"number"`     // one more than that of the beat before
	Partitions int     `json:"partitions"` // that the worker owns
	Hosts      int     `json:"hosts"`      // of which it has URLs
	URLs       int     `json:"urls"`       // that it has taken and not done
	Fetching   int     `json:"fetching"`
	Rate       float64 `json:"rate"`              // records a second, since the beat before
	Strange    int     `json:"strange,omitempty"` // pages of another version, which it leaves alone
	Trouble    string  `json:"trouble,omitempty"` // why it waits; "" if it does not
}

// A lease owns partitions for one worker, as long as its beats are written.
type lease struct {
	store *Store
	id    string

	// taken is called for partitions that the worker owns from now on, and lost for those that another
	// one owns. stop is called for those that the worker has too many of: it gives them back by give,
	// when its work on them is over.
	taken func(ctx context.Context, t []plan.Taking)
	lost  func(partitions []int)
	stop  func(partitions []int)
	beat  func() Beat
	crawl func(c Crawl, revision uint64) error // is told the Crawl of the job

	turn   sync.Mutex // for changes of the table by this worker
	closed bool       // no partition is taken any more

	mu       sync.Mutex
	table    plan.Table
	revision uint64
	beats    map[string]time.Time // when the last beat of a worker came, and of this one
	old      map[string]bool      // workers of which no beat came since the watch began: they may be dead
	drained  bool
	last     time.Time      // when the last beat that was written was begun
	holding  map[int]uint64 // the tokens of the partitions that the worker works on
	number   uint64
}

// valid reports whether the worker may begin a fetch.
func (l *lease) valid() bool { return l.lasts(heldFor) }

// lasts reports whether the last beat was begun less than a time ago.
func (l *lease) lasts(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.last.IsZero() && time.Since(l.last) < d
}

// run keeps the lease until ctx ends. Its errors are for a person, and are said by say.
func (l *lease) run(ctx context.Context, say func(error)) {
	l.beats, l.old, l.holding = make(map[string]time.Time), make(map[string]bool), make(map[int]uint64)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed, watching := make(chan struct{}, 1), make(chan struct{}, 1)
	var watcher sync.WaitGroup
	watcher.Go(func() { l.watch(ctx, changed, watching, say) })
	defer watcher.Wait()
	beats, ticks := time.NewTicker(beatEvery), time.NewTicker(leaseEvery)
	defer beats.Stop()
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-watching: // whether this beat arrives tells that the watch works
			l.write(ctx, say)
		case <-beats.C:
			l.write(ctx, say)
			l.bury(ctx)
		case <-ticks.C:
		case <-changed:
		}
		if err := l.settle(ctx); err != nil && ctx.Err() == nil {
			say(fmt.Errorf("table of owners: %w", err))
		}
	}
}

// write writes a beat.
func (l *lease) write(ctx context.Context, say func(error)) {
	begun := time.Now()
	b := l.beat()
	l.number++
	b.Number = l.number
	ctx, cancel := context.WithTimeout(ctx, beatEvery)
	defer cancel()
	if err := l.store.put(ctx, beatPrefix+l.id, b); err != nil {
		if ctx.Err() != context.Canceled {
			say(fmt.Errorf("beat: %w", err))
		}
		return
	}
	if err := l.rejoin(ctx); err != nil {
		say(fmt.Errorf("table of owners: %w", err))
		return
	}
	l.mu.Lock()
	l.last = begun
	l.mu.Unlock()
}

// rejoin reads the table before a worker goes on that was silent for so long that others may have its
// partitions.
func (l *lease) rejoin(ctx context.Context) error {
	l.mu.Lock()
	silent := !l.last.IsZero() && time.Since(l.last) >= heldFor
	l.mu.Unlock()
	if !silent {
		return nil
	}
	e, err := l.store.state.Get(ctx, keyOwners)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.learn(e)
	lost := l.forget()
	l.mu.Unlock()
	if len(lost) > 0 {
		l.lost(lost)
	}
	return nil
}

// watch takes note of the beats of other workers, of the table, of the word to drain and of the crawl.
func (l *lease) watch(ctx context.Context, changed, watching chan struct{}, say func(error)) {
	var pause backoff
	for ctx.Err() == nil {
		w, err := l.store.state.WatchFiltered(ctx, []string{beatPrefix + "*", keyOwners, keyDrain, keyCrawl})
		if err != nil {
			say(fmt.Errorf("watch of the workers: %w", err))
			pause.wait(ctx)
			continue
		}
		pause = backoff{}
		l.follow(ctx, w, changed, watching)
		w.Stop()
	}
}

// follow takes note of changes until the watcher or ctx ends.
func (l *lease) follow(ctx context.Context, w jetstream.KeyWatcher, changed, watching chan struct{}) {
	l.mu.Lock()
	delete(l.beats, l.id) // the watch may have missed beats of others: their age counts from the next own beat
	l.mu.Unlock()
	there := true // what comes was there before the watch began
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.Updates():
			if !ok {
				return
			}
			if e == nil {
				there = false
				wake(watching)
				continue
			}
			if l.note(e, there) {
				wake(changed)
			}
		}
	}
}

// note takes note of a value that has changed, or was there, and reports whether it may matter at once.
func (l *lease) note(e jetstream.KeyValueEntry, there bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	gone := e.Operation() != jetstream.KeyValuePut
	switch e.Key() {
	case keyOwners:
		return l.learn(e)
	case keyCrawl:
		var c Crawl
		if !gone && json.Unmarshal(e.Value(), &c) == nil {
			l.crawl(c, e.Revision()) // or the next page says why it cannot be read
		}
		return false
	case keyDrain:
		l.drained = !gone
		return true
	}
	id := e.Key()[len(beatPrefix):]
	_, known := l.beats[id]
	switch {
	case gone:
		delete(l.beats, id)
		delete(l.old, id)
	case there && !known && id != l.id:
		l.beats[id], l.old[id] = time.Now(), true
	case there:
		return false
	case id == l.id && !l.watching():
		for other := range l.beats { // the worker has not heard them for a while
			l.beats[other] = time.Now()
		}
		fallthrough
	default:
		l.beats[id] = time.Now()
		delete(l.old, id)
	}
	return gone == known
}

// watching reports whether beats arrive here: those of this worker do. Only then is a worker dead whose
// beats do not.
func (l *lease) watching() bool {
	own, ok := l.beats[l.id]
	return ok && time.Since(own) < 2*beatEvery
}

// learn takes note of the table.
func (l *lease) learn(e jetstream.KeyValueEntry) bool {
	if e.Revision() <= l.revision {
		return false
	}
	var t plan.Table
	if json.Unmarshal(e.Value(), &t) != nil {
		return false
	}
	l.table, l.revision = t, e.Revision()
	return true
}

// alive returns the workers that are alive. One that may be dead counts only if it owns partitions, which
// are not taken from it too soon.
func (l *lease) alive() []string {
	owners := make(map[string]bool)
	for _, o := range l.table.Owners {
		owners[o.Worker] = true
	}
	alive := []string{l.id}
	for id, last := range l.beats {
		if id != l.id && time.Since(last) < deadAfter && (!l.old[id] || owners[id]) {
			alive = append(alive, id)
		}
	}
	return alive
}

// bury removes the beats of workers that have been dead for a while.
func (l *lease) bury(ctx context.Context) {
	l.mu.Lock()
	var dead []string
	for id, last := range l.beats {
		if l.watching() && id != l.id && time.Since(last) > buriedAfter {
			dead = append(dead, id)
		}
	}
	l.mu.Unlock()
	for _, id := range dead {
		ctx, cancel := context.WithTimeout(ctx, wait)
		l.store.state.Purge(ctx, beatPrefix+id) // or another worker does
		l.store.flights.Purge(ctx, id)
		cancel()
	}
}

// A leaseView is the state by which a lease decides.
type leaseView struct {
	table    plan.Table
	revision uint64
	alive    []string
	drained  bool
	lost     []int         // partitions that another worker has now
	found    []plan.Taking // partitions that this one took without knowing it
	able     bool          // it may change the table
}

// view returns the state, and forgets the partitions that are lost.
func (l *lease) view() leaseView {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := leaseView{table: l.table, revision: l.revision, alive: l.alive(), drained: l.drained}
	v.able = l.watching() && time.Since(l.last) < heldFor
	v.lost = l.forget()
	for _, p := range l.table.Held(l.id) {
		if token := l.table.Owners[p].Token; l.holding[p] != token {
			l.holding[p] = token
			v.found = append(v.found, plan.Taking{Partition: p, Token: token})
		}
	}
	return v
}

// forget forgets the partitions that another worker has by the table, and returns them. The mutex is held.
func (l *lease) forget() (lost []int) {
	for p, token := range l.holding {
		if o := l.table.Owners[p]; o.Worker != l.id || o.Token != token {
			lost = append(lost, p)
			delete(l.holding, p)
		}
	}
	return lost
}

// settle compares the table with the partitions that the worker works on, and takes and gives back some.
func (l *lease) settle(ctx context.Context) error {
	l.turn.Lock()
	defer l.turn.Unlock()
	v := l.view()
	if len(v.lost) > 0 {
		l.lost(v.lost)
	}
	switch {
	case l.closed:
		return nil
	case len(v.found) > 0:
		l.taken(ctx, v.found)
	}
	switch {
	case !v.able:
		return nil
	case v.drained:
		l.stop(v.table.Held(l.id))
		return nil
	}
	if excess := v.table.Excess(l.id, v.alive); len(excess) > 0 {
		l.stop(excess)
	}
	taken := v.table.Take(l.id, v.alive)
	if len(taken) == 0 {
		return nil
	}
	swapped, err := l.swap(ctx, v.table, v.revision)
	if err != nil || !swapped {
		return err
	}
	l.mu.Lock()
	for _, t := range taken {
		l.holding[t.Partition] = t.Token
	}
	l.mu.Unlock()
	l.taken(ctx, taken)
	return nil
}

// swap writes the table, and reports whether the one before was still there. If not, or if that is not
// known, the table is read again.
func (l *lease) swap(ctx context.Context, t plan.Table, revision uint64) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	next, swapped, err := l.store.swap(ctx, keyOwners, t, revision)
	if swapped {
		l.mu.Lock()
		defer l.mu.Unlock()
		if next > l.revision {
			l.table, l.revision = t, next
		}
		return true, nil
	}
	if e, readErr := l.store.state.Get(ctx, keyOwners); readErr == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.learn(e)
	}
	return false, err
}

// give gives partitions back, on which the worker does not work any more. Each has the token with which the worker
// had it: a partition that was lost and taken again meanwhile has another one, and stays.
func (l *lease) give(ctx context.Context, tokens map[int]uint64) error {
	l.turn.Lock()
	defer l.turn.Unlock()
	for range 20 {
		l.mu.Lock()
		table, revision := l.table, l.revision
		var partitions []int
		for p, token := range tokens {
			if l.holding[p] == token {
				delete(l.holding, p)
			}
			if table.Owners[p].Token == token {
				partitions = append(partitions, p)
			}
		}
		l.mu.Unlock()
		if !table.Give(l.id, partitions) {
			return nil
		}
		swapped, err := l.swap(ctx, table, revision)
		if err != nil || swapped {
			return err
		}
	}
	return errors.New("partitions are not given back: other workers write the table all the time")
}

// leave removes the beat, so that the others do not wait for the next one.
func (l *lease) leave(ctx context.Context) error {
	return l.store.state.Purge(ctx, beatPrefix+l.id)
}
