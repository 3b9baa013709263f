package share

import (
	"math"
	"time"
)

const (
	// small is a size in bytes below which a further connection does not pay off before the end.
	small = 2 << 20

	// near is a response time so short that round trips cost nothing: eight connections with
	// responses after 5 ms finish 1,600 requests per second. Further connections help only if the
	// server limits the rate of each, which takes the time look to detect.
	near = 5 * time.Millisecond
	look = 100 * time.Millisecond

	// fast is a rate in bytes per second that shows that a near server does not limit the
	// connection: half of a 1 Gbit/s network.
	fast = 64 << 20

	// worth is the minimum time that a connection should be busy, as its request is a cost for the
	// server.
	worth = 500 * time.Millisecond
)

// A stage is a phase in the growth of the number of connections.
type stage uint8

const (
	steady   stage = iota // the number stays
	sounding              // one more was asked; on a full path its response is delayed
	weighing              // its response was immediate; its rate is being compared
	many                  // as many as the limits allow
)

// planned returns how many connections the remaining bytes justify.
func (f *File) planned() int {
	each := float64(least)
	if r := f.limit(0); r < fast {
		each = max(each, r*worth.Seconds())
	}
	return int(min(float64(f.limits.Most), max(float64(f.left())/each, 1)))
}

// grow adds connections if it is time for that.
func (f *File) grow() {
	switch {
	case f.limits.Most == 1:
	case f.limits.Exact:
		f.add(f.limits.Most)
	case len(f.sources) > 1 && len(f.conns) == 1:
		f.add(min(2, f.planned()))
	case f.size < small && len(f.sources) == 1:
	case f.stage == steady && f.now >= f.again && f.isSettled():
		f.try()
	case f.stage == weighing:
		f.weigh()
	case f.stage == many && f.limit(0) < math.Inf(1):
		f.add(f.planned())
	case f.stage == sounding && f.conns[f.trial.conn].idle:
		f.rest()
	}
}

// spreads reports whether connections that have finished their spans get further ones.
func (f *File) spreads() bool {
	return f.stage == many || f.limits.Exact || len(f.sources) > 1
}

// isSettled reports whether at least half of the connections have stopped growing, and enough bytes
// are left for a further connection. Connections to a near server have more time to grow, and get
// no help if they are fast.
func (f *File) isSettled() bool {
	total, settled, working := 0.0, 0, 0
	for _, c := range f.conns {
		if c.idle {
			continue
		}
		working++
		r := c.rate.at(f.now)
		total += r
		if r > 0 && !c.rate.grows {
			settled++
		}
	}
	left := float64(f.left())
	if f.setup < near && (f.now-f.conns[0].asked < look || total > fast || left < total) {
		return false
	}
	return working > 0 && 2*settled >= working && left > 4*f.setup.Seconds()*total
}

// add adds connections until want of them work, or another one would have too little to do. It
// returns the latest one, or -1.
func (f *File) add(want int) int {
	f.expected = want
	latest := -1
	for f.Working() < want {
		id := f.spare()
		if id < 0 || !f.give(id) {
			break
		}
		latest = id
	}
	f.expected = 0
	return latest
}

// spare returns an idle connection, or a new one, or -1 if no source accepts one.
func (f *File) spare() int {
	for id, c := range f.conns {
		if f.isUsable(c) {
			return id
		}
	}
	best := f.choose()
	if best < 0 {
		return -1
	}
	f.sources[best].tried = true
	f.conns = append(f.conns, &conn{source: best, idle: true})
	return len(f.conns) - 1
}

// isUsable reports whether a connection is idle and may get work. A connection whose response came
// too late pauses, since it would be late again. If its source refuses further connections, a
// closed connection is replaced only for a gap.
func (f *File) isUsable(c *conn) bool {
	if f.now < c.rests && !f.limits.Exact && f.Working() > 0 {
		return false
	}
	return c.idle && !c.retired && (c.kept || !f.sources[c.source].full || len(f.gaps) > 0)
}

// choose returns the source for a further connection: an unused one, or the one with the fastest
// connections, where each working connection counts against it. It is -1 if there is none.
func (f *File) choose() int {
	best, most := -1, 0.0
	for i, s := range f.sources {
		if s.full {
			continue
		}
		if !s.tried {
			return i
		}
		rate, working := f.rateOf(i)
		if share := max(rate, 1) / float64(working+1); best < 0 || share > most {
			best, most = i, share
		}
	}
	return best
}

// rateOf returns the mean rate of the connections to a source, and how many work.
func (f *File) rateOf(source int) (rate float64, working int) {
	known := 0
	for _, c := range f.conns {
		if c.source != source {
			continue
		}
		if !c.idle {
			working++
		}
		if r := c.rate.at(f.now); r > 0 {
			rate += r
			known++
		}
	}
	return rate / float64(max(known, 1)), working
}
