package share

import (
	"slices"
	"time"
)

const (
	// least is the minimum number of bytes for a further connection.
	least = 128 << 10

	// brief is the minimum duration of a span, and briefBytes its minimum size.
	brief      = 250 * time.Millisecond
	briefBytes = 64 << 10

	// fraction is the portion of a connection's predicted bytes that it gets at once. The rest
	// compensates for wrong predictions.
	fraction = 0.75

	// stallLimit is the time without a response or bytes after which another connection takes the
	// span over. It is also how much slower than another source a source may be.
	stallLimit = 3 * time.Second
)

// left returns the number of missing bytes.
func (f *File) left() (n int64) {
	n = Sum(f.gaps)
	for _, c := range f.conns {
		n += c.Len()
	}
	return n
}

// employ gives work to idle connections.
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

// give assigns a span to an idle connection: a gap, or the end of another connection's span. It
// reports whether there is one that is worth it.
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
		return false // a single connection uses the full bandwidth
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
	if silent { // its successor gets more time before it is silent
		c.stallLimit = 2 * v.stallLimit
	}
	return true
}

// worth returns how many bytes an idle connection with the course mine should take over from v, or
// 0 if that saves too little. The time that v needs alone is alone. A silent v keeps nothing. Bytes
// that are being written stay with v.
func (f *File) worth(v *conn, mine, theirs course, share, alone float64) int64 {
	free := v.Len() - v.claimed
	together := until(free, mine, theirs)
	most := max(share, briefBytes)
	if f.expected > 0 && f.stage == sounding {
		most = min(most, max(mine.matches(), briefBytes))
	}
	take := int64(min(most, mine.brings(together), float64(free)))
	switch {
	case take < min(free, briefBytes/4):
		return 0
	case f.expected > 0 && free >= briefBytes: // one of several, which save less one by one
		if take < briefBytes {
			return 0
		}
	case alone-together < max(alone/4, mine.delay+2*f.waste(theirs), brief.Seconds()/2):
		return 0
	}
	if f.isSilent(v) && free-take < briefBytes {
		take = free
	}
	if take == free && v.claimed > 0 {
		return 0 // it is about to end by itself
	}
	return take
}

// shareOf returns how many bytes a connection gets at once, according to the predictions for all
// connections. Near the end of the download, it gets all that it is predicted to fetch.
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
		share *= fraction
	}
	return min(max(share, mine.brings(mine.delay+brief.Seconds())), float64(f.size))
}

// takeGap takes a span of about n bytes out of the first gap, or the whole gap if there is only one
// connection.
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

// latest returns the connection whose end is predicted last, and its remaining seconds, among those
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

// waste returns the seconds for which the path carries useless bytes after the stream of a
// connection was cut short: its share of the queue.
func (f *File) waste(to course) float64 {
	return to.rate / max(f.carried(), to.rate) * f.queue.Seconds()
}

// ask makes a connection request a span.
func (f *File) ask(id int, s Span) {
	c := f.conns[id]
	c.Span, c.end, c.idle, c.asked, c.stallLimit = s, 0, false, f.now, stallLimit
	if f.isCold(c) {
		c.rate = rate{}
	}
	f.actions = append(f.actions, Action{Ask, id, c.source, s})
}

// reclaim extends the span of a connection whose stream continues after it, if the following bytes
// belong to no connection, or to one that it overtakes.
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

// giveBack returns the span of a connection to the one whose stream continues into it.
func (f *File) giveBack(id int) {
	c := f.conns[id]
	for _, before := range f.conns {
		if before != c && !before.idle && !before.gone && before.To == c.From && before.end >= c.To {
			before.To, c.Span = c.To, Span{}
			return
		}
	}
}

// following returns the connection with the first missing byte at or after an offset, or -1 if that
// byte is in a gap.
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

// overtakes reports whether a connection at the end of its span should continue with its stream,
// through existing bytes, into the span of another one. It should if the other one has fetched
// nothing yet, or would take much longer.
func (f *File) overtakes(c, next *conn) bool {
	if next.From == c.To && (next.end == 0 || next.Len() <= briefBytes) {
		return true
	}
	mine := until(next.To-c.To, f.course(c))
	return mine+f.cost(c).Seconds() < until(next.Len(), f.course(next))
}

// drop cancels a connection. Its missing bytes belong to it until it has ended.
func (f *File) drop(id int) {
	c := f.conns[id]
	c.gone, c.rests = true, f.now+f.cost(c)
	f.actions = append(f.actions, Action{Do: Drop, Conn: id})
}

// relieve turns the spans of stalled connections into gaps if another connection would fetch them:
// those without a response, or much slower than another source.
func (f *File) relieve() {
	for id, c := range f.conns {
		if c.idle || c.gone || c.Len() == 0 {
			continue
		}
		unanswered := c.end == 0 && f.now-c.asked > stallLimit
		if unanswered {
			f.sources[c.source].full = true
		}
		if unanswered && (f.choose() >= 0 || slices.ContainsFunc(f.conns, f.isUsable)) || f.isLate(c) {
			c.retired = true
			f.drop(id)
		}
	}
}

// isSilent reports whether a connection was answered but has fetched nothing for a while.
func (f *File) isSilent(c *conn) bool { return c.end > 0 && f.now-c.heard > c.stallLimit }

// isLate reports whether an idle connection to another source would fetch the rest of a connection
// much sooner.
func (f *File) isLate(c *conn) bool {
	takes := until(c.Len(), f.course(c))
	for _, other := range f.conns {
		if f.isUsable(other) && other.source != c.source && takes > stallLimit.Seconds()+2*until(c.Len(), f.course(other)) {
			return true
		}
	}
	return false
}
