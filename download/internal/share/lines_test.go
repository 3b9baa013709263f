package share_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/seed1ea3422f/fetch/download/internal/share"
	"github.com/seed1ea3422f/fetch/download/internal/share/internal/line"
)

var cases = flag.Int("cases", 400, "seeded lines that a file is fetched over")

// seeded returns a random path, server and size.
func seeded(seed uint64) (r road, size int64) {
	draw := rand.New(rand.NewPCG(seed, 1))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, draw.Float64()) }
	r.Rate = between(2, 1000) * mbit
	r.RTT = time.Duration(between(5, 200) * float64(ms))
	r.Queue = time.Duration(between(20, 300) * float64(ms))
	r.Control = line.Control(draw.IntN(3))
	if draw.IntN(3) == 0 {
		r.Loss = between(0.0001, 0.01)
	}
	if draw.IntN(4) == 0 {
		r.PerConn = r.Rate * between(0.02, 0.5)
	}
	if draw.IntN(4) == 0 {
		r.MaxConns, r.Refusal = 1+draw.IntN(4), line.Refusal(draw.IntN(2))
	}
	r.trips, r.seed = 1+draw.IntN(2), seed
	size = int64(between(1, 1024) * mib)
	for float64(size) > 20*r.Rate { // limit the duration
		size /= 2
	}
	return r, max(size, mib)
}

// TestSeededLines fetches files over random paths. All bytes arrive, whatever the server refuses.
// Of 100 downloads, 95 take at most 3 % longer than a single connection; where the server limits
// each connection, they are several times as fast.
func TestSeededLines(t *testing.T) {
	var all, held []float64
	for seed := range uint64(*cases) {
		r, size := seeded(seed)
		took, _ := r.fetch(t, size, share.Limits{Most: 16})
		gain := r.fixed(size, 1).Seconds() / took.Seconds()
		if all = append(all, gain); r.PerConn > 0 && r.PerConn < r.Rate/8 && r.MaxConns == 0 {
			held = append(held, gain)
		}
		if gain < 0.9 {
			t.Logf("%.2f of one connection: %d MiB, %+v", gain, size/mib, r)
		}
	}
	at := func(of []float64, share float64) float64 {
		slices.Sort(of)
		return of[int(share*float64(len(of)-1))]
	}
	t.Logf("%d lines, by the speed of one connection: least %.2f, 5 of 100 below %.2f, 10 below %.2f, half below %.2f; held back, half below %.2f",
		len(all), at(all, 0), at(all, 0.05), at(all, 0.1), at(all, 0.5), at(held, 0.5))
	if at(all, 0) < 0.4 || at(all, 0.02) < 0.85 || at(all, 0.05) < 0.97 || at(all, 0.5) < 0.99 || at(held, 0.5) < 6 {
		t.Error("it is too slow")
	}
}

// TestLines prints the durations of downloads: over one connection, by a File, and with the best
// fixed number.
func TestLines(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("it prints a table; run it with -v")
	}
	lines := []struct {
		name string
		line.Line
		line.Server
	}{
		{name: "20 Mbit/s, 20 ms", Line: line.Line{Rate: 20 * mbit, RTT: 20 * ms}},
		{name: "100 Mbit/s, 40 ms", Line: line.Line{Rate: 100 * mbit, RTT: 40 * ms}},
		{name: "100 Mbit/s, 80 ms, loss 0.5 %", Line: line.Line{Rate: 100 * mbit, RTT: 80 * ms, Loss: 0.005}},
		{name: "1 Gbit/s, 10 ms", Line: line.Line{Rate: 1000 * mbit, RTT: 10 * ms}},
		{name: "1 Gbit/s, 100 ms", Line: line.Line{Rate: 1000 * mbit, RTT: 100 * ms}},
		{name: "100 Mbit/s, 40 ms, capped", Line: line.Line{Rate: 100 * mbit, RTT: 40 * ms}, Server: line.Server{PerConn: 512 << 10}},
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer w.Flush()
	fmt.Fprintln(w, "line\tcontrol\tMiB\tone, s\tours, s\tbest, s\tof n\tone/ours\tbest/ours\tconnections\t")
	for _, l := range lines {
		for _, control := range []line.Control{line.Reno, line.Cubic, line.BBR} {
			for _, size := range []int64{2 * mib, 20 * mib, 100 * mib} {
				var one, ours, best float64
				var of int64
				most := 0
				const seeds = 2
				for seed := range uint64(seeds) {
					r := road{l.Line, l.Server, 1, seed}
					r.Control = control
					r.Queue = 250 * ms
					one += r.fixed(size, 1).Seconds() / seeds
					took, n := r.fetch(t, size, share.Limits{Most: 16})
					ours += took.Seconds() / seeds
					most = max(most, n)
					b, k := r.best(size)
					best += b.Seconds() / seeds
					of = k
				}
				fmt.Fprintf(w, "%s\t%v\t%d\t%.2f\t%.2f\t%.2f\t%d\t%.2f\t%.2f\t%d\t\n", l.name, control, size/mib, one, ours, best, of, one/ours, best/ours, most)
			}
		}
	}
}
