package line

import "time"

// conn is one connection: the client's end, the server's end, and the flights
// between them.
type conn struct {
	sim   *Sim
	id    ID
	place int           // in the heap
	next  time.Duration // when something happens to it

	// The handshake.
	trips     int // round trips until requests can go out
	helloAt   time.Duration
	welcomeAt time.Duration
	hellos    int // sent again
	up        bool

	// The client's end.
	closed     bool
	waiting    queue[Request] // not sent
	sending    int            // requests sent and not done
	reportAt   time.Duration
	unreported []Request   // have bytes that no event reported
	holes      queue[span] // lost and not yet received, in order
	high       int64       // all below arrived or is a hole
	inOrder    int64
	layout     queue[stretch] // content of the next bytes

	// The server's end.
	held     bool // the server holds the connection
	goneAt   time.Duration
	arriving queue[arrival]
	working  []answer
	turn     int
	made     int64 // octets put into the connection
	reset    Request
	resetEnd bool
	tokens   float64 // octets that a capped connection may send
	refillAt time.Duration

	sender
}

// span is the bytes of a connection from one to before another.
type span struct{ from, to int64 }

// arrival is a request on its way to the server.
type arrival struct {
	at time.Duration
	r  Request
}

// answer is an answer that the server is sending.
type answer struct {
	r     Request
	left  int64
	until int64         // octets left at which the server resets the connection; -1 is never
	at    time.Duration // when the server has thought
}

// stretch is bytes of a connection that belong to one request.
type stretch struct {
	r Request
	n int64
}

func newConn(s *Sim, id ID, trips int) *conn {
	c := &conn{sim: s, id: id, trips: max(trips, 1)}
	c.helloAt, c.welcomeAt, c.reportAt, c.goneAt = never, never, never, never
	c.refillAt = never
	c.sender.begin(s)
	return c
}

// schedule finds the next time at which something happens.
func (c *conn) schedule() {
	t := min(c.helloAt, c.welcomeAt, c.reportAt, c.goneAt, c.refillAt, c.sender.next())
	if c.arriving.len() > 0 {
		t = min(t, c.arriving.at(0).at)
	}
	if c.held {
		for _, a := range c.working {
			if a.at > c.sim.now {
				t = min(t, a.at)
			}
		}
	}
	c.next = t
}

// advance carries out the current events of a connection.
func (s *Sim) advance(c *conn) {
	if c.goneAt <= s.now {
		s.release(c)
		return
	}
	if c.helloAt <= s.now {
		s.hello(c)
	}
	if c.welcomeAt <= s.now {
		s.welcome(c)
	}
	if c.reportAt <= s.now {
		s.report(c)
	}
	for c.arriving.len() > 0 && c.arriving.at(0).at <= s.now {
		s.accept(c, c.arriving.pop().r)
	}
	if c.refillAt <= s.now {
		s.refill(c)
	}
	c.step()
}

// hello is a packet of the handshake at the server.
func (s *Sim) hello(c *conn) {
	c.helloAt = never
	if !c.held {
		if s.server.MaxConns > 0 && s.server.Penalty == 0 && s.server.Refusal == AtConnect && s.open >= s.server.MaxConns {
			c.welcomeAt = s.now + s.line.RTT/2
			return
		}
		s.open++
		c.held = true
	}
	if _, left, lost := s.carry(segment / 16); lost == 0 {
		c.welcomeAt = left + s.line.RTT/2
		c.hellos = 0
		return
	}
	c.helloAt = s.now + firstLoss<<min(c.hellos, 6)
	c.hellos++
}

// welcome is the server's packet of the handshake at the client.
func (s *Sim) welcome(c *conn) {
	c.welcomeAt = never
	if !c.held {
		s.signal(Refused, c, 0, 0)
		c.closed = true
		return
	}
	if c.trips--; c.trips > 0 {
		c.helloAt = s.now + s.line.RTT/2
		return
	}
	c.up = true
	s.signal(Connected, c, 0, 0)
	s.send(c)
}

// send puts requests that wait on the way.
func (s *Sim) send(c *conn) {
	for c.up && !c.closed && c.sending < s.server.Streams && c.waiting.len() > 0 {
		c.arriving.add(arrival{s.now + s.line.RTT/2, c.waiting.pop()})
		c.sending++
	}
}

// accept is a request at the server.
func (s *Sim) accept(c *conn, r Request) {
	n := s.requests[r-1].n
	a := answer{r: r, left: header + n, until: -1, at: s.now + s.server.Think}
	over := s.server.MaxConns > 0 && s.server.Penalty == 0 && len(c.working) == 0 && s.busy >= s.server.MaxConns
	switch {
	case over && s.server.Refusal == Busy:
		s.requests[r-1].refused = true
		a.left = header
		a.at = s.now
	case over && s.server.Refusal == Midway:
		a.until = max(0, n-midway)
	}
	if len(c.working) == 0 {
		s.busy++
		c.tokens, c.refillAt = 0, never
	}
	c.working = append(c.working, a)
}

// release is the end of the connection at the server.
func (s *Sim) release(c *conn) {
	if c.held {
		s.open--
	}
	if len(c.working) > 0 {
		s.busy--
	}
	c.held, c.closed = false, true
	c.goneAt, c.helloAt, c.welcomeAt, c.reportAt, c.refillAt = never, never, never, never, never
	c.working, c.unreported = nil, nil
	c.arriving.clear()
	c.waiting.clear()
	c.sender.end()
}

// cap is the current rate limit of the connection, in bytes per second.
func (s *Sim) cap() float64 {
	r := s.server.PerConn
	if s.server.Penalty > 0 && s.server.MaxConns > 0 && s.busy > s.server.MaxConns {
		share := s.line.Rate / float64(s.busy)
		if r == 0 || r > share {
			r = share
		}
		r *= s.server.Penalty
	}
	return r
}

// refill gives a capped connection its next lot.
func (s *Sim) refill(c *conn) {
	lot := float64(smooth)
	if s.server.PerConn > 0 && s.server.Burst > 0 {
		lot = float64(s.server.Burst)
	}
	c.tokens += lot
	c.refillAt = never
	if rate := s.cap(); rate > 0 {
		c.refillAt = s.now + time.Duration(lot/rate*1e9)
	}
}

// pull takes up to n bytes of the answers in work, for the connection. It
// takes none if the server has none to send now.
func (c *conn) pull(n int64) int64 {
	s := c.sim
	if len(c.working) == 0 {
		return 0
	}
	if s.cap() > 0 {
		if c.tokens == 0 && c.refillAt == never {
			s.refill(c)
		}
		if n = min(n, int64(c.tokens)); n <= 0 {
			return 0
		}
	}
	taken := int64(0)
	for taken < n && len(c.working) > 0 {
		i := c.ready()
		if i < 0 {
			break
		}
		a := &c.working[i]
		k := min(n-taken, a.left)
		if a.until >= 0 {
			k = min(k, a.left-a.until)
		}
		taken += k
		a.left -= k
		c.assign(a.r, k)
		if a.left == max(a.until, 0) {
			c.drop(i, a.until >= 0)
		}
	}
	c.made += taken
	if s.cap() > 0 {
		c.tokens = max(0, c.tokens-float64(taken))
	}
	return taken
}

// assign notes that the next k bytes belong to a request.
func (c *conn) assign(r Request, k int64) {
	if c.layout.len() > 0 && c.layout.last().r == r {
		c.layout.last().n += k
		return
	}
	c.layout.add(stretch{r, k})
}

// ready finds the next answer in turn that can be sent.
func (c *conn) ready() int {
	for range c.working {
		c.turn++
		if i := c.turn % len(c.working); c.working[i].at <= c.sim.now {
			return i
		}
	}
	return -1
}

// drop ends an answer at the server, with all of the connection on a reset.
func (c *conn) drop(i int, reset bool) {
	r := c.working[i].r
	c.working = append(c.working[:i], c.working[i+1:]...)
	if reset {
		c.reset, c.resetEnd = r, true
		c.working = nil
		c.arriving.clear()
	}
	if len(c.working) == 0 {
		c.sim.busy--
		c.tokens, c.refillAt = 0, never
	}
}
