package share

import (
	"math"
	"time"
)

// window is the number of bytes of a new connection in its first round trip (RFC 6928).
const window = 14600

// timeout is the idle time, besides a round trip, after which a connection returns to slow start
// (RFC 2861; RFC 6298, section 2.4, as in Linux).
const timeout = 200 * time.Millisecond

// A course predicts the bytes of a connection: after a delay, it has a rate that doubles with each
// round trip up to a limit.
type course struct {
	delay float64 // seconds
	rate  float64 // bytes per second
	limit float64 // of rate; it may be infinite
	trip  float64 // seconds
}

// brings returns the number of bytes within t seconds.
func (c course) brings(t float64) float64 {
	t -= c.delay
	if t <= 0 {
		return 0
	}
	doubles := math.Log2(c.limit/c.rate) * c.trip // duration of the growth in seconds
	n := c.rate * c.trip / math.Ln2 * (math.Exp2(min(t, doubles)/c.trip) - 1)
	if t > doubles {
		n += c.limit * (t - doubles)
	}
	return n
}

// matches returns the number of bytes until the rate has been at its limit for four round trips.
func (c course) matches() float64 {
	return c.brings(c.delay + (math.Log2(c.limit/c.rate)+4)*c.trip)
}

// until returns the seconds until the connections have fetched n bytes together.
func until(n int64, courses ...course) float64 {
	enough := func(t float64) bool {
		sum := 0.0
		for _, c := range courses {
			sum += c.brings(t)
		}
		return sum >= float64(n)
	}
	const never = 1e6
	high := 1e-3
	for !enough(high) && high < never {
		high *= 2
	}
	low := high / 2
	for range 8 {
		if mid := (low + high) / 2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// course predicts a connection from now on, also an idle one.
func (f *File) course(c *conn) course {
	to := course{rate: c.rate.at(f.now), trip: f.trips(1).Seconds()}
	switch {
	case !c.idle && f.isSilent(c):
		return course{rate: 1, limit: 1, trip: to.trip}
	case to.rate == 0 || c.idle && f.isCold(c): // slow start lies ahead
		to.rate = window / to.trip
		to.limit = f.limit(c.source)
	case c.rate.grows:
		to.limit = math.Inf(1)
	}
	to.rate = max(to.rate, 1)
	to.limit = max(to.limit, to.rate)
	switch {
	case c.idle:
		to.delay = f.cost(c).Seconds()
	case c.end == 0:
		to.delay = max(c.asked+f.cost(c)-f.now, 0).Seconds()
	}
	return to
}

// isCold reports whether the next request of a connection begins with slow start.
func (f *File) isCold(c *conn) bool { return !c.kept || f.now-c.heard > f.trips(1)+timeout }

// limit returns the rate at which connections to a source stop growing: the mean of those that have
// stopped, or infinity if there is none.
func (f *File) limit(source int) float64 {
	sum, n := 0.0, 0
	for _, c := range f.conns {
		if r := c.rate.at(f.now); c.source == source && !c.idle && !f.isSilent(c) && r > 0 && !c.rate.grows {
			sum += r
			n++
		}
	}
	if n == 0 {
		return math.Inf(1)
	}
	return sum / float64(n)
}

// trips returns the duration of n round trips without a queue.
func (f *File) trips(n int) time.Duration {
	trip := f.setup / 2
	if f.trip > 0 {
		trip = min(trip, f.trip)
	}
	return max(trip, time.Millisecond) * time.Duration(n)
}

// cost returns the time from a request on a connection to its first byte.
func (f *File) cost(c *conn) time.Duration {
	if c.kept {
		return f.trips(1) + f.queue
	}
	return max(f.setup, f.trips(2)) + f.queue
}
