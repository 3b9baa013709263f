package main

import (
	"slices"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// patience returns for how many seconds a page stays open.
func patience(moves int) float64 { return plan.Patience(moves).Seconds() }

// count returns how many pages of a partition are open.
func (w *worker) count(number int) (n plan.Pages) {
	for _, p := range w.held[number] {
		if p.leaving {
			n.Leaving++
		} else {
			n.Open++
		}
	}
	return n
}

// putBack moves the URLs that wait of pages that are open for long to the end of their partition, and
// reports whether there were any.
func (w *worker) putBack(number int, at float64) bool {
	p := w.world.partitions[number]
	if p.empty() || !w.idle(at) || w.count(number).Full() {
		return false
	}
	var moved []int32
	moves := 0
	for _, old := range w.held[number] {
		if old.leaving || at < old.opened+patience(old.moves) {
			continue
		}
		waiting := w.withdraw(old)
		moved, moves = append(moved, waiting...), max(moves, old.moves+1)
		old.leaving = true
		if old.left -= len(waiting); old.left == 0 {
			w.events.push(event{at: max(at, written(old.end)), host: int32(-1 - number), page: old})
		}
	}
	w.items -= len(moved)
	for hosts := range slices.Chunk(moved, plan.PageItems) {
		p.late = append(p.late, &page{partition: number, hosts: slices.Clone(hosts), left: len(hosts), moves: moves})
		w.moved++
	}
	return moves > 0
}

// withdraw takes the URLs of a page that wait from the queues of their hosts, and returns their hosts. A host
// without any other URL keeps its event.
func (w *worker) withdraw(p *page) (waiting []int32) {
	hosts := slices.Clone(p.hosts)
	slices.Sort(hosts)
	for _, h := range slices.Compact(hosts) {
		before := len(w.queues[h])
		kept := slices.DeleteFunc(slices.Clone(w.queues[h]), func(o *page) bool { return o == p })
		for range before - len(kept) {
			waiting = append(waiting, h)
		}
		if len(kept) == 0 {
			delete(w.queues, h)
		} else {
			w.queues[h] = kept
		}
	}
	return waiting
}
