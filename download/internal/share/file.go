package share

import (
	"slices"
	"time"
)

// A Span is a run of octets of a file, up to but not including To.
type Span struct{ From, To int64 }

// Len returns how many octets are in s.
func (s Span) Len() int64 { return s.To - s.From }

// Sum returns how many octets are in spans.
func Sum(spans []Span) (n int64) {
	for _, s := range spans {
		n += s.Len()
	}
	return n
}

// Limits bounds the connections of a file.
type Limits struct {
	Most  int  // connections at once; less than 1 is 1
	Exact bool // all of them at once: a user asked for this number
}

// A Promise is what a source says in its answer. To is where its stream ends. Stated is
// whether it says where the stream begins; if it does not, only the end of the stream proves
// that it began in the right place, and the stream is never cut short.
type Promise struct {
	To     int64
	Stated bool
}

// An Action is something to do for a File.
type Action struct {
	Do     Verb
	Conn   int
	Source int // to ask
	Span       // to ask for
}

// A Verb is a kind of Action.
type Verb uint8

const (
	Ask    Verb = iota + 1 // Conn asks Source for Span, on its kept connection if it has one
	Drop                   // Conn breaks off what it does; the report is Failed
	Repeat                 // the octets of Span have come from Conn, and come again
)

// A File decides which connection brings which span. Each octet that is missing belongs to
// one connection or to a gap at any moment. It is for one goroutine at a time.
type File struct {
	size    int64
	limits  Limits
	sources []source
	conns   []*conn
	gaps    []Span // of no connection
	actions []Action

	setup    time.Duration // from the first request to its answer, with the connection that was made for it
	trip     time.Duration // the quickest answer on a kept connection; 0 if there was none
	queue    time.Duration // by how much the latest answer was later than the quickest
	prompt   bool          // and whether it came as soon as on an empty line
	stage    stage
	trial    trial         // of the latest connection
	again    time.Duration // when there may be a further one
	pause    time.Duration // that was made before that
	next     time.Duration // when the growth is looked at again
	now      time.Duration // of the latest event
	expected int           // connections that there will be soon
}

// A conn is a connection, or a place for one. It has a span to bring, or is idle.
type conn struct {
	Span                   // what is still to be brought
	source   int           // it comes from
	end      int64         // of the stream; 0 while the source has not answered
	stated   bool          // the answer says where the stream begins
	claimed  int64         // octets that are being written
	kept     bool          // the connection stands and can be asked again
	idle     bool          // there is nothing to bring
	gone     bool          // it was dropped: what it still reports does not count
	retired  bool          // it is not used again
	rests    time.Duration // the time until which it gets no work
	asked    time.Duration
	heard    time.Duration // when it brought something
	patience time.Duration // for how long it may bring nothing
	rate     rate
}

// A source is a place that has the file.
type source struct {
	full    bool // it takes no further connections
	tried   bool // it was asked
	brought int64
}

// NewFile returns a File of a size that has something missing, at so many sources.
func NewFile(size int64, missing []Span, sources int, limits Limits) *File {
	limits.Most = max(limits.Most, 1)
	return &File{size: size, gaps: slices.Clone(missing), limits: limits, sources: make([]source, max(sources, 1))}
}

// Begin gives connection 0 what is missing first, and returns it. The first source was asked
// for it, and took a time to answer.
func (f *File) Begin(now, took time.Duration) Span {
	c := &conn{Span: f.gaps[0], asked: now - took, patience: patience}
	f.sources[0].tried = true
	f.gaps = f.gaps[1:]
	f.conns = append(f.conns, c)
	f.setup, f.now = took, now
	return c.Span
}

// Answered takes note that a source agreed to send what it was asked for. It reports false
// if that is not needed any more; then the connection has ended.
func (f *File) Answered(now time.Duration, id int, p Promise) (bool, []Action) {
	f.now = now
	c := f.conns[id]
	if c.gone || c.Len() == 0 {
		return false, nil
	}
	c.end, c.stated, c.heard = p.To, p.Stated, now
	if c.rate.last == 0 {
		c.rate.begun = now
	}
	if id > 0 {
		f.heardFrom(c)
	}
	f.actions = f.actions[:0]
	f.sound(id)
	f.grow()
	f.employ()
	return c.Len() > 0, f.actions
}

// heardFrom takes note of how long a further request waited for its answer.
func (f *File) heardFrom(c *conn) {
	if c.source != 0 {
		return
	}
	took, empty := f.now-c.asked, f.setup
	if c.kept {
		empty = f.trips(1)
	}
	f.queue = max(took-empty, 0)
	f.prompt = took <= empty+empty/8+near/2
	if c.kept && (f.trip == 0 || took < f.trip) {
		f.trip = took
	}
}

// Left returns how many octets a connection is still to bring, and whether its stream ends with
// them.
func (f *File) Left(id int) (n int64, last bool) {
	c := f.conns[id]
	return c.Len(), c.To == c.end
}

// Claim returns where a connection writes how many of n octets. They stay with the connection
// until Received says how many came.
func (f *File) Claim(id int, n int64) (at, granted int64) {
	c := f.conns[id]
	c.claimed = min(n, c.Len())
	return c.From, c.claimed
}

// Received takes note of n octets that a connection has brought, after a Claim. One that was
// dropped has no more to say than that.
func (f *File) Received(now time.Duration, id int, n int64) []Action {
	c := f.conns[id]
	c.From += n
	c.claimed = 0
	if n == 0 || c.gone {
		return nil
	}
	f.now, c.heard, c.patience = now, now, patience
	c.rate.add(now, n, f.trips(inWindow))
	f.sources[c.source].brought += n
	if f.trial.all += n; id == f.trial.conn {
		f.trial.own += n
	}
	f.actions = f.actions[:0]
	if c.Len() == 0 && c.To < c.end {
		f.reclaim(c)
	}
	if now >= f.next {
		f.next = now + f.trips(1)
		f.grow()
		f.employ()
	}
	return f.actions
}

// Ended takes note that a connection has brought its span.
func (f *File) Ended(now time.Duration, id int) []Action {
	f.now = now
	c := f.conns[id]
	c.kept = c.To == c.end && c.Len() == 0 && !c.gone
	f.release(c)
	f.actions = f.actions[:0]
	f.employ()
	f.grow()
	return f.actions
}

// Failed takes note that a connection has failed: its source refused, or its stream broke
// off. If the span was whole, and the stream was to end with it, that was not confirmed, and the
// last octet is missing again.
func (f *File) Failed(now time.Duration, id int) []Action {
	f.now = now
	f.actions = f.actions[:0]
	c := f.conns[id]
	if c.end > 0 && c.Len() == 0 && c.To == c.end && !c.gone {
		c.From--
		f.actions = append(f.actions, Action{Do: Repeat, Conn: id, Span: c.Span})
	}
	if !c.gone {
		f.sources[c.source].full = true
	}
	c.kept = false
	c.retired = c.retired || !c.gone
	f.release(c)
	f.employ()
	if len(f.gaps) > 0 {
		f.add(min(f.Working()+1, f.limits.Most))
	}
	f.grow()
	return f.actions
}

// Tick is to be called now and then while there are several connections, since one that brings
// nothing has no events.
func (f *File) Tick(now time.Duration) []Action {
	f.now = now
	f.actions = f.actions[:0]
	f.relieve()
	f.employ()
	return f.actions
}

// release makes a connection idle. What it has not brought is a gap.
func (f *File) release(c *conn) {
	if c.Len() > 0 {
		f.gaps = append(f.gaps, c.Span)
	}
	c.Span, c.end, c.claimed, c.idle, c.gone = Span{}, 0, 0, true, false
}

// Missing returns what is not there yet, in no order.
func (f *File) Missing() []Span {
	missing := slices.Clone(f.gaps)
	for _, c := range f.conns {
		if c.Len() > 0 {
			missing = append(missing, c.Span)
		}
	}
	return missing
}

// Working returns how many connections have something to bring.
func (f *File) Working() (n int) {
	for _, c := range f.conns {
		if !c.idle {
			n++
		}
	}
	return n
}

// Mixed reports whether octets came from several sources.
func (f *File) Mixed() bool {
	n := 0
	for _, s := range f.sources {
		if s.brought > 0 {
			n++
		}
	}
	return n > 1
}
