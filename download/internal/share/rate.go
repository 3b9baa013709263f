package share

import (
	"math"
	"time"
)

// A rate is how fast a connection is. It is measured over windows of two round trips, and over
// a second or more, since a server may send in bursts.
type rate struct {
	window time.Duration
	begun  time.Duration // of this window
	count  int64         // octets in it
	last   float64       // octets a second in the window before; 0 if there was none
	grows  bool          // last was more than half as much again as before
	lasted time.Duration // of the longer time, without this window
	total  int64         // octets in it
}

// inWindow is how many round trips a window has.
const inWindow = 2

// add adds n octets.
func (r *rate) add(now time.Duration, n int64, window time.Duration) {
	r.window = window
	if lasted := now - r.begun; lasted >= window {
		last := float64(r.count) / lasted.Seconds()
		r.grows = last > 1.5*r.last
		r.last, r.begun = last, now
		if r.lasted > time.Second/4 {
			r.lasted, r.total = r.lasted/2, r.total/2
		}
		r.lasted, r.total = r.lasted+lasted, r.total+r.count
		r.count = 0
	}
	r.count += n
}

// at returns octets a second at a time, or 0 if that is not known. A rate that grows is
// carried on for up to three round trips.
func (r *rate) at(now time.Duration) float64 {
	if r.last == 0 {
		return 0
	}
	lasted := now - r.begun
	long := r.long(now)
	windows := float64(lasted) / float64(r.window)
	switch {
	case windows > 2: // hardly anything comes
		return max(long, min(r.last, float64(r.count)/lasted.Seconds()))
	case r.grows:
		return r.last * math.Exp2(min((windows+0.5)*inWindow, 3))
	}
	return max(long, r.last)
}

// long returns octets a second over the longer time.
func (r *rate) long(now time.Duration) float64 {
	return float64(r.total+r.count) / max(r.lasted+now-r.begun, time.Millisecond).Seconds()
}
