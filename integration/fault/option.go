package fault

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// An Option is a property of the network between client and server.
type Option func(*Proxy)

// Listen has the proxy listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:2121" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option { return func(p *Proxy) { p.at = addr } }

// UDP forwards datagrams, and not connections.
func UDP() Option { return func(p *Proxy) { p.udp = true } }

// Seed chooses among the courses that chance can take.
func Seed(seed uint64) Option { return func(p *Proxy) { p.seed = seed } }

// Delay makes a round trip take this much longer. How much arrives is not limited by
// it, up to about a megabyte on the way. The proxy accepts connections at once. Over
// UDP, datagrams that are close to each other may change places.
func Delay(roundTrip time.Duration) Option {
	return func(p *Proxy) { p.delay = roundTrip / 2 }
}

// Rate limits the server to this many bytes per second, for each connection.
func Rate(octetsPerSecond int) Option { return func(p *Proxy) { p.rate = octetsPerSecond } }

// Drip forwards the bytes of the server in writes of this many bytes, with a pause after each of
// them. Without a pause it changes only where writes end.
func Drip(octets int, pause time.Duration) Option {
	return func(p *Proxy) { p.piece, p.pause = octets, pause }
}

// Corrupt turns over one bit in this part of the octets that the server sends:
// Corrupt(0.001) in about one of a thousand.
func Corrupt(part float64) Option { return func(p *Proxy) { p.corrupt = part } }

// Lose loses this part of the datagrams, in both directions.
func Lose(part float64) Option { return func(p *Proxy) { p.lose = part } }

// Duplicate doubles this part of the datagrams, in both directions.
func Duplicate(part float64) Option { return func(p *Proxy) { p.duplicate = part } }

// Reorder lets this part of the datagrams be overtaken by the next one, in both
// directions, or come late if there is no other soon.
func Reorder(part float64) Option { return func(p *Proxy) { p.reorder = part } }

// A Fault is the failure of a connection. It strikes when After octets have been forwarded; a
// shorter conversation is whole. Over UDP there are no Faults.
type Fault struct {
	After    int64  // octets in one direction of the connection
	Upstream bool   // those of the client count, and not those of the server
	Do       Action // the effect
	Once     bool   // strike one connection only
}

// String returns the fault as "Reset after 4, once", with "upstream" before it if the octets
// of the client count.
func (f Fault) String() string {
	command := ""
	if f.Upstream {
		command = "upstream"
	}
	return server.Describe(command, "", f.Do.String(), f.After, f.Once)
}

// An Action is the effect of a [Fault].
type Action int

const (
	Cut      Action = iota // close the connection, as if that were all
	Reset                  // reset it; octets on their way may be lost
	Stall                  // pass nothing more on, until the client leaves or the proxy is closed
	Flip                   // turn over a bit of the next octet, and go on
	NoNotify               // go on, but when TLS ends keep back the close_notify that says so
)

var actions = []string{"Cut", "Reset", "Stall", "Flip", "NoNotify"}

// String returns the name of the action, such as "Cut".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes connections go wrong. Each gets the first fault which is not used up,
// so faults with Once strike one connection after the other.
func Faults(faults ...Fault) Option {
	return func(p *Proxy) {
		for _, f := range faults {
			p.faults = append(p.faults, &fault{Fault: f})
		}
	}
}

type fault struct {
	Fault
	used atomic.Bool
}

// next returns the fault for the next connection. One with Once is used up by it even
// if it turns out to be too short.
func (p *Proxy) next() (Fault, bool) {
	for _, f := range p.faults {
		if !f.Once || f.used.CompareAndSwap(false, true) {
			return f.Fault, true
		}
	}
	return Fault{}, false
}

// A corrupter turns over bits here and there. Where does not depend on the pieces in
// which octets come.
type corrupter struct {
	chance *rand.Rand
	part   float64
	left   float64 // octets until the next one to strike
}

func newCorrupter(chance *rand.Rand, part float64) *corrupter {
	c := &corrupter{chance: chance, part: part}
	c.draw()
	return c
}

func (c *corrupter) draw() {
	if c.part <= 0 {
		c.left = math.Inf(1)
		return
	}
	c.left = math.Floor(c.chance.ExpFloat64() / c.part)
}

func (c *corrupter) pass(p []byte) {
	for c.left < float64(len(p)) {
		at := int(c.left)
		p[at] ^= 1 << c.chance.IntN(8)
		p = p[at+1:]
		c.draw()
	}
	c.left -= float64(len(p))
}
