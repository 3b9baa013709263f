package share

import "time"

// HostLimits limits the concurrent requests to one host.
type HostLimits struct {
	Start int  // connections at the start; below 1 means 1
	Most  int  // maximum connections; at least Start
	Exact bool // always Start, since a user asked for it
}

// HostLimitsOf returns the default limits for a scheme. An HTTP connection costs a server little:
// 48 of them are as fast as curl -Z with 50. Other protocols need a login, and their servers limit
// logins.
func HostLimitsOf(scheme string) HostLimits {
	switch scheme {
	case "http", "https":
		return HostLimits{Start: 8, Most: 48}
	}
	return HostLimits{Start: 4, Most: 4}
}

// An Outcome describes the end of a request. At is measured from a fixed moment.
type Outcome struct {
	At      time.Duration // when it ended
	Answer  time.Duration // from the request to the header of its response, including the connection setup; 0 if there was none
	Took    time.Duration // from the request to its end; 0 if unknown
	Octets  int64         // bytes of the body
	Bare    bool          // the response was an error page, whose time differs from that of content
	Refused bool          // the server is overloaded: 429, 503, too many logins
	Reset   bool          // the connection could not be made, or was cut off
	Streams int           // concurrent requests that the connection carries; 0 means one at a time
}

const (
	// maxStreams limits the concurrent requests on one connection. RFC 9113, section 6.5.2,
	// recommends that servers allow no fewer.
	maxStreams = 100

	// flat is the ratio to the fastest response up to which a response admits more requests. By
	// Little's law, twice as many requests that wait twice as long finish no sooner. A response on
	// a new connection takes longer, and admits none.
	flat = 1.25

	// short is the ratio to the fastest response up to which round trips, rather than bandwidth,
	// limit a request: four on a new connection (TCP, two of TLS 1.2, the request), and four for a
	// body of 200 KiB in slow start. A longer request fills the path.
	short = 8

	// admits is how many further requests a good response admits. With the one that has finished,
	// each makes three: 8, 24, 40, 48 takes three round trips.
	admits = 2

	// hold is the time after a refusal in which a host gets no more concurrent requests.
	hold = 30 * time.Second
)

// A Host decides how many requests run at the same time at one host. With HTTP/2 they are streams
// of one connection, as many as the server allows up to 100. Otherwise they are connections. Their
// number grows with good responses, as in slow start, until responses slow down. It is halved when
// the server refuses a request or cuts off a connection.
type Host struct {
	limits  HostLimits
	room    int
	streams int
	least   time.Duration // the fastest response with content so far
	bare    time.Duration // the fastest one without content

	halved   time.Duration // time of the last halving of room
	cautious bool          // room was halved: it now grows by one after room good responses
	good     int           // good responses since room changed
}

// NewHost returns a Host without any outcomes.
func NewHost(limits HostLimits) *Host {
	limits.Start = max(limits.Start, 1)
	limits.Most = max(limits.Most, limits.Start)
	return &Host{limits: limits, room: limits.Start}
}

// Room returns how many requests may run at the same time.
func (h *Host) Room() int { return h.room }

// Ended reports the outcome of a request, and returns the new Room.
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

// carry sets how many requests a connection carries at once. The end of the first body is early
// enough: the bodies before it fill the initial window of a new connection. At 100 Mbit/s and 40
// ms, 200 files of 8 KiB over 100 streams take as long as one file of their total size, and are no
// faster with 100 streams from the beginning.
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

// most returns the upper limit of room.
func (h *Host) most() int {
	switch {
	case h.streams > 0:
		return h.streams
	case h.limits.Exact:
		return h.limits.Start
	}
	return h.limits.Most
}

// admit increases room after a good response.
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

// Held reports whether the last refusal was so shortly before at, on the clock of Outcome.At, that
// room must not be exceeded.
func (h *Host) Held(at time.Duration) bool { return h.cautious && at-h.halved < hold }

// grow makes room for n more requests, up to the limit.
func (h *Host) grow(n int) {
	h.room = max(h.room, min(h.room+n, h.most()))
	h.good = 0
}

// refuse halves room. Requests that were running at the time of a halving are ignored, since they
// were too many already.
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
