package fetchers

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A Courtesy is a Fetcher that honours the wait that a server demands. A refusal with a wait
// (Retry-After in HTTP) applies to all requests to its origin, and not only to the refused one.
// They wait. If the wait exceeds that of the Retry of the Client, or 30 seconds without a Client,
// they fail with the same refusal. Fetcher must not change while in use.
type Courtesy struct {
	Fetcher Fetcher // usually a *Registry

	mu    sync.Mutex
	rests map[Origin]rest
}

// A rest is the wait that a server demanded.
type rest struct {
	until   time.Time
	refusal StatusError
}

// maxRests is the largest number of origins that are remembered.
const maxRests = 10_000

// Fetch fetches req, after any wait that its origin demanded.
func (c *Courtesy) Fetch(ctx context.Context, req *Request) (*Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	origin := OriginOf(req.URL)
	origin.User = ""
	longest := longestWait(ctx)
	for {
		wait, refusal := c.rest(origin)
		if wait <= 0 {
			break
		}
		if wait > longest {
			return nil, NewError("fetch", req.URL, refusal)
		}
		ContextTrace(ctx).Note(origin.Host + " demands that requests wait for another " + wait.Round(time.Second/10).String())
		if err := pause(ctx, wait); err != nil {
			return nil, NewError("fetch", req.URL, err)
		}
	}
	res, err := Fetch(ctx, c.Fetcher, req)
	var refused *StatusError
	if err == nil {
		refused = res.Refusal
	} else {
		errors.As(err, &refused)
	}
	if refused != nil && refused.Wait > 0 {
		c.leave(origin, *refused)
	}
	return res, err
}

// A Rest is a wait that a server has demanded. Refusal.Wait is the remaining time.
type Rest struct {
	Origin  Origin // without a User
	Refusal StatusError
}

// Rests returns the waits that are not over, in any order. With [Courtesy.Add], another Courtesy honours
// them as well.
func (c *Courtesy) Rests() []Rest {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	var all []Rest
	for o, r := range c.rests {
		if wait := r.until.Sub(now); wait > 0 {
			r.refusal.Wait = wait
			all = append(all, Rest{o, r.refusal})
		}
	}
	return all
}

// Add has the requests to an origin wait as if its server had refused one now.
func (c *Courtesy) Add(r Rest) {
	r.Origin.User = ""
	c.leave(r.Origin, r.Refusal)
}

// CloseIdle closes the idle connections of the Fetcher.
func (c *Courtesy) CloseIdle() {
	if f, ok := c.Fetcher.(IdleCloser); ok {
		f.CloseIdle()
	}
}

// rest returns the remaining wait of an origin, and the refusal that demanded it.
func (c *Courtesy) rest(o Origin) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.rests[o]
	if !ok {
		return 0, nil
	}
	wait := time.Until(r.until)
	if wait <= 0 {
		delete(c.rests, o)
		return 0, nil
	}
	refusal := r.refusal
	refusal.Wait = wait
	return wait, &refusal
}

// leave starts the wait of an origin.
func (c *Courtesy) leave(o Origin, refusal StatusError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rests == nil {
		c.rests = make(map[Origin]rest)
	}
	now := time.Now()
	if len(c.rests) >= maxRests {
		for other, r := range c.rests {
			if !r.until.After(now) {
				delete(c.rests, other)
			}
		}
	}
	until := now.Add(refusal.Wait)
	if before, ok := c.rests[o]; ok && before.until.After(until) || !ok && len(c.rests) >= maxRests {
		return
	}
	c.rests[o] = rest{until, refusal}
}
