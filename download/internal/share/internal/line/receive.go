package line

import "sort"

// lose notes bytes that did not arrive.
func (c *conn) lose(from, to int64) {
	if c.holes.len() > 0 && c.holes.last().to == from {
		c.holes.last().to = to
		return
	}
	c.holes.add(span{from, to})
}

// hole finds the first hole that ends after a byte.
func (c *conn) hole(after int64) int {
	if c.holes.len() == 0 || c.holes.at(0).to > after {
		return 0
	}
	return sort.Search(c.holes.len(), func(i int) bool { return c.holes.at(i).to > after })
}

// missing reports whether some of the bytes did not arrive.
func (c *conn) missing(from, to int64) bool {
	i := c.hole(from)
	return i < c.holes.len() && c.holes.at(i).from < to
}

// receive is a flight at the client.
func (s *Sim) receive(c *conn, f *flight) {
	from, to := f.from, f.from+f.n
	c.high = max(c.high, to)
	if f.again {
		c.patch(from, to)
	}
	in := c.high
	if c.holes.len() > 0 {
		in = min(in, c.holes.at(0).from)
	}
	f.inOrder = in
	if in > c.inOrder {
		n := in - c.inOrder
		c.inOrder = in
		s.deliver(c, n)
	}
	if c.resetEnd && c.inOrder == c.made && !c.closed {
		s.report(c)
		s.signal(Reset, c, c.reset, 0)
		c.closed = true
		c.goneAt = s.now
	}
}

// patch fills the hole of a run that was sent again. A run is a hole, or its middle, if the run
// before it was lost again.
func (c *conn) patch(from, to int64) {
	for i := c.hole(from); i < c.holes.len() && c.holes.at(i).from < to; {
		h := c.holes.at(i)
		switch {
		case from > h.from && to < h.to:
			rest := span{to, h.to}
			h.to = from
			c.holes.insert(i+1, rest)
			return
		case from > h.from:
			h.to = from
			i++
		case to < h.to:
			h.from = to
		case i == 0:
			c.holes.pop()
		default:
			c.holes.remove(i)
		}
	}
}

// deliver gives n bytes that arrived in order to their requests.
func (s *Sim) deliver(c *conn, n int64) {
	for n > 0 {
		w := c.layout.at(0)
		r, k := w.r, min(n, w.n)
		n -= k
		if w.n -= k; w.n == 0 {
			c.layout.pop()
		}
		s.read(c, r, k)
	}
}

// read is k bytes of an answer, its header included.
func (s *Sim) read(c *conn, id Request, k int64) {
	r := &s.requests[id-1]
	before := r.seen
	r.seen += k
	if r.refused {
		if r.seen == header {
			c.sending--
			s.signal(Refused, c, id, 0)
			s.send(c)
		}
		return
	}
	if before < header && r.seen >= header {
		s.signal(Answered, c, id, 0)
	}
	if r.seen == header+r.n {
		s.reportOne(c, id)
		s.signal(Done, c, id, 0)
		c.sending--
		s.send(c)
		return
	}
	if r.seen > header+r.reported && !c.closed {
		c.remember(id)
		if c.reportAt == never {
			c.reportAt = (s.now/s.tick + 1) * s.tick
		}
	}
}

// remember keeps a request whose bytes an event will report.
func (c *conn) remember(id Request) {
	for _, r := range c.unreported {
		if r == id {
			return
		}
	}
	c.unreported = append(c.unreported, id)
}

// reportOne reports the bytes of a request that no event reported.
func (s *Sim) reportOne(c *conn, id Request) {
	r := &s.requests[id-1]
	if n := r.seen - header - r.reported; n > 0 {
		r.reported += n
		s.signal(Received, c, id, n)
	}
}

// report reports all bytes that no event reported.
func (s *Sim) report(c *conn) {
	c.reportAt = never
	for _, r := range c.unreported {
		s.reportOne(c, r)
	}
	c.unreported = c.unreported[:0]
}
