package share

import (
	"math"
	"time"
)

// A rate is the speed of a connection. It is measured over windows of two round trips, and over a
// second or more, since a server may send in bursts.
type rate struct {
	window time.Duration
	begun  time.Duration // start of this window
	count  int64         // bytes in this window
	last   float64       // bytes per second in the previous window; 0 if there was none
	grows  bool          // last was more than 1.5 times its predecessor
	lasted time.Duration // length of the longer measurement, without this window
	total  int64         // bytes in the longer measurement
}

// inWindow is the length of a window in round trips.
const inWindow = 2

// add adds n bytes.
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

// at returns bytes per second at a time, or 0 if unknown. A growing rate is extrapolated for up to
// three round trips.
func (r *rate) at(now time.Duration) float64 {
	if r.last == 0 {
		return 0
	}
	lasted := now - r.begun
	long := r.long(now)
	windows := float64(lasted) / float64(r.window)
	switch {
	case windows > 2: // nearly stalled
		return max(long, min(r.last, float64(r.count)/lasted.Seconds()))
	case r.grows:
		return r.last * math.Exp2(min((windows+0.5)*inWindow, 3))
	}
	return max(long, r.last)
}

// long returns bytes per second in the longer measurement.
func (r *rate) long(now time.Duration) float64 {
	return float64(r.total+r.count) / max(r.lasted+now-r.begun, time.Millisecond).Seconds()
}
