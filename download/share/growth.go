package share

import "time"

const (
	// few is how many connections are made as soon as the first one is answered. While each
	// of them doubles its rate with each round trip, no more are needed to find out what
	// the line carries.
	few = 2

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
	alone    stage = iota // the first connection, which is not answered
	ramping               // a few, as long as most of them grow
	sounding              // one more was asked, whose answer tells whether the line is full
	full                  // the line is
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
	case f.size < small && len(f.sources) == 1:
	case f.stage == alone && (f.setup >= near && !f.limits.Login || len(f.sources) > 1 || f.isSlow()):
		f.stage = ramping
		f.add(min(few, f.planned()))
	case (f.stage == ramping || f.stage == full) && f.now >= f.again && f.settled():
		f.stage = sounding
		f.add(min(f.Working()+1, f.planned()))
	}
}

// sound takes note of an answer after a connection was made to find out whether the line is
// full. Then the answer waits in its queue; otherwise each connection is held back, by losses
// or by the server, and more of them bring more. As an answer may be late because a packet was
// lost, it is tried again, each time after twice the pause.
func (f *File) sound(c *conn) {
	if f.stage != sounding && f.stage != full {
		return
	}
	if f.stage == sounding && !f.prompt {
		c.retired = true // it would take from the others
		f.pause = max(2*f.pause, 8*(f.setup+f.queue))
		f.again = f.now + f.pause
	}
	f.stage = full
	if f.prompt && f.settled() {
		f.stage = many
		f.add(f.planned())
	}
}

// isSlow reports whether the first connection to a near server has been slow for long enough.
func (f *File) isSlow() bool {
	c := f.conns[0]
	r := c.rate.at(f.now)
	return f.now-c.asked >= look && r > 0 && !c.rate.grows && r < fast && float64(f.left()) > r
}

// settled reports whether at least half of the connections have stopped growing, and enough is
// left that others would be in time.
func (f *File) settled() bool {
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
	return working > 0 && 2*settled >= working && float64(f.left()) > 4*f.setup.Seconds()*total
}

// add adds connections until so many work, or another one would have too little to do.
func (f *File) add(want int) {
	f.expected = want
	for f.Working() < want {
		id := f.spare()
		if id < 0 || !f.give(id) {
			break
		}
	}
	f.expected = 0
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
	if f.now < c.rests && !f.limits.Exact {
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
