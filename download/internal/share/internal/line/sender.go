package line

import (
	"math"
	"time"
)

// flight is a run of segments that a sender sent at once and the line carries.
type flight struct {
	from, n int64
	serial  int64 // in the order of sending
	again   bool  // sent before
	limited bool  // the server had no more to send
	sent    time.Duration
	acked   time.Duration // when the sender hears of its arrival
	inOrder int64         // octets in order at its arrival

	// The sender's state at sending, for samples of the rate.
	delivered   int64
	deliveredAt time.Duration
	firstSent   time.Duration
}

// lostRun is a run of bytes that the line lost. Its sender learns it from the
// acknowledgement of a flight with this serial or a later one.
type lostRun struct {
	from, n int64
	serial  int64
}

type state uint8

const (
	regular  state = iota
	recovery       // from loss that acknowledgements showed
	timedOut       // from loss that a timer showed
)

// sender is the server's end of TCP. Windows are in segments.
type sender struct {
	half     time.Duration // of the round trip without a queue
	flights  queue[flight] // not acknowledged
	arrived  int           // of them
	lost     queue[lostRun]
	again    queue[span] // to be sent again
	serial   int64
	inflight int64 // octets
	lastSent time.Duration
	heard    time.Duration // the latest acknowledgement
	timer    time.Duration
	probed   bool
	backoff  uint

	window  float64
	enough  float64 // slow start ends here
	state   state
	mark    int64 // recovery ends when all below arrived in order
	full    bool  // the window, not the server, holds sending back
	most    int64 // octets in flight after the latest sending
	reduce  reduction
	srtt    time.Duration
	rttvar  time.Duration
	least   time.Duration // smallest round-trip time
	latest  time.Duration // latest round-trip time
	control controller

	delivered   int64
	deliveredAt time.Duration
	firstSent   time.Duration
	paceAt      time.Duration // when the next flight may go; 0 is now
	paceTimer   time.Duration
}

// controller is a congestion control.
type controller interface {
	acked(c *conn, f *flight, segments float64, lost bool) // an acknowledgement, and whether it showed loss
	loss(c *conn)                                          // recovery begins
	timeout(c *conn)                                       // a timer showed loss
	leave(c *conn)                                         // recovery ends
	pace() float64                                         // octets a second; 0 sends at once
}

const initialWindow = 10

func (t *sender) begin(s *Sim) {
	t.half = s.line.RTT / 2
	t.window, t.enough = initialWindow, math.Inf(1)
	t.timer, t.paceTimer, t.least = never, never, never
	switch s.line.Control {
	case Cubic:
		t.control = &cubic{}
	case BBR:
		t.control = newBBR(s)
	default:
		t.control = reno{}
	}
}

// end forgets all flights: the connection is gone.
func (t *sender) end() {
	t.flights.clear()
	t.arrived = 0
	t.lost.clear()
	t.again.clear()
	t.timer, t.paceTimer = never, never
}

// next is when something happens to the sender.
func (t *sender) next() time.Duration {
	at := min(t.timer, t.paceTimer)
	if t.arrived < t.flights.len() {
		at = min(at, t.flights.at(t.arrived).acked-t.half)
	}
	if t.arrived > 0 {
		at = min(at, t.flights.at(0).acked)
	}
	return at
}

// step carries out the current events of the sender's flights.
func (c *conn) step() {
	s := c.sim
	for c.arrived < c.flights.len() && c.flights.at(c.arrived).acked-c.half <= s.now {
		c.arrived++
		s.receive(c, c.flights.at(c.arrived-1))
	}
	if c.goneAt <= s.now {
		return
	}
	for c.arrived > 0 && c.flights.at(0).acked <= s.now {
		c.acknowledge(c.flights.at(0))
		c.flights.pop()
		c.arrived--
	}
	if c.timer <= s.now {
		c.expire()
	}
	c.transmit()
}

// acknowledge is the arrival of a flight, at the sender.
func (c *conn) acknowledge(f *flight) {
	now := c.sim.now
	c.heard, c.probed, c.backoff = now, false, 0
	if !f.again {
		c.sample(now - f.sent)
	}
	c.inflight -= f.n
	c.delivered += f.n
	c.deliveredAt = now
	c.firstSent = f.sent
	lost := c.detect(f.serial)
	if c.state != regular && f.inOrder >= c.mark {
		c.control.leave(c)
		c.state = regular
	}
	if lost && c.state == regular {
		c.state, c.mark = recovery, c.made
		c.reduce = reduction{pipe: float64(c.inflight+f.n) / segment}
		c.control.loss(c)
	}
	c.control.acked(c, f, float64(f.n)/segment, lost)
}

// detect finds lost bytes: all that were sent before an acknowledged flight.
func (c *conn) detect(serial int64) bool {
	found := false
	for c.lost.len() > 0 && c.lost.at(0).serial <= serial {
		g := c.lost.pop()
		c.inflight -= g.n
		if c.missing(g.from, g.from+g.n) {
			c.repeat(g.from, g.from+g.n)
		}
		found = true
	}
	return found
}

// repeat queues bytes to be sent again.
func (c *conn) repeat(from, to int64) {
	if c.again.len() > 0 && c.again.last().to == from {
		c.again.last().to = to
		return
	}
	c.again.add(span{from, to})
}

// sample keeps the round-trip time, RFC 6298.
func (t *sender) sample(rtt time.Duration) {
	t.latest = rtt
	t.least = min(t.least, rtt)
	if t.srtt == 0 {
		t.srtt, t.rttvar = rtt, rtt/2
		return
	}
	t.rttvar += (max(rtt-t.srtt, t.srtt-rtt) - t.rttvar) / 4
	t.srtt += (rtt - t.srtt) / 8
}

// expire is the timer: nothing that is in flight will be acknowledged. First the
// last segment is sent again as a probe (RFC 8985, section 7), then all.
func (c *conn) expire() {
	c.timer = never
	if c.flights.len() > 0 || c.lost.len() == 0 {
		return
	}
	last := c.lost.last()
	if !c.probed && c.state == regular {
		c.probed = true
		n := min(last.n, segment)
		from := last.from + last.n - n
		if last.n -= n; last.n == 0 {
			c.lost.dropLast()
		}
		c.inflight -= n
		c.emit(from, n, true)
		return
	}
	c.detect(c.serial + 1)
	c.state, c.mark = timedOut, c.made
	c.control.timeout(c)
	c.window = 1
	c.backoff++
}

// arm sets the timer if all that is in flight is lost.
func (c *conn) arm() {
	c.timer = never
	if c.flights.len() > 0 || c.lost.len() == 0 {
		return
	}
	srtt := max(c.srtt, time.Millisecond)
	after := srtt + max(4*c.rttvar, minRTO)<<min(c.backoff, 6)
	if !c.probed && c.state == regular {
		after = 2 * srtt
	}
	c.timer = max(c.lastSent, c.heard) + after
}

// transmit sends as much as the window, the pace and the server allow.
func (c *conn) transmit() {
	s := c.sim
	c.paceTimer = never
	if !c.held {
		return
	}
	if c.inflight == 0 && c.again.len() == 0 && s.now-c.lastSent > max(c.srtt+max(4*c.rttvar, minRTO), 2*c.half) && c.control.pace() == 0 {
		c.window = min(c.window, initialWindow)
	}
	rate := c.control.pace()
	quantum := int64(max(1, min(64, c.window/8))) * segment
	if rate > 0 {
		quantum = max(1, min(44, int64(rate/1000)/segment)) * segment
	}
	for {
		if rate > 0 && c.paceAt > s.now {
			if c.again.len() > 0 || len(c.working) > 0 {
				c.paceTimer = c.paceAt
			}
			break
		}
		room := int64(c.window*segment) - c.inflight
		if room < segment || room < quantum && c.flights.len() > 0 {
			c.full = true
			break
		}
		n := min(room, quantum) / segment * segment
		again := c.again.len() > 0
		var from int64
		if again {
			a := c.again.at(0)
			from, n = a.from, min(n, a.to-a.from)
			if a.from += n; a.from == a.to {
				c.again.pop()
			}
		} else {
			from = c.made
			if n = c.pull(n); n == 0 {
				c.full = false
				break
			}
		}
		c.emit(from, n, again)
		if rate > 0 {
			c.paceAt = max(c.paceAt, s.now) + time.Duration(float64(n)/rate*1e9)
		}
		c.most = c.inflight
	}
	c.arm()
}

// emit puts bytes on the line.
func (c *conn) emit(from, n int64, again bool) {
	s := c.sim
	if c.inflight == 0 {
		c.firstSent, c.deliveredAt = s.now, s.now
	}
	c.lastSent = s.now
	c.inflight += n
	if c.state == recovery {
		c.reduce.out += float64(n) / segment
	}
	for n > 0 {
		taken, left, lost := s.carry(n)
		if taken > 0 {
			c.serial++
			c.flights.add(flight{
				from: from, n: taken, serial: c.serial, again: again,
				limited: !c.full, sent: s.now, acked: left + 2*c.half,
				delivered: c.delivered, deliveredAt: c.deliveredAt, firstSent: c.firstSent,
			})
			from, n = from+taken, n-taken
		}
		if lost > 0 {
			c.lost.add(lostRun{from, lost, c.serial + 1})
			if !again {
				c.lose(from, from+lost)
			}
			from, n = from+lost, n-lost
		}
	}
}

// reduction brings the window down within one round trip of recovery (RFC 6937).
type reduction struct {
	pipe, delivered, out float64
}

// window is the window in recovery, after segments were delivered.
func (r *reduction) window(pipe, enough, segments float64) float64 {
	r.delivered += segments
	send := 0.0
	if pipe > enough {
		send = math.Ceil(r.delivered*enough/max(r.pipe, 1)) - r.out
	} else {
		send = min(enough-pipe, max(r.delivered-r.out, segments)+1)
	}
	if r.out == 0 {
		send = max(send, 1) // the first loss is sent again at once
	}
	return pipe + max(send, 0)
}
