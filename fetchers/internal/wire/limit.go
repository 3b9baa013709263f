package wire

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// listSpeed is how many octets of a list give it another second.
const listSpeed = 100

// Await begins the wait for an answer. Until Flow is called, all of it has to come within
// the Response of the Network, however it comes. Await stands before each reply or header
// is read, and Flow where a body begins.
func (c *Conn) Await() {
	c.Flow()
	if most := c.nw.ResponseLimit(); most > 0 {
		c.until = time.Now().Add(most)
	}
}

// AwaitList is Await for an answer that is a list, and may be long: each listSpeed octets
// of it give it another second.
func (c *Conn) AwaitList() {
	c.Await()
	c.list = true
}

// Flow ends the wait for an answer: a body may take as long as it likes, as long as
// something comes.
func (c *Conn) Flow() { c.until, c.list, c.heard = time.Time{}, false, false }

// HeaderLimit is that of the Network.
func (c *Conn) HeaderLimit(usual int) int { return c.nw.HeaderLimit(usual) }

// A limit is one that a Read may meet.
type limit uint8

const (
	byCaller limit = iota
	bySilence
	byResponse
	byPace
)

// readUntil is Read, until deadline unless that is zero.
func (c *Conn) readUntil(p []byte, deadline time.Time) (int, error) {
	c.mu.Lock()
	pace := c.pace
	c.mu.Unlock()
	left := pace.Left()
	if left == fetchers.Unpaced && c.until.IsZero() && deadline.IsZero() { // a body
		c.await()
		n, err := c.read(p)
		c.awaited()
		return n, c.explain(err)
	}
	now := time.Now()
	end, by := deadline, byCaller
	sooner := func(t time.Time, which limit) {
		if end.IsZero() || t.Before(end) {
			end, by = t, which
		}
	}
	if c.stall > 0 {
		sooner(now.Add(c.stall), bySilence)
	}
	if !c.until.IsZero() {
		sooner(c.until, byResponse)
	}
	if left < fetchers.Unpaced {
		sooner(now.Add(left), byPace)
	}
	c.Conn.SetReadDeadline(end)
	n, err := c.read(p)
	c.Conn.SetReadDeadline(time.Time{})
	c.heard = c.heard || n > 0
	if c.list && !c.until.IsZero() {
		c.until = c.until.Add(time.Duration(n) * time.Second / listSpeed)
	}
	if by == byPace && errors.Is(err, os.ErrDeadlineExceeded) && c.bound().Err() == nil {
		return n, pace.Expired(time.Since(now))
	}
	slow := pace.Waited(time.Since(now), n)
	if !errors.Is(err, os.ErrDeadlineExceeded) || c.bound().Err() != nil {
		if err == nil {
			return n, slow
		}
		return n, c.explain(err)
	}
	switch by {
	case byCaller:
		return n, os.ErrDeadlineExceeded
	case byResponse:
		if !c.heard {
			return n, fmt.Errorf("%w: nothing for %v", fetchers.ErrStalled, c.nw.ResponseLimit())
		}
		return n, fmt.Errorf("%w: no whole answer within %v", fetchers.ErrStalled, c.nw.ResponseLimit())
	}
	return n, c.silent()
}

// silent is the error for a server that says nothing.
func (c *Conn) silent() error { return fmt.Errorf("%w: nothing for %v", fetchers.ErrStalled, c.stall) }
