package main

import (
	"strings"
	"testing"
)

// simulate returns the world after a small simulation, and its report.
func simulate(t *testing.T, change func(*options)) (*world, string) {
	t.Helper()
	o := options{urls: 200_000, hosts: 20_000, workers: 4, zipf: .8, rate: 200, fetches: 300, interval: 1, delay: 10, crash: .1, seed: 7}
	if change != nil {
		change(&o)
	}
	w := newWorld(o)
	var listed int64
	for _, p := range w.partitions {
		listed += p.left
	}
	w.run()
	var report strings.Builder
	w.report(&report)
	var fetched int64
	for _, worker := range w.workers {
		if worker.tooFast > 0 {
			t.Errorf("%s: %d fetches came before their time", worker.name, worker.tooFast)
		}
		if worker.peak.memory > 2<<30 {
			t.Errorf("%s had %d bytes in memory", worker.name, worker.peak.memory)
		}
		if worker.items != 0 || len(worker.queues) > 0 {
			t.Errorf("%s has %d URLs left, of %d hosts", worker.name, worker.items, len(worker.queues))
		}
		fetched += worker.fetched - worker.again
	}
	if fetched != listed {
		t.Errorf("%d URLs have a record, want %d", fetched, listed)
	}
	return w, report.String()
}

func TestEachURLHasARecord(t *testing.T) {
	for name, change := range map[string]func(*options){
		"shuffled":             nil,
		"grouped":              func(o *options) { o.grouped = true },
		"without crashes":      func(o *options) { o.crash = 0 },
		"crashes all the time": func(o *options) { o.crash, o.zipf = .02, .4 },
		"one worker":           func(o *options) { o.workers = 1 },
		"300 workers":          func(o *options) { o.workers, o.urls, o.zipf, o.crash = 300, 50_000, .2, 0 },
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := simulate(t, change)
			if (w.crash > 0) != (w.crashes > 0) {
				t.Errorf("%d crashes", w.crashes)
			}
		})
	}
}

// Pages of slow hosts do not keep the pages behind them from being opened: a host waits for half an hour at
// most. If no page is put back, it waits for five days.
func TestSlowHostsHoldUpNoOthers(t *testing.T) {
	o := options{urls: 1e6, hosts: 1e4, workers: 4, zipf: 1, rate: 2000, fetches: 1000, interval: 1, delay: 10, seed: 1}
	w := newWorld(o)
	w.run()
	var longest, moved float64
	for i := range w.hosts {
		longest = max(longest, w.hosts[i].gap)
	}
	for _, worker := range w.workers {
		moved += float64(worker.moved)
	}
	if longest > 2*3600 || moved == 0 || moved > 10_000 {
		t.Errorf("a host waited for %s, and %.0f pages were written for URLs that were put back", duration(longest), moved)
	}
}

func TestTheSameSeedGivesTheSameReport(t *testing.T) {
	_, first := simulate(t, nil)
	_, again := simulate(t, nil)
	_, other := simulate(t, func(o *options) { o.seed = 8 })
	if first != again || first == other {
		t.Errorf("the same seed: %v, another one: %v", first == again, first == other)
	}
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for _, args := range []string{"-urls 0", "-workers -1", "-rate 0", "-crash -1", "-nope", "argument"} {
		var stdout, stderr strings.Builder
		if code := run(strings.Fields(args), &stdout, &stderr); code != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("%s: %d, %q, %q", args, code, &stdout, &stderr)
		}
	}
}
