package line

import (
	"math"
	"math/rand/v2"
	"time"
)

// Control is the congestion control of the server.
type Control uint8

const (
	Reno Control = iota
	Cubic
	BBR
)

func (c Control) String() string { return [...]string{"reno", "cubic", "bbr"}[c] }

// Line is the bottleneck between the server and the client.
type Line struct {
	Rate    float64       // octets a second to the client, with the headers of IP and TCP
	RTT     time.Duration // round-trip time while no packet waits
	Queue   time.Duration // of the line's time that waits before packets are dropped
	Loss    float64       // share of the packets lost at random, 0 to 1
	Control Control
}

// Refusal says how a server refuses a connection beyond MaxConns.
type Refusal uint8

const (
	// AtConnect refuses the connection itself: Refused, without a request.
	// Open connections count.
	AtConnect Refusal = iota
	// Busy answers the request with 503 or 429: Refused, with the request.
	// The connection stays usable. Connections with a request in work count.
	Busy
	// Midway begins to answer and resets the connection after 64 KiB.
	// Connections with a request in work count.
	Midway
)

// Server is the machine at the far end.
type Server struct {
	PerConn  float64 // octets a second that each connection may send; 0 is no cap
	Burst    int64   // octets a capped connection sends at once, first and then every Burst/PerConn seconds, as nginx does; 0 is a steady flow
	MaxConns int     // connections beyond are refused; 0 is no limit
	Refusal  Refusal
	Penalty  float64       // if not 0, connections beyond MaxConns are served, but all together get this share of the line (and each this share of PerConn)
	Think    time.Duration // between a request's arrival and its answer
	Streams  int           // requests that a connection carries at once; 0 is 1
}

// ID names a connection. The first is 1.
type ID int

// Request names a request. The first is 1.
type Request int

// Kind is the kind of an Event.
type Kind uint8

const (
	Connected Kind = iota + 1 // requests can go out on Conn
	Answered                  // the answer's header arrived
	Received                  // N further bytes of the answer arrived, in order
	Done                      // all bytes of the answer arrived
	Refused                   // the connection (Request is 0) or the request was refused
	Reset                     // the server reset the connection; Request is the one in work
)

func (k Kind) String() string {
	return [...]string{"none", "connected", "answered", "received", "done", "refused", "reset"}[k]
}

// Event is something that the client sees.
type Event struct {
	Kind    Kind
	Conn    ID
	Request Request
	N       int64 // octets of Received
	At      time.Duration
}

const (
	segment   = 1448 // octets of content in a full packet
	overhead  = 52   // octets of IP and TCP headers, with timestamps
	header    = 300  // octets before the content of an answer
	never     = time.Duration(math.MaxInt64)
	midway    = 64 << 10    // octets before the reset of Midway
	smooth    = 16 << 10    // octets that a capped connection sends at once if Burst is 0
	firstLoss = time.Second // until a lost first packet of a handshake is sent again
	minRTO    = 200 * time.Millisecond
)

// Sim is a line in use. It is for one goroutine.
type Sim struct {
	line      Line
	server    Server
	draw      *rand.Rand
	now       time.Duration
	free      time.Duration // when the line has sent all that waits
	untilLoss int64         // packets until the next random loss
	tick      time.Duration // between two events Received of a connection
	alarm     time.Duration
	conns     []*conn // by ID - 1
	heap      []*conn // by the time of the next thing that happens to them
	requests  []request
	open      int // connections that the server holds
	busy      int // connections with a request in work at the server
	events    []Event
}

type request struct {
	conn     *conn
	n        int64 // octets of the answer, without the header
	seen     int64 // octets that arrived in order, with the header
	reported int64 // octets of the content that events reported
	refused  bool
}

// New returns a line at time 0, without a connection. Equal seeds lose the same
// packets.
func New(l Line, s Server, seed uint64) *Sim {
	s.Streams = max(s.Streams, 1)
	sim := &Sim{line: l, server: s, draw: rand.New(rand.NewPCG(seed, 0)), alarm: never, events: make([]Event, 0, 16)}
	sim.tick = min(max(l.RTT/4, 2*time.Millisecond), 10*time.Millisecond)
	sim.nextLoss()
	return sim
}

// Now is the time since New.
func (s *Sim) Now() time.Duration { return s.now }

// Wake makes Step return at this instant at the latest, with no events if
// nothing happened. There is one alarm; a further call replaces it.
func (s *Sim) Wake(at time.Duration) { s.alarm = max(at, s.now) }

// Dial begins a connection. A request can go out after so many round trips: 1
// for TCP, 2 for TLS 1.3 over TCP.
func (s *Sim) Dial(handshake int) ID {
	c := newConn(s, ID(len(s.conns)+1), handshake)
	s.conns = append(s.conns, c)
	c.helloAt = s.now + s.line.RTT/2
	s.push(c)
	return c.id
}

// Ask requests n bytes on a connection. The request goes out as soon as the
// connection stands and carries fewer requests than Streams. On a connection
// that is closed, refused or reset it has no events.
func (s *Sim) Ask(id ID, n int64) Request {
	c := s.conns[id-1]
	s.requests = append(s.requests, request{conn: c, n: n})
	r := Request(len(s.requests))
	c.waiting.add(r)
	s.send(c)
	s.fix(c)
	return r
}

// Close drops a connection. It has no further events. The server sends until it
// hears of it, half a round trip later, and all that it sent occupies the line.
func (s *Sim) Close(id ID) {
	c := s.conns[id-1]
	if c.closed {
		return
	}
	c.closed = true
	c.reportAt = never
	c.goneAt = s.now + s.line.RTT/2
	s.fix(c)
}

// Step advances to the next instant at which something happens for the client
// and returns the events of this instant, in the order of their connections;
// they are valid until the next Step. Received events come, a quarter of a
// round trip apart (2 to 10 ms). With no event and no alarm ahead Step returns
// nil and the time stands still.
func (s *Sim) Step() []Event {
	s.events = s.events[:0]
	for {
		at := never
		if len(s.heap) > 0 {
			at = s.heap[0].next
		}
		if len(s.events) > 0 && at > s.now {
			return s.events
		}
		if s.alarm < at {
			s.now, s.alarm = s.alarm, never
			return s.events
		}
		if at == never {
			return nil
		}
		s.now = at
		c := s.heap[0]
		s.advance(c)
		s.fix(c)
	}
}

func (s *Sim) signal(k Kind, c *conn, r Request, n int64) {
	if !c.closed {
		s.events = append(s.events, Event{k, c.id, r, n, s.now})
	}
}

// nextLoss draws how many packets pass before the next random loss.
func (s *Sim) nextLoss() {
	s.untilLoss = math.MaxInt64
	if s.line.Loss > 0 {
		s.untilLoss = int64(math.Log(1-s.draw.Float64()) / math.Log1p(-min(s.line.Loss, 0.999)))
	}
}

// carry puts up to n bytes on the line at once, in packets. It returns how
// many bytes the line takes before the first loss, when the last of them
// leaves it, and how many bytes are lost after them.
func (s *Sim) carry(n int64) (taken int64, left time.Duration, lost int64) {
	s.free = max(s.free, s.now)
	perPacket := float64(segment+overhead) / s.line.Rate * 1e9
	packets := (n + segment - 1) / segment
	run := int64(0)
	if wait := s.free - s.now; wait <= s.line.Queue {
		run = min(packets, int64(float64(s.line.Queue-wait)/perPacket)+1)
	}
	full := run < packets
	if s.untilLoss < run {
		run, full = s.untilLoss, false
	}
	taken = min(run*segment, n)
	s.free += time.Duration(float64(taken+run*overhead) / s.line.Rate * 1e9)
	switch {
	case full:
		lost = n - taken
		s.untilLoss -= run
	case run < packets:
		lost = min(segment, n-taken)
		s.nextLoss()
	default:
		s.untilLoss -= run
	}
	return taken, s.free, lost
}

// The heap of connections, by their next time and then by ID.

func (s *Sim) before(a, b *conn) bool {
	return a.next < b.next || a.next == b.next && a.id < b.id
}

func (s *Sim) push(c *conn) {
	c.place = len(s.heap)
	s.heap = append(s.heap, c)
	c.schedule()
	s.up(c)
}

// fix puts a connection in its place after its state changed.
func (s *Sim) fix(c *conn) {
	c.schedule()
	s.up(c)
	s.down(c)
}

func (s *Sim) up(c *conn) {
	for i := c.place; i > 0; {
		p := (i - 1) / 2
		if !s.before(c, s.heap[p]) {
			return
		}
		s.swap(i, p)
		i = p
	}
}

func (s *Sim) down(c *conn) {
	for i := c.place; ; {
		k := 2*i + 1
		if k >= len(s.heap) {
			return
		}
		if k+1 < len(s.heap) && s.before(s.heap[k+1], s.heap[k]) {
			k++
		}
		if !s.before(s.heap[k], c) {
			return
		}
		s.swap(i, k)
		i = k
	}
}

func (s *Sim) swap(i, j int) {
	s.heap[i], s.heap[j] = s.heap[j], s.heap[i]
	s.heap[i].place, s.heap[j].place = i, j
}
