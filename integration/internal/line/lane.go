package line

import (
	"math/rand/v2"
	"time"
)

// A lane is one direction of a line: it decides which packets arrive, and when. Times
// are since the line was made.
type lane struct {
	rate  float64       // bytes a nanosecond
	delay time.Duration // half of the round trip
	queue time.Duration
	loss  float64
	draw  *rand.Rand
	free  time.Duration // when everything that waits will have been sent
}

func newLane(o Options, loss float64) *lane {
	if o.Queue == 0 {
		o.Queue = 250 * time.Millisecond
	}
	return &lane{
		rate: o.Mbit / 8000, delay: o.RTT / 2, queue: o.Queue,
		loss: loss, draw: rand.New(rand.NewPCG(o.Seed, 0)),
	}
}

// A fate is the end of a packet.
type fate int

const (
	arrives fate = iota
	lost
	full
)

// send returns when a packet of a size that is sent at a time arrives, if it does.
func (l *lane) send(now time.Duration, size int) (due time.Duration, f fate) {
	if l.loss > 0 && l.draw.Float64() < l.loss {
		return 0, lost
	}
	l.free = max(l.free, now)
	if l.free-now > l.queue {
		return 0, full
	}
	l.free += time.Duration(float64(size) / l.rate)
	return l.free + l.delay, arrives
}
