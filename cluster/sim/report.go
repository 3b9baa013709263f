package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// A histogram counts times in steps of 1 %.
type histogram [4096]int64

const steps = 64 // for each doubling

func (h *histogram) add(seconds float64) { h[int(steps*math.Log2(1+seconds))]++ }

// quantile returns the time at which a share of all was counted.
func (h *histogram) quantile(share float64) float64 {
	var all, sum int64
	for _, n := range h {
		all += n
	}
	for i, n := range h {
		if sum += n; float64(sum) >= share*float64(all) {
			return math.Exp2(float64(i+1)/steps) - 1
		}
	}
	return 0
}

// duration writes seconds for people.
func duration(seconds float64) string {
	if seconds >= 48*3600 {
		return fmt.Sprintf("%.1f days", seconds/86400)
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second / 10).String()
}

// report writes what came of the simulation.
func (w *world) report(to io.Writer) {
	var fetched, again, tooFast, moved int64
	var end float64
	var most peak
	var times histogram
	for _, worker := range w.workers {
		fetched, again, tooFast = fetched+worker.fetched, again+worker.again, tooFast+worker.tooFast
		moved, end = moved+worker.moved, max(end, worker.last)
		most.memory, most.items, most.hosts = max(most.memory, worker.peak.memory), max(most.items, worker.peak.items), max(most.hosts, worker.peak.hosts)
		for i, n := range worker.times {
			times[i] += n
		}
	}
	urls := fetched - again
	capacity := float64(urls) / (w.rate * float64(w.options.workers))
	var longest float64 // that a host needs alone
	var shares, waits []float64
	for i := range w.hosts {
		h := &w.hosts[i]
		if h.fetched == 0 {
			continue
		}
		alone := float64(h.fetched) * float64(max(h.interval, h.latency))
		longest = max(longest, alone)
		shares = append(shares, max(alone, capacity)/max(h.end, alone, capacity))
		waits = append(waits, h.gap)
	}
	slices.Sort(shares)
	slices.Sort(waits)
	at := func(sorted []float64, share float64) float64 { return sorted[int(share*float64(len(sorted)-1))] }
	fmt.Fprintf(to, "list        %d URLs of %d hosts, of which a host has %d at most\n", urls, len(shares), w.largest())
	fmt.Fprintf(to, "time        %s; of its URLs 50 %% by %s, 90 %% by %s, 99 %% by %s\n", duration(end), duration(times.quantile(.5)), duration(times.quantile(.9)), duration(times.quantile(.99)))
	fmt.Fprintf(to, "least time  %s: the workers need %s, the slowest host %s\n", duration(max(capacity, longest)), duration(capacity), duration(longest))
	fmt.Fprintf(to, "fairness    a host gets %.0f %% of its due in the median, 1 host in 10 less than %.1f %%, 1 in 100 less than %.2f %%\n", 100*at(shares, .5), 100*at(shares, .1), 100*at(shares, .01))
	fmt.Fprintf(to, "waits       of a host for a fetch: %s in the median, %s at most\n", duration(at(waits, .5)), duration(at(waits, 1)))
	fmt.Fprintf(to, "rates       %d fetches before their time\n", tooFast)
	fmt.Fprintf(to, "memory      %d MiB in a worker at most, with %d URLs of %d hosts\n", most.memory>>20, most.items, most.hosts)
	fmt.Fprintf(to, "disk        %d MiB of done URLs in a worker\n", urls*doneBytes/int64(w.options.workers)>>20)
	fmt.Fprintf(to, "put back    %d pages of URLs that waited for slow hosts\n", moved)
	fmt.Fprintf(to, "duplicates  %d URLs were fetched again after %d crashes: %.4f %%\n", again, w.crashes, 100*float64(again)/float64(urls))
}

// largest returns how many URLs of one host were fetched at most.
func (w *world) largest() (n int32) {
	for i := range w.hosts {
		n = max(n, w.hosts[i].fetched)
	}
	return n
}
