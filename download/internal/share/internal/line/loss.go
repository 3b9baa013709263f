package line

import (
	"math"
	"time"
)

// grow reports whether the window may grow: it was the limit for sending.
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

// slowStart grows the window by the delivered segments, and returns how many of them counted.
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

func (u *cubic) acked(c *conn, f *flight, segments float64, lost bool) {
	if c.state == recovery {
		c.window = c.reduce.window(float64(c.inflight)/segment, c.enough, segments)
		return
	}
	if c.window < c.enough && c.window >= 16 && c.state == regular {
		u.hystart(c, f)
	}
	if !c.grow() {
		return
	}
	if c.window < c.enough {
		segments -= c.slowStart(segments)
	}
	if segments > 0 {
		u.avoid(c, segments)
	}
}

// hystart ends slow start when a train of acknowledgements is as long as the
// round-trip time, or when the round-trip time grows.
func (u *cubic) hystart(c *conn, f *flight) {
	now := c.sim.now
	if f.delivered >= u.roundEnd {
		u.roundEnd = c.delivered
		u.roundBegin, u.lastAck = now, now
		u.roundLeast, u.roundCount = never, 0
	}
	if now-u.lastAck <= 2*time.Millisecond {
		u.lastAck = now
		if now-u.roundBegin > c.least/2 {
			c.enough = c.window
		}
	}
	if f.again {
		return
	}
	u.roundLeast = min(u.roundLeast, c.latest)
	if u.roundCount++; u.roundCount >= 8 || float64(u.roundCount) >= c.window/4 {
		if u.roundLeast > c.least+min(max(c.least/8, 4*time.Millisecond), 16*time.Millisecond) {
			c.enough = c.window
		}
	}
}

// avoid grows the window in congestion avoidance.
func (u *cubic) avoid(c *conn, segments float64) {
	now := c.sim.now
	w := c.window
	if !u.begun {
		u.begun, u.epoch, u.friend = true, now, w
		u.k, u.origin = 0, w
		if w < u.peak {
			u.k, u.origin = math.Cbrt((u.peak-w)/cubicC), u.peak
		}
	}
	t := (now - u.epoch + c.least).Seconds() - u.k
	count := 100 * w
	if target := u.origin + cubicC*t*t*t; target > w {
		count = w / (target - w)
	}
	if u.peak == 0 {
		count = min(count, 20)
	}
	u.friend += segments / (w * (1 + cubicBeta) / (3 * (1 - cubicBeta)))
	if u.friend > w {
		count = min(count, w/(u.friend-w))
	}
	c.window += segments / max(count, 2)
}

func (u *cubic) loss(c *conn) {
	u.begun = false
	if c.window < u.peak {
		u.peak = c.window * (1 + cubicBeta) / 2
	} else {
		u.peak = c.window
	}
	c.enough = max(c.window*cubicBeta, 2)
}

func (u *cubic) timeout(c *conn) { u.loss(c) }
func (u *cubic) leave(c *conn)   { c.settle() }
func (u *cubic) pace() float64   { return 0 }
