package line

import (
	"math"
	"time"
)

// bbr is BBR version 1, as in Linux.
type bbr struct {
	mode       bbrMode
	rates      [10]float64 // greatest rate of each of the last rounds
	rate       float64     // greatest of them
	round      int
	roundEnd   int64 // octets delivered that end the round
	pipeRate   float64
	pipeRounds int
	piped      bool
	paceGain   float64
	windowGain float64
	paced      float64
	phase      int
	phaseAt    time.Duration
	least      time.Duration
	leastAt    time.Duration
	probeEnd   time.Duration
	before     float64 // window before recovery or probing
	conserve   bool
}

type bbrMode uint8

const (
	startup bbrMode = iota
	drain
	probeRate
	probeRTT
)

const bbrHigh = 2.885

var bbrPhases = [8]float64{1.25, 0.75, 1, 1, 1, 1, 1, 1}

func newBBR(s *Sim) *bbr {
	b := &bbr{paceGain: bbrHigh, windowGain: bbrHigh, least: never}
	b.paced = bbrHigh * initialWindow * segment / max(s.line.RTT, time.Millisecond).Seconds()
	return b
}

func (b *bbr) pace() float64 { return b.paced }

func (b *bbr) acked(c *conn, f *flight, segments float64, lost bool) {
	now := c.sim.now
	began := b.sample(c, f)
	if b.mode == probeRate {
		b.cycle(c, lost)
	}
	if began && !b.piped && !f.limited {
		b.fill()
	}
	product := b.product()
	pipe := float64(c.inflight) / segment
	if b.mode == startup && b.piped {
		b.mode, b.paceGain, b.windowGain = drain, 1/bbrHigh, bbrHigh
	}
	if b.mode == drain && pipe <= product {
		b.enter(c)
	}
	b.roundTrip(c, f, now, pipe, began)
	if b.rate > 0 {
		if p := b.paceGain * b.rate * 0.99; b.piped || p > b.paced {
			b.paced = p
		}
	}
	b.size(c, segments, pipe, lost)
}

// sample takes the rate of delivery between a flight's sending and its
// acknowledgement, and reports whether a round begins.
func (b *bbr) sample(c *conn, f *flight) bool {
	began := f.delivered >= b.roundEnd
	if began {
		b.roundEnd = c.delivered
		b.round++
		b.rates[b.round%len(b.rates)] = 0
		b.conserve = false
	}
	took := max(f.sent-f.firstSent, c.sim.now-f.deliveredAt)
	if took >= b.least || b.least == never {
		rate := float64(c.delivered-f.delivered) / max(took.Seconds(), 1e-6)
		slot := &b.rates[b.round%len(b.rates)]
		if (!f.limited || rate >= b.rate) && rate > *slot {
			*slot = rate
		}
	}
	b.rate = 0
	for _, r := range b.rates {
		b.rate = max(b.rate, r)
	}
	return began
}

// fill finds that the rate has not grown by a quarter in three rounds.
func (b *bbr) fill() {
	if b.rate >= b.pipeRate*1.25 {
		b.pipeRate, b.pipeRounds = b.rate, 0
		return
	}
	b.pipeRounds++
	b.piped = b.pipeRounds >= 3
}

// product is the segments in flight that fill the line without a queue.
func (b *bbr) product() float64 {
	if b.least == never || b.rate == 0 {
		return initialWindow
	}
	return b.rate * b.least.Seconds() / segment
}

// enter begins to probe for more rate, in a phase drawn at random.
func (b *bbr) enter(c *conn) {
	b.mode, b.windowGain = probeRate, 2
	b.phase = (2 + c.sim.draw.IntN(7)) % 8
	b.phaseAt = c.sim.now
	b.paceGain = bbrPhases[b.phase]
}

// cycle advances to the next phase.
func (b *bbr) cycle(c *conn, lost bool) {
	now := c.sim.now
	pipe := float64(c.inflight) / segment
	over := now-b.phaseAt > b.least
	switch {
	case b.paceGain > 1:
		over = over && (lost || pipe >= b.paceGain*b.product())
	case b.paceGain < 1:
		over = over || pipe <= b.product()
	}
	if over {
		b.phase = (b.phase + 1) % 8
		b.phaseAt = now
		b.paceGain = bbrPhases[b.phase]
	}
}

// roundTrip keeps the smallest round-trip time of ten seconds, and empties the
// line to find it.
func (b *bbr) roundTrip(c *conn, f *flight, now time.Duration, pipe float64, began bool) {
	old := b.least != never && now-b.leastAt > 10*time.Second
	if !f.again && (c.latest <= b.least || old) {
		b.least, b.leastAt = c.latest, now
	}
	if old && b.mode != probeRTT {
		b.mode, b.paceGain = probeRTT, 1
		b.before = max(b.before, c.window)
		b.probeEnd = never
	}
	if b.mode != probeRTT {
		return
	}
	if b.probeEnd == never && pipe <= 4 {
		b.probeEnd = now + max(200*time.Millisecond, b.least)
	}
	if now >= b.probeEnd {
		b.leastAt = now
		c.window, b.before = max(c.window, b.before), 0
		if b.piped {
			b.enter(c)
		} else {
			b.mode, b.paceGain, b.windowGain = startup, bbrHigh, bbrHigh
		}
	}
}

// size sets the window.
func (b *bbr) size(c *conn, segments, pipe float64, lost bool) {
	quantum := max(2, min(44, b.paced/1000/segment))
	target := math.Ceil(b.windowGain*b.product()) + 3*quantum
	w := c.window
	switch {
	case b.conserve && c.state == recovery:
		w = max(w, pipe+segments)
	case b.piped:
		w = min(w+segments, target)
	case w < target || c.delivered < initialWindow*segment:
		w += segments
	}
	if b.mode == probeRTT {
		w = min(w, 4)
	}
	c.window = max(w, 4)
}

func (b *bbr) loss(c *conn) {
	b.before = max(b.before, c.window)
	b.conserve = true
	b.roundEnd = c.delivered
	c.window = max(float64(c.inflight)/segment, 4)
}

func (b *bbr) timeout(c *conn) {
	b.before = max(b.before, c.window)
	b.pipeRate, b.pipeRounds = 0, 0
}

func (b *bbr) leave(c *conn) {
	c.window = max(c.window, b.before)
	b.before = 0
	b.conserve = false
}
