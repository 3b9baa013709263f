package line

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

const (
	kib  = 1 << 10
	mib  = 1 << 20
	mbit = 1e6 / 8
	ms   = time.Millisecond
)

// result is how a transfer in equal spans went.
type result struct {
	took     time.Duration
	received []int64 // by connection
	events   int
}

// transfer fetches n bytes in so many equal spans, each on a connection.
func transfer(l Line, s Server, seed uint64, n int64, spans int) result {
	sim := New(l, s, seed)
	for i := range int64(spans) {
		sim.Ask(sim.Dial(1), n*(i+1)/int64(spans)-n*i/int64(spans))
	}
	r := result{received: make([]int64, spans)}
	for done := 0; done < spans; {
		events := sim.Step()
		if events == nil {
			return r
		}
		for _, e := range events {
			r.events++
			switch e.Kind {
			case Received:
				r.received[e.Conn-1] += e.N
			case Done:
				done++
				r.took = e.At
			}
		}
	}
	return r
}

var lines = []struct {
	name string
	line Line
}{
	{"20 Mbit, 20 ms", Line{Rate: 20 * mbit, RTT: 20 * ms, Queue: 250 * ms}},
	{"100 Mbit, 40 ms", Line{Rate: 100 * mbit, RTT: 40 * ms, Queue: 250 * ms}},
	{"100 Mbit, 80 ms, loss 0.005", Line{Rate: 100 * mbit, RTT: 80 * ms, Queue: 250 * ms, Loss: 0.005}},
	{"1 Gbit, 10 ms", Line{Rate: 1000 * mbit, RTT: 10 * ms, Queue: 250 * ms}},
}

func TestAllOctetsArrive(t *testing.T) {
	for _, c := range lines {
		for _, control := range []Control{Reno, Cubic, BBR} {
			for _, spans := range []int{1, 4, 16} {
				l := c.line
				l.Control = control
				t.Run(fmt.Sprint(c.name, " ", control, " ", spans), func(t *testing.T) {
					const n = 20*mib + 1
					r := transfer(l, Server{}, 1, n, spans)
					var sum int64
					for _, k := range r.received {
						sum += k
					}
					if sum != n {
						t.Errorf("%d bytes arrived of %d", sum, n)
					}
					t.Logf("%.2f s", r.took.Seconds())
				})
			}
		}
	}
}

func TestSameSeedSameEvents(t *testing.T) {
	play := func(seed uint64) (all []Event) {
		l := lines[2].line
		sim := New(l, Server{}, seed)
		for range 3 {
			sim.Ask(sim.Dial(2), mib)
		}
		for events := sim.Step(); events != nil; events = sim.Step() {
			all = append(all, events...)
		}
		return all
	}
	a, b, other := play(1), play(1), play(2)
	if !reflect.DeepEqual(a, b) {
		t.Error("two runs with one seed differ")
	}
	if reflect.DeepEqual(a, other) {
		t.Error("runs with two seeds do not differ")
	}
}

func BenchmarkTransfer(b *testing.B) {
	for _, c := range lines {
		for _, spans := range []int{1, 16} {
			l := c.line
			l.Control = Cubic
			b.Run(fmt.Sprint(c.name, " ", spans), func(b *testing.B) {
				for b.Loop() {
					transfer(l, Server{}, 1, 100*mib, spans)
				}
			})
		}
	}
}

func TestTransfersEndOnLinesWithLoss(t *testing.T) {
	for seed := range uint64(200) {
		l := Line{Rate: 10 * mbit, RTT: 80 * ms, Queue: 20 * ms, Loss: 0.1, Control: Control(seed % 3)}
		r := transfer(l, Server{}, seed, 300*kib, 2)
		if sum := r.received[0] + r.received[1]; sum != 300*kib {
			t.Errorf("seed %d: %d bytes arrived", seed, sum)
		}
	}
}
