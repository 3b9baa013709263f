package wire

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A list may take longer than a reply: each listSpeed bytes extend its limit by a second, up to
// listTimes the limit of a reply, which is ten minutes by default.
const (
	listSpeed = 100
	listTimes = 10
)

// Await starts the wait for an answer. Until Flow is called, the whole answer must arrive within
// the Response of the Network. Callers use Await before they read a reply or header, and Flow when
// a body begins.
func (c *Conn) Await() { c.AwaitFor(0) }

// AwaitFor is Await with a limit that may be shorter than the Response of the Network. If limit is
// 0, only Response applies.
func (c *Conn) AwaitFor(limit time.Duration) {
	c.Flow()
	c.most = c.nw.ResponseLimit()
	if limit > 0 && (c.most <= 0 || limit < c.most) {
		c.most = limit
	}
	if c.most > 0 {
		c.until = time.Now().Add(c.most)
	}
}

// AwaitList is Await for a list, which may be long: each listSpeed bytes extend the limit by a
// second, up to listTimes the limit.
func (c *Conn) AwaitList() {
	c.Await()
	if most := c.nw.ResponseLimit(); most > 0 {
		c.last = time.Now().Add(listTimes * most)
	}
}

// Flow ends the wait for an answer. For a body only the Stall limit applies.
func (c *Conn) Flow() { c.until, c.last, c.heard = time.Time{}, time.Time{}, false }

// WaitForEver disables the Stall limit of Read. It is called before the first Read of a protocol
// whose requests share the connection: a stalled request must not end the others, so each has its
// own timeout. Write keeps the limit.
func (c *Conn) WaitForEver() {
	c.forever = true
	c.Conn.SetReadDeadline(time.Time{}) // a Write may have set a deadline
}

// HeaderLimit returns the HeaderLimit of the Network.
func (c *Conn) HeaderLimit(usual int) int { return c.nw.HeaderLimit(usual) }

// A limit identifies the deadline of a Read.
type limit uint8

const (
	byCaller limit = iota
	bySilence
	byResponse
	byPace
)

// readUntil is Read with a deadline, unless that is zero.
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
	if c.stall > 0 && !c.forever {
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
	if !c.last.IsZero() {
		c.until = earlier(c.until.Add(time.Duration(n)*time.Second/listSpeed), c.last)
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
		switch most := c.most; {
		case !c.heard:
			return n, fmt.Errorf("%w: nothing for %v", fetchers.ErrStalled, most)
		case c.last.IsZero():
			return n, fmt.Errorf("%w: no complete answer within %v", fetchers.ErrStalled, most)
		case c.until.Equal(c.last):
			return n, fmt.Errorf("%w: no complete list within %v", fetchers.ErrStalled, listTimes*most)
		default:
			return n, fmt.Errorf("%w: a list arrives at less than %d bytes a second", fetchers.ErrStalled, listSpeed)
		}
	}
	return n, c.silent()
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// silent returns the error for a connection that stalled.
func (c *Conn) silent() error { return fmt.Errorf("%w: nothing for %v", fetchers.ErrStalled, c.stall) }
