package share

import "time"

// HostLimits bounds the requests that run at the same time at one host.
type HostLimits struct {
	Start int  // connections before anything is known; less than 1 is 1
	Most  int  // connections at most; less than Start is Start
	Exact bool // Start was asked for by a user: it neither grows nor shrinks
}

// HostLimitsOf returns the limits for a scheme, unless a user sets others. A connection of
// HTTP costs a server little: 48 of them reach what curl -Z does with 50. Other protocols
// log in, and their servers count logins.
func HostLimitsOf(scheme string) HostLimits {
	switch scheme {
	case "http", "https":
		return HostLimits{Start: 8, Most: 48}
	}
	return HostLimits{Start: 4, Most: 4}
}

// An Outcome says how a request ended. At counts from any moment that stays the same.
type Outcome struct {
	At      time.Duration // when it ended
	Answer  time.Duration // from the request to the header of its response, with a connection that was made for it; 0 if it had none
	Took    time.Duration // from the request to its end; 0 if that is not known
	Octets  int64         // of the body
	Bare    bool          // the answer was an error, and comes sooner or later than content does
	Refused bool          // the server has no room: 429, 503, a login too many
	Reset   bool          // the connection could not be made, or broke off
	Streams int           // the connection carries this many requests at once; 0 is one after the other
}

const (
	// maxStreams is how many requests one connection carries at once at most, whatever a
	// server allows. RFC 9113, section 6.5.2, recommends that servers allow no fewer.
	maxStreams = 100

	// flat is by how much an answer may be behind the quickest one so far to admit more
	// requests. By Little's law, twice as many requests that wait twice as long end no
	// sooner. An answer on a new connection takes longer, and admits none.
	flat = 1.25

	// short is how many of the quickest answers a request may take that is held back by
	// round trips: four on a new connection (TCP, two of TLS 1.2, the request), and four
	// for a body of 200 KiB, which comes by slow start. A longer one fills the line.
	short = 8

	// admits is how many more requests a good answer lets run. Since the connection that
	// gave the answer goes on, two make three of one: 8, 24, 40, 48 takes three round trips.
	admits = 2

	// hold is how long a host that refused a request is not asked for more than before.
	hold = 30 * time.Second
)

// A Host decides how many requests run at the same time at one host. With HTTP/2 they are
// streams of one connection, as many as the server allows up to 100. Otherwise they are
// connections: their number grows with good answers, as slow start does, until the answers
// slow down, and is halved when the server refuses a request or breaks a connection off.
type Host struct {
	limits  HostLimits
	room    int
	streams int
	least   time.Duration // the quickest answer with content so far
	bare    time.Duration // the quickest one without

	halved   time.Duration // when room was halved last
	cautious bool          // it was: as many good answers as there is room for admit one request
	good     int           // answers since room has changed
}

// NewHost returns a Host of which nothing is known.
func NewHost(limits HostLimits) *Host {
	limits.Start = max(limits.Start, 1)
	limits.Most = max(limits.Most, limits.Start)
	return &Host{limits: limits, room: limits.Start}
}

// Room returns how many requests may run at the same time.
func (h *Host) Room() int { return h.room }

// Ended takes note of a request that has ended, and returns how many may run at the same
// time from now on.
func (h *Host) Ended(o Outcome) (room int) {
	switch {
	case o.Refused || o.Reset:
		h.refuse(o)
	case o.Answer > 0:
		h.carry(o.Streams)
		h.admit(o)
	}
	return h.room
}

// carry takes note of how many requests the host's connections carry at once. The end of the
// first body is soon enough for that: the bodies before it fill what slow start lets a new
// connection send. 200 files of 8 KiB by 100 streams take as long as one file of their size,
// over 100 Mbit/s and 40 ms, and no less time if all 100 are there from the beginning.
func (h *Host) carry(streams int) {
	streams = min(max(streams, 0), maxStreams)
	if streams == h.streams {
		return
	}
	h.streams = streams
	switch {
	case h.cautious:
		h.room = min(h.room, h.most())
	case streams > 0:
		h.room = streams
	default:
		h.room = h.limits.Start
	}
}

// most returns what room grows to.
func (h *Host) most() int {
	switch {
	case h.streams > 0:
		return h.streams
	case h.limits.Exact:
		return h.limits.Start
	}
	return h.limits.Most
}

// admit lets more requests run after a good answer.
func (h *Host) admit(o Outcome) {
	least := &h.least
	if o.Bare {
		least = &h.bare
	}
	if *least == 0 || o.Answer < *least {
		*least = o.Answer
	}
	if float64(o.Answer) > flat*float64(*least) || o.Took > short**least {
		return
	}
	h.good++
	switch {
	case h.cautious:
		if h.good >= h.room && !h.Held(o.At) {
			h.grow(1)
		}
	case *least > near:
		h.grow(admits)
	}
}

// Held reports whether a refusal was so shortly before at, on the clock of Outcome.At, that
// the host is not asked for more than it has room for.
func (h *Host) Held(at time.Duration) bool { return h.cautious && at-h.halved < hold }

// grow makes room for n more requests, up to the limit.
func (h *Host) grow(n int) {
	h.room = max(h.room, min(h.room+n, h.most()))
	h.good = 0
}

// refuse halves the room. Requests that were under way then were too many already, so that
// their refusals change nothing.
func (h *Host) refuse(o Outcome) {
	if h.limits.Exact && h.streams == 0 {
		return
	}
	if h.cautious && o.At-max(o.Took, o.Answer) < h.halved {
		return
	}
	h.room = max(h.room/2, 1)
	h.good, h.halved, h.cautious = 0, o.At, true
}
