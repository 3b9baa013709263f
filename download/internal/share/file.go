package share

import (
	"slices"
	"time"
)

// A Span is a range of bytes of a file, up to but not including To.
type Span struct{ From, To int64 }

// Len returns the number of bytes in s.
func (s Span) Len() int64 { return s.To - s.From }

// Sum returns the number of bytes in spans.
func Sum(spans []Span) (n int64) {
	for _, s := range spans {
		n += s.Len()
	}
	return n
}

// Limits limits the connections of a file.
type Limits struct {
	Most  int  // maximum connections; below 1 means 1
	Exact bool // always use Most connections, since a user asked for them
}

// A Promise describes the response of a source. To is the end of its stream. Stated is true if the
// response gives its offset; otherwise only the end of the stream proves that it began at the right
// offset, and the stream is never cut short.
type Promise struct {
	To     int64
	Stated bool
}

// An Action is an instruction of a File.
type Action struct {
	Do     Verb
	Conn   int
	Source int // of the request
	Span       // of the request
}

// A Verb is the kind of an Action.
type Verb uint8

const (
	Ask    Verb = iota + 1 // Conn requests Span from Source, on its kept connection if it has one
	Drop                   // Conn cancels its transfer and reports Failed
	Repeat                 // Conn fetched the bytes of Span, which will arrive again
)

// A File decides which connection fetches which span. At any time each missing byte belongs to one
// connection or to a gap. A File is not safe for concurrent use.
type File struct {
	size    int64
	limits  Limits
	sources []source
	conns   []*conn
	gaps    []Span // missing spans without a connection
	actions []Action

	setup    time.Duration // from the first request to its response, including the connection setup
	trip     time.Duration // the fastest response on a kept connection; 0 if there was none
	queue    time.Duration // delay of the latest response compared with the fastest
	prompt   bool          // the latest response was as fast as on an empty path
	stage    stage
	trial    trial         // of the latest connection
	again    time.Duration // earliest time of the next trial
	pause    time.Duration // before the next trial
	next     time.Duration // time of the next check of the growth
	now      time.Duration // time of the latest event
	expected int           // number of connections planned
}

// A conn is a connection, or a slot for one. It has a span to fetch, or is idle.
type conn struct {
	Span                     // missing bytes
	source     int           // index of its source
	end        int64         // of the stream; 0 until the source has answered
	stated     bool          // the response gives its offset
	claimed    int64         // bytes that are being written
	kept       bool          // the connection is open and takes another request
	idle       bool          // it has nothing to fetch
	gone       bool          // it was dropped: its further reports are ignored
	retired    bool          // it is never used again
	rests      time.Duration // the time until which it gets no work
	asked      time.Duration
	heard      time.Duration // time of the last bytes
	stallLimit time.Duration // maximum time without bytes
	rate       rate
}

// A source is a mirror of the file.
type source struct {
	full    bool // it refuses further connections
	tried   bool // it has had a request
	brought int64
}

// NewFile returns a File of a size with missing spans and a number of sources.
func NewFile(size int64, missing []Span, sources int, limits Limits) *File {
	limits.Most = max(limits.Most, 1)
	return &File{size: size, gaps: slices.Clone(missing), limits: limits, sources: make([]source, max(sources, 1))}
}

// Begin assigns the first missing span to connection 0, and returns it. The first source was asked
// for it, and answered after took.
func (f *File) Begin(now, took time.Duration) Span {
	c := &conn{Span: f.gaps[0], asked: now - took, stallLimit: stallLimit}
	f.sources[0].tried = true
	f.gaps = f.gaps[1:]
	f.conns = append(f.conns, c)
	f.setup, f.now = took, now
	return c.Span
}

// Answered reports a response to a request. The result is false if the response is no longer
// needed; the connection has ended then.
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

// heardFrom measures how long a further request waited for its response.
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

// Left returns the number of bytes that a connection still has to fetch, and whether its stream
// ends with them.
func (f *File) Left(id int) (n int64, last bool) {
	c := f.conns[id]
	return c.Len(), c.To == c.end
}

// Claim returns the offset at which a connection writes, and how many of n bytes. These belong to
// the connection until Received tells how many arrived.
func (f *File) Claim(id int, n int64) (at, granted int64) {
	c := f.conns[id]
	c.claimed = min(n, c.Len())
	return c.From, c.claimed
}

// Received reports that a connection has written n bytes after a Claim. Nothing else is recorded
// for a dropped connection.
func (f *File) Received(now time.Duration, id int, n int64) []Action {
	c := f.conns[id]
	c.From += n
	c.claimed = 0
	if n == 0 || c.gone {
		return nil
	}
	f.now, c.heard, c.stallLimit = now, now, stallLimit
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

// Ended reports that a connection has fetched its span.
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

// Failed reports that a connection has failed: its source refused, or its stream was cut off. If
// the stream should have ended with the complete span, its end was not confirmed, and the last byte
// is missing again.
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

// Tick reports the time. The caller calls it regularly while there are several connections, since a
// stalled connection causes no events.
func (f *File) Tick(now time.Duration) []Action {
	f.now = now
	f.actions = f.actions[:0]
	f.relieve()
	f.employ()
	return f.actions
}

// release makes a connection idle. Its missing bytes become a gap.
func (f *File) release(c *conn) {
	if c.Len() > 0 {
		f.gaps = append(f.gaps, c.Span)
	}
	c.Span, c.end, c.claimed, c.idle, c.gone = Span{}, 0, 0, true, false
}

// Missing returns the missing spans, in no order.
func (f *File) Missing() []Span {
	missing := slices.Clone(f.gaps)
	for _, c := range f.conns {
		if c.Len() > 0 {
			missing = append(missing, c.Span)
		}
	}
	return missing
}

// Working returns the number of connections that are not idle.
func (f *File) Working() (n int) {
	for _, c := range f.conns {
		if !c.idle {
			n++
		}
	}
	return n
}

// Mixed reports whether several sources sent bytes.
func (f *File) Mixed() bool {
	n := 0
	for _, s := range f.sources {
		if s.brought > 0 {
			n++
		}
	}
	return n > 1
}
