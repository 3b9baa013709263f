package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// options are the numbers of a simulation.
type options struct {
	urls     int64
	hosts    int
	workers  int
	zipf     float64
	grouped  bool
	rate     float64 // fetches a second of a worker
	fetches  int     // under way at once
	interval float64 // seconds
	delay    float64 // seconds, of one host in ten
	crash    float64 // hours between crashes of a worker; 0 is never
	seed     uint64
}

// The seconds from the death of a worker until the others take its partitions, and until it is there
// again.
const (
	noticed = 8.5
	away    = 60
)

// A world is a simulation.
type world struct {
	options
	now        float64
	hosts      []host
	partitions []*partition
	workers    []*worker
	table      plan.Table
	random     *rand.Rand
	changes    heap[change] // that are to come
	crashes    int
}

// A change is the crash of a worker, or what follows from it.
type change struct {
	at     float64
	worker int
	kind   changeKind
}

type changeKind int

const (
	crashes changeKind = iota
	dead               // the others know
	returns
)

func (c change) Before(o change) bool {
	return c.at < o.at || c.at == o.at && c.worker < o.worker
}

func newWorld(o options) *world {
	w := &world{options: o, random: rand.New(rand.NewPCG(o.seed, math.MaxUint64))}
	w.hosts, w.partitions = newList(&o)
	for i := range o.workers {
		w.workers = append(w.workers, &worker{world: w, name: fmt.Sprintf("w%05d", i), alive: true, trusted: true,
			held: make(map[int][]*page), queues: make(map[int32][]*page), due: make(map[int32]int)})
		w.crashLater(i)
	}
	w.share()
	return w
}

// crashLater decides when a worker crashes.
func (w *world) crashLater(worker int) {
	if w.crash > 0 {
		w.changes.push(change{w.now + w.random.ExpFloat64()*w.crash*3600, worker, crashes})
	}
}

// run simulates until all URLs have a record.
func (w *world) run() {
	for !w.done() {
		until := math.Inf(1)
		if len(w.changes) > 0 {
			until = w.changes[0].at
		}
		var all sync.WaitGroup
		for _, worker := range w.workers {
			all.Go(func() { worker.run(until) })
		}
		all.Wait()
		if len(w.changes) == 0 {
			return
		}
		w.now = until
		w.change(w.changes.pop())
	}
}

func (w *world) done() bool {
	for _, p := range w.partitions {
		if !p.empty() {
			return false
		}
	}
	for _, worker := range w.workers {
		if !worker.empty() {
			return false
		}
	}
	return true
}

// change does a change.
func (w *world) change(c change) {
	worker := w.workers[c.worker]
	switch c.kind {
	case crashes:
		w.crashes++
		worker.alive = false
		worker.give(w.now, w.table.Held(worker.name), true)
		w.changes.push(change{w.now + noticed, c.worker, dead})
		w.changes.push(change{w.now + away, c.worker, returns})
	case dead:
		worker.trusted = false
		w.share()
	case returns: // as another one
		worker.alive, worker.trusted = true, true
		worker.name = fmt.Sprintf("w%05d-%d", c.worker, w.crashes)
		w.crashLater(c.worker)
		w.share()
	}
}

// share has all workers give back what they have too much, and take what is free.
func (w *world) share() {
	var alive []string
	for _, worker := range w.workers {
		if worker.trusted {
			alive = append(alive, worker.name)
		}
	}
	for _, worker := range w.workers {
		if excess := w.table.Excess(worker.name, alive); worker.alive && len(excess) > 0 {
			worker.give(w.now, excess, false)
			w.table.Give(worker.name, excess)
		}
	}
	for _, worker := range w.workers {
		if worker.alive {
			worker.take(w.now, w.table.Take(worker.name, alive))
		}
	}
}
