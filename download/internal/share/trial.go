package share

import "time"

const (
	// gain is the minimum growth of the total rate that one more connection has to bring.
	gain = 1.3

	// longest is the maximum time until the next trial.
	longest = 10 * time.Second
)

// A trial adds one connection to find out whether more connections are faster.
type trial struct {
	conn    int
	began   time.Duration // time of its request, and then of its response
	all     int64         // bytes of all connections since began
	own     int64         // bytes of conn since began
	without float64       // bytes per second of the other connections
}

// try adds one more connection, if it has enough to do.
func (f *File) try() {
	f.stage, f.trial = sounding, trial{began: f.now, without: f.carried()}
	if f.trial.conn = f.add(min(f.Working()+1, f.planned())); f.trial.conn < 0 {
		f.stage = steady
	}
}

// since returns the rate of n bytes that arrived since t began, in bytes per second.
func (t *trial) since(now time.Duration, n int64) float64 {
	return float64(n) / max(now-t.began, time.Millisecond).Seconds()
}

// sound evaluates the response on the trial connection. If it waited in a queue, the path is full,
// and the connection would take bandwidth from the others.
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

// weigh compares the total rate with the rate before the trial connection. If it is higher, packet
// loss or the server limits each connection, and more connections are faster.
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

// rest keeps the number of connections for a while, half as long again each time. A response may be
// late because of a lost packet, and the bandwidth may change.
func (f *File) rest() {
	f.stage = steady
	f.pause = min(max(f.pause*3/2, 2*f.setup, look), longest)
	f.again = f.now + f.pause
}

// carried returns the recent rate of all connections together, in bytes per second.
func (f *File) carried() (sum float64) {
	for _, c := range f.conns {
		if !c.idle {
			sum += c.rate.last
		}
	}
	return sum
}
