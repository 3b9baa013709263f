//go:build unix

package embed

import (
	"context"
	"fmt"
	nethttp "net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A cost is how long the fetches of a round take, and how much processor time of this process.
type cost struct{ time, cpu time.Duration }

// together makes c fetch each URL, a number of them at a time.
func together(b *testing.B, c client, urls []string, workers int) cost {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var (
		next atomic.Int64
		all  sync.WaitGroup
	)
	began, used := time.Now(), cpu(b)
	for range workers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(urls)); i = next.Add(1) - 1 {
				if err := c.get(ctx, urls[i]); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return cost{time.Since(began), cpu(b) - used}
}

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A best is the least cost of several rounds.
type best cost

func (t *best) add(c cost) {
	if t.time == 0 {
		*t = best(c)
	}
	t.time, t.cpu = min(t.time, c.time), min(t.cpu, c.cpu)
}

// report prints the time and the processor time of a fetch by this module, and their ratios to
// those of a fetch by net/http.
func report(b *testing.B, ours, theirs best, fetches int) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours.time)/float64(fetches), "ns/fetch")
	b.ReportMetric(float64(ours.time)/float64(theirs.time), "ratio")
	b.ReportMetric(float64(ours.cpu)/float64(fetches), "cpu-ns/fetch")
	b.ReportMetric(float64(ours.cpu)/float64(theirs.cpu), "cpu-ratio")
}

// BenchmarkKept fetches a small document on kept connections to one host. Both clients run one
// after the other in each round, and the least cost of each counts.
func BenchmarkKept(b *testing.B) {
	for _, test := range []struct{ workers, fetches int }{{1, 1000}, {100, 10_000}, {1000, 20_000}} {
		b.Run(fmt.Sprint(test.workers), func(b *testing.B) {
			port := newProcess(b)
			urls := make([]string, test.fetches)
			for i := range urls {
				urls[i] = "http://127.0.0.1:" + port + "/d"
			}
			ours := stack(&fetchers.Network{MaxIdleConns: test.workers, MaxIdleConnsPerHost: test.workers})
			theirs := standard(&nethttp.Transport{MaxIdleConns: test.workers, MaxIdleConnsPerHost: test.workers})
			defer ours.close()
			defer theirs.close()
			together(b, ours, urls, test.workers) // which connects
			together(b, theirs, urls, test.workers)
			var our, their best
			for b.Loop() {
				our.add(together(b, ours, urls, test.workers))
				their.add(together(b, theirs, urls, test.workers))
			}
			report(b, our, their, test.fetches)
		})
	}
}

// BenchmarkHosts fetches a document from each of 10,000 hosts, 100 at a time, on kept
// connections. The first pass, which connects, does not count.
func BenchmarkHosts(b *testing.B) {
	const hosts, workers, passes = 10_000, 100, 3
	port := newProcess(b)
	urls := make([]string, hosts)
	for i := range urls {
		urls[i] = fmt.Sprintf("http://127.1.%d.%d:%s/d", i/250, 1+i%250, port)
	}
	var our, their best
	for b.Loop() {
		ours := stack(&fetchers.Network{MaxIdleConns: hosts})
		theirs := standard(&nethttp.Transport{MaxIdleConns: hosts})
		for _, c := range []client{ours, theirs} {
			together(b, c, urls, workers)
			for range passes {
				if d := together(b, c, urls, workers); c.name == ours.name {
					our.add(d)
				} else {
					their.add(d)
				}
			}
			c.close()
		}
	}
	report(b, our, their, hosts)
}
