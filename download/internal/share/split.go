package share

import (
	"slices"
	"time"
)

const (
	// least is how many octets are worth a connection of their own.
	least = 128 << 10

	// brief is how long a connection brings a range at least, and how many octets that has.
	brief       = 250 * time.Millisecond
	briefOctets = 64 << 10

	// part is how much of what a connection will bring until the end it is given at once.
	// The rest evens out what the connections are found to bring.
	part = 0.75

	// patience is how long a connection may have no answer or bring nothing, and how much longer
	// than that to another source it may need, before another one does its work.
	patience = 3 * time.Second
)

// left returns how many octets are missing.
func (f *File) left() (n int64) {
	n = Sum(f.gaps)
	for _, c := range f.conns {
		n += c.Len()
	}
	return n
}

// employ gives idle connections work, as far as there is some.
func (f *File) employ() {
	for id, c := range f.conns {
		if f.isUsable(c) && f.Working() < f.limits.Most {
			f.give(id)
		}
	}
	if len(f.gaps) > 0 && f.Working() == 0 {
		f.add(1)
	}
}

// give gives an idle connection a span: of a gap, or the end of what another connection has
// to bring. It reports whether there is one that is worth it.
func (f *File) give(id int) bool {
	c := f.conns[id]
	mine := f.course(c)
	share := f.shareOf(mine, f.cost(c))
	if len(f.gaps) > 0 {
		f.ask(id, f.takeGap(int64(max(share, least))))
		return true
	}
	victim, theirs, alone := f.latest()
	if victim < 0 {
		return false
	}
	v := f.conns[victim]
	silent := f.isSilent(v)
	if f.expected == 0 && !f.spreads() && !silent {
		return false // one fills the line by itself
	}
	take := f.worth(v, mine, theirs, share, alone)
	if take == 0 {
		return false
	}
	s := Span{v.To - take, v.To}
	if v.To = s.From; v.Len() == 0 {
		f.drop(victim)
	}
	f.ask(id, s)
	if silent { // who follows may have to wait for longer, and not give up as soon for the next
		c.patience = 2 * v.patience
	}
	return true
}

// worth returns how many octets an idle connection, with the course mine, takes over from v, or 0
// if that gains too little. The time that v needs for the rest by itself is alone. A silent v
// keeps nothing, and octets that are being written stay with v.
func (f *File) worth(v *conn, mine, theirs course, share, alone float64) int64 {
	free := v.Len() - v.claimed
	together := until(free, mine, theirs)
	most := max(share, briefOctets)
	if f.expected > 0 && f.stage == sounding {
		most = min(most, max(mine.matches(), briefOctets))
	}
	take := int64(min(most, mine.brings(together), float64(free)))
	switch {
	case take < min(free, briefOctets/4):
		return 0
	case f.expected > 0 && free >= briefOctets: // one of several, whose gain is not that of one
		if take < briefOctets {
			return 0
		}
	case alone-together < max(alone/4, mine.delay+2*f.waste(theirs), brief.Seconds()/2):
		return 0
	}
	if f.isSilent(v) && free-take < briefOctets {
		take = free
	}
	if take == free && v.claimed > 0 {
		return 0 // it is about to end by itself
	}
	return take
}

// shareOf returns how many octets a connection is given at once, by what all of them bring
// until the end. If that is near, they are all that it will bring.
func (f *File) shareOf(mine course, cost time.Duration) float64 {
	all := []course{mine}
	for _, c := range f.conns {
		if !c.idle {
			all = append(all, f.course(c))
		}
	}
	for len(all) < f.expected {
		all = append(all, mine)
	}
	end := until(f.left(), all...)
	share := mine.brings(end)
	if end > (12*cost + 2*brief).Seconds() {
		share *= part
	}
	return min(max(share, mine.brings(mine.delay+brief.Seconds())), float64(f.size))
}

// takeGap takes a span of n octets or a little more out of the first gap, or all of that if
// there is but one connection.
func (f *File) takeGap(n int64) Span {
	g := &f.gaps[0]
	s := *g
	if f.limits.Most > 1 && s.Len() > 2*n {
		s.To = s.From + n
	}
	if g.From = s.To; g.Len() == 0 {
		f.gaps = f.gaps[1:]
	}
	return s
}

// latest returns the connection that will be the last to end, and in how many seconds, of those
// whose streams can be cut short, or -1.
func (f *File) latest() (id int, to course, alone float64) {
	id = -1
	for i, c := range f.conns {
		if c.end == 0 || !c.stated || c.idle || c.gone {
			continue
		}
		its := f.course(c)
		if takes := until(c.Len()-c.claimed, its); takes > alone {
			id, to, alone = i, its, takes
		}
	}
	return id, to, alone
}

// waste is for how many seconds the line will carry what nothing needs, after the stream of a
// connection was cut short: as long as its share of the queue.
func (f *File) waste(to course) float64 {
	return to.rate / max(f.carried(), to.rate) * f.queue.Seconds()
}

// ask has a connection ask for a span.
func (f *File) ask(id int, s Span) {
	c := f.conns[id]
	c.Span, c.end, c.idle, c.asked, c.patience = s, 0, false, f.now, patience
	if f.isCold(c) {
		c.rate = rate{}
	}
	f.actions = append(f.actions, Action{Ask, id, c.source, s})
}

// reclaim gives a connection that has reached the end of its span, but not of its stream, the
// octets that follow, if they belong to no connection, or to one that it overtakes.
func (f *File) reclaim(c *conn) {
	for i := range f.gaps {
		if g := &f.gaps[i]; g.From == c.To {
			c.To = min(g.To, c.end)
			if g.From = c.To; g.Len() == 0 {
				f.gaps = append(f.gaps[:i], f.gaps[i+1:]...)
			}
			return
		}
	}
	id := f.following(c.To)
	if id < 0 {
		return
	}
	next := f.conns[id]
	if next.gone || next.claimed > 0 || next.To > c.end || next.source != c.source || !f.overtakes(c, next) {
		return
	}
	if again := (Span{c.To, next.From}); again.Len() > 0 {
		f.actions = append(f.actions, Action{Do: Repeat, Conn: id, Span: again})
	}
	c.To = next.To
	next.Span = Span{}
	f.drop(id)
}

// giveBack gives the span of a connection back to the one whose stream goes on with it.
func (f *File) giveBack(id int) {
	c := f.conns[id]
	for _, before := range f.conns {
		if before != c && !before.idle && !before.gone && before.To == c.From && before.end >= c.To {
			before.To, c.Span = c.To, Span{}
			return
		}
	}
}

// following returns the connection that has the first missing octet from an offset on, or -1 if
// there is none.
func (f *File) following(from int64) int {
	first, id := f.size, -1
	for i, c := range f.conns {
		if c.Len() > 0 && c.From >= from && c.From < first {
			first, id = c.From, i
		}
	}
	for _, g := range f.gaps {
		if g.From >= from && g.From < first {
			return -1
		}
	}
	return id
}

// overtakes reports whether a connection that has reached the end of its span goes on with its
// stream, through octets that are there, and brings what another one has left sooner than that
// would: the other one has not brought anything yet, or is much slower.
func (f *File) overtakes(c, next *conn) bool {
	if next.From == c.To && (next.end == 0 || next.Len() <= briefOctets) {
		return true
	}
	mine := until(next.To-c.To, f.course(c))
	return mine+f.cost(c).Seconds() < until(next.Len(), f.course(next))
}

// drop has a connection break off. What it has to bring stays with it until it has ended.
func (f *File) drop(id int) {
	c := f.conns[id]
	c.gone, c.rests = true, f.now+f.cost(c)
	f.actions = append(f.actions, Action{Do: Drop, Conn: id})
}

// relieve makes gaps of what a connection does not bring and another one would: it has no answer,
// or another source is much quicker.
func (f *File) relieve() {
	for id, c := range f.conns {
		if c.idle || c.gone || c.Len() == 0 {
			continue
		}
		unanswered := c.end == 0 && f.now-c.asked > patience
		if unanswered {
			f.sources[c.source].full = true
		}
		if unanswered && (f.choose() >= 0 || slices.ContainsFunc(f.conns, f.isUsable)) || f.isLate(c) {
			c.retired = true
			f.drop(id)
		}
	}
}

// isSilent reports whether a connection was answered, and has brought nothing for a while.
func (f *File) isSilent(c *conn) bool { return c.end > 0 && f.now-c.heard > c.patience }

// isLate reports whether an idle connection to another source would bring what a connection
// has left much sooner.
func (f *File) isLate(c *conn) bool {
	takes := until(c.Len(), f.course(c))
	for _, other := range f.conns {
		if f.isUsable(other) && other.source != c.source && takes > patience.Seconds()+2*until(c.Len(), f.course(other)) {
			return true
		}
	}
	return false
}
