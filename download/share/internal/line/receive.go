package line

import "sort"

// lose notes octets that did not arrive.
func (c *conn) lose(from, to int64) {
	if k := len(c.holes); k > 0 && c.holes[k-1].to == from {
		c.holes[k-1].to = to
		return
	}
	c.holes = append(c.holes, span{from, to})
}

// missing reports whether some of the octets did not arrive.
func (c *conn) missing(from, to int64) bool {
	i := sort.Search(len(c.holes), func(i int) bool { return c.holes[i].to > from })
	return i < len(c.holes) && c.holes[i].from < to
}

// receive is a flight at the client.
func (s *Sim) receive(c *conn, f *flight) {
	from, to := f.from, f.from+f.n
	c.high = max(c.high, to)
	if f.again {
		c.patch(from, to)
	}
	in := c.high
	if len(c.holes) > 0 {
		in = min(in, c.holes[0].from)
	}
	f.inOrder = in
	if in > c.inOrder {
		n := in - c.inOrder
		c.inOrder = in
		s.walk(c, n)
	}
	if c.resetEnd && c.inOrder == c.made && !c.closed {
		s.report(c)
		s.tell(Reset, c, c.reset, 0)
		c.closed = true
		c.goneAt = s.now
	}
}

// patch fills holes.
func (c *conn) patch(from, to int64) {
	for i := 0; i < len(c.holes); i++ {
		h := c.holes[i]
		switch {
		case h.from >= to:
			return
		case h.to <= from:
			continue
		case from <= h.from && h.to <= to:
			if i == 0 {
				c.holes = c.holes[1:]
			} else {
				c.holes = append(c.holes[:i], c.holes[i+1:]...)
			}
			i--
		case from <= h.from:
			c.holes[i].from = to
		case h.to <= to:
			c.holes[i].to = from
		default:
			c.holes = append(c.holes, span{})
			copy(c.holes[i+2:], c.holes[i+1:])
			c.holes[i].to, c.holes[i+1] = from, span{to, h.to}
		}
	}
}

// walk gives n octets that arrived in order to their requests.
func (s *Sim) walk(c *conn, n int64) {
	for n > 0 {
		w := &c.walked.list[c.walked.head]
		k := min(n, w.n)
		n -= k
		if w.n -= k; w.n == 0 {
			c.walked.head++
		}
		s.read(c, w.r, k)
	}
}

// read is k octets of an answer, its header included.
func (s *Sim) read(c *conn, id Request, k int64) {
	r := &s.requests[id-1]
	before := r.seen
	r.seen += k
	if r.refused {
		if r.seen == header {
			c.sending--
			s.tell(Refused, c, id, 0)
			s.send(c)
		}
		return
	}
	if before < header && r.seen >= header {
		s.tell(Answered, c, id, 0)
	}
	if r.seen == header+r.n {
		s.owe(c, id)
		s.tell(Done, c, id, 0)
		c.sending--
		s.send(c)
		return
	}
	if r.seen > header+r.told && !c.closed {
		c.note(id)
		if c.tellAt == never {
			c.tellAt = (s.now/s.tick + 1) * s.tick
		}
	}
}

// note keeps that events owe octets of a request.
func (c *conn) note(id Request) {
	for _, r := range c.told {
		if r == id {
			return
		}
	}
	c.told = append(c.told, id)
}

// owe tells the octets of a request that no event told.
func (s *Sim) owe(c *conn, id Request) {
	r := &s.requests[id-1]
	if n := r.seen - header - r.told; n > 0 {
		r.told += n
		s.tell(Received, c, id, n)
	}
}

// report tells all octets that no event told.
func (s *Sim) report(c *conn) {
	c.tellAt = never
	for _, r := range c.told {
		s.owe(c, r)
	}
	c.told = c.told[:0]
}
