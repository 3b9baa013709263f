package share

import (
	"math"
	"time"
)

const (
	// small is a file of so few octets that its end comes before a further connection pays.
	small = 2 << 20

	// near is an answer so soon that round trips cost nothing: eight connections with answers
	// of 5 ms end 1,600 requests a second. Further ones help only if the server holds each
	// of them back, which takes a look of 100 ms to see.
	near = 5 * time.Millisecond
	look = 100 * time.Millisecond

	// fast is the rate of a connection, in octets a second, that a near server does not hold
	// back: half of what a network of 1 Gbit/s carries.
	fast = 64 << 20

	// worth is for how long a connection has something to do at least, as its request is a
	// burden to the server.
	worth = 500 * time.Millisecond
)

// A stage is how far the number of connections has grown.
type stage uint8

const (
	steady   stage = iota // as many as before
	sounding              // one more was asked, whose answer waits if the line has a queue
	weighing              // it was answered at once, and may bring more than there was
	many                  // as many as there may be
)

// planned returns how many connections are worth what is left.
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

// spreads reports whether connections that have brought their spans get others.
func (f *File) spreads() bool {
	return f.stage == many || f.limits.Exact || len(f.sources) > 1
}

// isSettled reports whether at least half of the connections have stopped growing, and enough is
// left that others would be in time. Those to a near server are given more time, and are not
// added to if they are fast.
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

// add adds connections until so many work, or another one would have too little to do. It
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

// spare returns an idle connection, or a new one, or -1 if no source takes one.
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

// isUsable reports whether a connection is idle and can be given work. One that was too late
// with its answer rests for as long, or it would be too late again. At a source that takes no
// further connections, one in the place of one that was closed is made for a gap only.
func (f *File) isUsable(c *conn) bool {
	if f.now < c.rests && !f.limits.Exact && f.Working() > 0 {
		return false
	}
	return c.idle && !c.retired && (c.kept || !f.sources[c.source].full || len(f.gaps) > 0)
}

// choose returns the source for a further connection: one that was not asked yet, or the one
// whose connections bring most, where each that works already counts against it. It is -1 if
// there is none.
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
