package line

import (
	"math"
	"time"
)

// grow reports whether the window may grow: it was what held sending back.
func (c *conn) grow() bool {
	return c.full || c.window < c.enough && c.window*segment < float64(2*c.most)
}

// reno is the congestion control of RFC 5681.
type reno struct{}

func (reno) acked(c *conn, f *flight, segments float64, lost bool) {
	if c.state == recovery {
		c.window = c.reduce.window(float64(c.inflight)/segment, c.enough, segments)
		return
	}
	if !c.grow() {
		return
	}
	if c.window < c.enough {
		segments -= c.slowStart(segments)
	}
	c.window += segments / c.window
}

// slowStart grows the window by what was delivered, and returns how much of it
// counted.
func (t *sender) slowStart(segments float64) float64 {
	k := min(segments, max(t.enough-t.window, 0))
	t.window += k
	return k
}

// settle ends the reduction of the window; after a timer the window grows on.
func (c *conn) settle() {
	if c.state == recovery {
		c.window = c.enough
	}
}

func (reno) loss(c *conn)    { c.enough = max(c.window/2, 2) }
func (reno) timeout(c *conn) { c.enough = max(c.window/2, 2) }
func (reno) leave(c *conn)   { c.settle() }
func (reno) pace() float64   { return 0 }

// cubic is the congestion control of RFC 9438, with HyStart as in Linux.
type cubic struct {
	peak   float64 // window before the latest loss
	origin float64
	k      float64 // seconds until the window is at its origin
	epoch  time.Duration
	begun  bool
	friend float64 // window that Reno would have

	// HyStart: a round ends when all that was sent at its begin is delivered.
	roundEnd   int64
	roundBegin time.Duration
	roundLeast time.Duration
	roundCount int
	lastAck    time.Duration
}

const (
	cubicC    = 0.4
	cubicBeta = 0.7
)

func (k *cubic) acked(c *conn, f *flight, segments float64, lost bool) {
	if c.state == recovery {
		c.window = c.reduce.window(float64(c.inflight)/segment, c.enough, segments)
		return
	}
	if c.window < c.enough && c.window >= 16 && c.state == steadyState {
		k.hystart(c, f)
	}
	if !c.grow() {
		return
	}
	if c.window < c.enough {
		segments -= c.slowStart(segments)
	}
	if segments > 0 {
		k.avoid(c, segments)
	}
}

// hystart ends slow start when a train of acknowledgements is as long as the
// round-trip time, or when the round-trip time grows.
func (k *cubic) hystart(c *conn, f *flight) {
	now := c.sim.now
	if f.delivered >= k.roundEnd {
		k.roundEnd = c.delivered
		k.roundBegin, k.lastAck = now, now
		k.roundLeast, k.roundCount = never, 0
	}
	if now-k.lastAck <= 2*time.Millisecond {
		k.lastAck = now
		if now-k.roundBegin > c.least/2 {
			c.enough = c.window
		}
	}
	if f.again {
		return
	}
	k.roundLeast = min(k.roundLeast, c.latest)
	if k.roundCount++; k.roundCount >= 8 || float64(k.roundCount) >= c.window/4 {
		if k.roundLeast > c.least+min(max(c.least/8, 4*time.Millisecond), 16*time.Millisecond) {
			c.enough = c.window
		}
	}
}

// avoid grows the window in congestion avoidance.
func (k *cubic) avoid(c *conn, segments float64) {
	now := c.sim.now
	w := c.window
	if !k.begun {
		k.begun, k.epoch, k.friend = true, now, w
		k.k, k.origin = 0, w
		if w < k.peak {
			k.k, k.origin = math.Cbrt((k.peak-w)/cubicC), k.peak
		}
	}
	t := (now - k.epoch + c.least).Seconds() - k.k
	count := 100 * w
	if target := k.origin + cubicC*t*t*t; target > w {
		count = w / (target - w)
	}
	if k.peak == 0 {
		count = min(count, 20)
	}
	k.friend += segments / (w * (1 + cubicBeta) / (3 * (1 - cubicBeta)))
	if k.friend > w {
		count = min(count, w/(k.friend-w))
	}
	c.window += segments / max(count, 2)
}

func (k *cubic) loss(c *conn) {
	k.begun = false
	if c.window < k.peak {
		k.peak = c.window * (1 + cubicBeta) / 2
	} else {
		k.peak = c.window
	}
	c.enough = max(c.window*cubicBeta, 2)
}

func (k *cubic) timeout(c *conn) { k.loss(c) }
func (k *cubic) leave(c *conn)   { c.settle() }
func (k *cubic) pace() float64   { return 0 }
