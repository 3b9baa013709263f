package main

import (
	"maps"
	"math"
	"slices"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A worker is one of the cluster. While it runs it touches only its own partitions and their hosts, so
// workers run at once.
type worker struct {
	world   *world
	name    string
	alive   bool
	trusted bool              // the others take it for alive
	held    map[int][]*page   // the open pages of each partition that it has
	order   []int             // its partitions in ascending order
	queues  map[int32][]*page // the URLs of a host that wait: their pages, one for each
	due     map[int32]int     // the partitions of the hosts that have an event
	events  heap[event]
	ends    heap[moment] // of fetches that are under way
	free    float64      // when it can begin the next fetch
	items   int          // URLs of open pages that wait
	recent  []fetch      // fetches whose record may not be written

	fetched, again int64 // URLs, and those of them whose record was lost
	tooFast        int64 // fetches that came before their time
	moved          int64 // pages that were written for URLs that were put back
	last           float64
	peak           peak
	times          histogram // when URLs were fetched
}

// A fetch is one whose record may not be written.
type fetch struct {
	end  float64
	host int32
	page *page
}

// flush is how many seconds a record may wait until it is written.
const flush = 1

// written returns when a record is written that is there at a time.
func written(at float64) float64 { return math.Ceil(at/flush) * flush }

// run lets the worker work until a time.
func (w *worker) run(until float64) {
	if !w.alive {
		return
	}
	w.open(w.world.now)
	for len(w.events) > 0 && w.events[0].at < until {
		e := w.events.pop()
		if e.host < 0 {
			w.finished(e)
			continue
		}
		at := w.begins(e.at)
		if at >= until {
			w.events.push(e)
			return
		}
		w.fetch(e.host, at)
	}
}

// begins returns when a fetch can begin that is ready at a time.
func (w *worker) begins(at float64) float64 {
	at = max(at, w.free)
	if !w.idle(at) {
		at = float64(w.ends.pop())
	}
	return at
}

// idle reports whether there is room for another fetch, and forgets those that have ended.
func (w *worker) idle(at float64) bool {
	for len(w.ends) > 0 && float64(w.ends[0]) <= at {
		w.ends.pop()
	}
	return len(w.ends) < w.world.fetches
}

// fetch fetches the next URL of a host.
func (w *worker) fetch(number int32, at float64) {
	h, waiting := &w.world.hosts[number], w.queues[number]
	if len(waiting) == 0 { // they were put back
		delete(w.due, number)
		return
	}
	p := waiting[0]
	if ready := h.ready(); at < ready-1e-6*max(1, ready) {
		w.tooFast++
	}
	end := at + float64(h.latency)
	h.gap = max(h.gap, at-max(h.last, 0))
	h.last, h.end = at, end
	h.fetched++
	if len(waiting) > 1 {
		w.queues[number] = waiting[1:]
		w.events.push(event{at: h.ready(), host: number})
	} else {
		delete(w.queues, number)
		delete(w.due, number)
	}
	w.free = at + 1/w.world.rate
	w.ends.push(moment(end))
	w.recent = append(w.recent, fetch{end, number, p})
	w.items--
	w.fetched++
	w.last = max(w.last, end)
	w.times.add(end)
	p.end = max(p.end, end)
	if p.left--; p.left == 0 {
		w.events.push(event{at: written(p.end), host: int32(-1 - p.partition), page: p})
	}
	if w.fetched%1024 == 0 {
		w.prune(at)
		w.open(at)
	}
}

// ready returns when the next fetch of a host may begin.
func (h *host) ready() float64 {
	if h.last < 0 {
		return 0
	}
	return max(h.last+float64(h.interval), h.end)
}

// prune forgets the fetches whose records are written.
func (w *worker) prune(at float64) {
	w.recent = slices.DeleteFunc(w.recent, func(f fetch) bool { return written(f.end) <= at })
}

// finished closes a page, or wakes the worker for a partition that had to wait.
func (w *worker) finished(e event) {
	number := int(-1 - e.host)
	if e.page != nil {
		w.held[number] = slices.DeleteFunc(w.held[number], func(p *page) bool { return p == e.page })
	}
	w.prune(e.at)
	w.open(e.at)
}

// open opens pages, as long as it may.
func (w *worker) open(at float64) {
	for _, number := range w.order {
		p := w.world.partitions[number]
		for at >= p.notBefore {
			if !plan.MayTake(w.count(number), w.items, w.idle(at)) && !w.putBack(number, at) {
				break
			}
			next := p.next(number, w.world.grouped)
			if next == nil {
				break
			}
			next.opened = at
			w.held[number] = append(w.held[number], next)
			w.events.push(event{at: at + patience(next.moves), host: int32(-1 - number)})
			w.items += len(next.hosts)
			for _, h := range next.hosts {
				if _, due := w.due[h]; !due {
					w.due[h] = number
					w.events.push(event{at: max(at, w.world.hosts[h].ready()), host: h})
				}
				w.queues[h] = append(w.queues[h], next)
			}
		}
	}
	w.peak.note(w)
}

// take gives the worker partitions, whose owner before may just have fetched from their hosts.
func (w *worker) take(at float64, taken []plan.Taking) {
	for _, t := range taken {
		w.held[t.Partition] = nil
		w.order = append(w.order, t.Partition)
		if p := w.world.partitions[t.Partition]; at > 0 {
			p.notBefore = at + w.world.interval
			w.events.push(event{at: p.notBefore, host: int32(-1 - t.Partition)})
		}
	}
	slices.Sort(w.order)
}

// give takes partitions from the worker. The URLs of their open pages that wait are those of the next
// owner. If the worker died, so are those without a written record.
func (w *worker) give(at float64, given []int, died bool) {
	var lost []fetch
	if died {
		w.prune(at)
		lost, w.recent = w.recent, nil
	} else { // it gives them back when their records are written
		w.recent = slices.DeleteFunc(w.recent, func(f fetch) bool { return slices.Contains(given, f.page.partition) })
	}
	for _, number := range given {
		for _, p := range w.held[number] {
			p.hosts = nil
		}
	}
	for _, number := range slices.Sorted(maps.Keys(w.queues)) {
		waiting := w.queues[number]
		if !slices.Contains(given, waiting[0].partition) {
			continue
		}
		for _, p := range waiting {
			p.hosts = append(p.hosts, number)
		}
		w.items -= len(waiting)
		delete(w.queues, number)
	}
	for _, f := range lost {
		f.page.hosts = append(f.page.hosts, f.host)
		f.page.left++
		w.again++
	}
	w.events = w.events.without(func(e event) bool {
		if e.host < 0 {
			return slices.Contains(given, int(-1-e.host))
		}
		return slices.Contains(given, w.due[e.host])
	})
	maps.DeleteFunc(w.due, func(_ int32, number int) bool { return slices.Contains(given, number) })
	for _, number := range given {
		p := w.world.partitions[number]
		for _, page := range w.held[number] {
			page.leaving = false
		}
		pages := slices.DeleteFunc(w.held[number], func(p *page) bool { return p.left == 0 })
		p.back = append(slices.Clone(pages), p.back...)
		delete(w.held, number)
	}
	w.order = slices.DeleteFunc(w.order, func(number int) bool { return slices.Contains(given, number) })
	if died {
		w.ends = nil
	}
}

// empty reports whether no URL waits.
func (w *worker) empty() bool { return len(w.queues) == 0 }

// without returns a heap of the events that are not to go.
func (h heap[T]) without(goes func(T) bool) heap[T] {
	var kept heap[T]
	for _, e := range h {
		if !goes(e) {
			kept.push(e)
		}
	}
	return kept
}
