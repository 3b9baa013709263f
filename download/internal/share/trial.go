package share

import "time"

const (
	// gain is by how much the octets a second of all connections together rise with one more
	// if the line has room for it.
	gain = 1.3

	// longest is the time at most until it is tried again whether more connections bring more.
	longest = 10 * time.Second
)

// A trial finds out by one more connection whether more of them bring more.
type trial struct {
	conn    int
	began   time.Duration // when it was asked, and from its answer on when that came
	all     int64         // octets that all connections have brought since
	own     int64         // octets that conn has brought since
	without float64       // octets a second of the other connections
}

// try makes one more connection, if it has enough to do.
func (f *File) try() {
	f.stage, f.trial = sounding, trial{began: f.now, without: f.carried()}
	if f.trial.conn = f.add(min(f.Working()+1, f.planned())); f.trial.conn < 0 {
		f.stage = steady
	}
}

// since returns the octets a second of n that came since t began.
func (t *trial) since(now time.Duration, n int64) float64 {
	return float64(n) / max(now-t.began, time.Millisecond).Seconds()
}

// sound takes note of the answer on the connection that was made to find out whether the line is
// full. If it waited in the queue of the line, the connection would take from the others.
func (f *File) sound(id int) {
	t := &f.trial
	switch {
	case f.stage != sounding || id != t.conn:
	case f.prompt || f.conns[id].source > 0:
		t.began, t.all = f.now, 0
		f.stage = weighing
	default:
		f.giveBack(id)
		f.rest()
	}
}

// weigh compares what all connections carry with what they did before the latest one. If that
// is more, each of them is held back, by losses or by the server, and the more there are, the
// more they bring.
func (f *File) weigh() {
	t := &f.trial
	c := f.conns[t.conn]
	if f.now-t.began < f.trips(inWindow+1) && !c.idle {
		return
	}
	t.without = max(t.without, t.since(f.now, t.all-t.own))
	switch {
	case t.since(f.now, t.all) > gain*t.without:
		f.stage = many
		f.add(f.planned())
	case c.idle || c.rate.last > 0 && !c.rate.grows:
		f.rest()
	}
}

// rest leaves the number of connections as it is for a while, each time for half as long again. An
// answer may be late because a packet was lost, and what the line carries may change.
func (f *File) rest() {
	f.stage = steady
	f.pause = min(max(f.pause*3/2, 2*f.setup, look), longest)
	f.again = f.now + f.pause
}

// carried returns the octets a second that all connections have brought of late.
func (f *File) carried() (sum float64) {
	for _, c := range f.conns {
		if !c.idle {
			sum += c.rate.last
		}
	}
	return sum
}
