package crawl

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Crawl visits the waiting URLs of a Frontier, and those that it finds meanwhile. Hosts take
// turns. Its fields must not change in use.
type Crawl struct {
	Frontier *Frontier
	Scope    *Scope

	// Visit fetches the URL of a Visit and processes it for the program. It calls Follow for each
	// link. If it returns nil, the URL becomes Done or gets Visit.State; otherwise it becomes
	// Failed. If ctx has ended, the URL becomes Waiting again. Visit has to be safe for concurrent
	// use.
	Visit func(ctx context.Context, v *Visit) error

	Robots *robots.Cache  // decides about URLs that the user did not name; nil allows all
	Pace   *Pace          // the delays between requests to a host; nil means none
	Hosts  *hosts.Fetcher // the concurrent visits of a host; nil means one
	Most   int            // concurrent visits in total; below 1 means 100

	queue   *queue.Queue
	results chan Result
	wake    chan struct{}

	mu     sync.Mutex
	busy   map[string]int    // number of URLs that are Doing, by host
	keys   map[string]string // the key of Hosts for each host
	handed map[ID][]byte     // the notes of URLs that are Doing, but not visited yet
	roots  []*url.URL        // targets of redirections of a root
	traps  traps
	err    error // of the Frontier
}

// A Result is the outcome of one URL.
type Result struct {
	Entry
	Resource *fetchers.Resource // the final Visit.Resource, closed; may be nil
	Err      error              // of Crawl.Visit
	Why      string             // the reason if the URL is Skipped
}

// Run visits URLs until none waits, and yields their results. The last error is that of ctx or of
// the Frontier, with a zero Result. If the loop breaks or ctx ends, Run ends the visits and waits
// for them; their URLs wait for the next Run. A visit that completes at that moment stays
// completed, and its Result is lost.
func (c *Crawl) Run(ctx context.Context) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		if ctx == nil || c.Frontier == nil || c.Visit == nil || c.Scope == nil {
			yield(Result{}, errors.New("crawl: the context or a field is nil"))
			return
		}
		redirected, err := c.Frontier.redirected()
		if err != nil {
			yield(Result{}, err)
			return
		}
		for _, u := range redirected { // in an earlier process
			c.addRoot(u)
		}
		within, cancel := context.WithCancel(ctx)
		c.results, c.wake = make(chan Result), make(chan struct{}, 1)
		c.busy, c.keys, c.handed = make(map[string]int), make(map[string]string), make(map[ID][]byte)
		c.queue = &queue.Queue{Most: c.most(), Room: c.room, Delay: c.delay}
		go c.dispatch(within)
		defer func() {
			cancel()
			for range c.results {
			}
		}()
		for r := range c.results {
			if !yield(r, nil) {
				return
			}
		}
		if err := errors.Join(c.err, ctx.Err()); err != nil {
			yield(Result{}, err)
		}
	}
}

// most returns the maximum number of concurrent visits.
func (c *Crawl) most() int {
	if c.Most < 1 {
		return 100
	}
	return c.Most
}

// room returns the maximum number of concurrent visits of a host.
func (c *Crawl) room(host string) int {
	if c.Hosts == nil {
		return 1
	}
	c.mu.Lock()
	key := c.keys[host]
	c.mu.Unlock()
	return c.Hosts.Room(key)
}

func (c *Crawl) delay(host string) time.Duration {
	if c.Pace == nil {
		return 0
	}
	return c.Pace.Delay(host)
}

// dispatch adds URLs to the queue as hosts have room for them, until there are no more.
func (c *Crawl) dispatch(ctx context.Context) {
	defer close(c.results)
	for over := false; !over && ctx.Err() == nil && c.failure() == nil; {
		e, ok, err := c.Frontier.Next(c.free)
		switch {
		case err != nil:
			c.fail(err)
		case ok:
			c.hand(ctx, e)
		case c.idle():
			over = true
		default:
			select {
			case <-c.wake:
			case <-ctx.Done():
			}
		}
	}
	c.queue.Wait(ctx)
	c.queue.Wait(context.WithoutCancel(ctx)) // for visits that are ending
	for id, note := range c.handed {         // and URLs that were never visited
		if err := c.Frontier.Finish(id, Waiting, note); err != nil {
			c.fail(err)
			return
		}
	}
}

// free reports whether a host may get another URL. A few URLs wait in the queue, so that the host
// need not wait for the next one.
func (c *Crawl) free(host string) bool {
	c.mu.Lock()
	busy := c.busy[host]
	all := len(c.busy)
	c.mu.Unlock()
	return busy == 0 && all < 2*c.most() || busy > 0 && busy < c.room(host)+2
}

// idle reports whether no URL is Doing or Waiting. A Visit adds the URLs that it finds before it
// ends, so that none can follow.
func (c *Crawl) idle() bool {
	c.mu.Lock()
	busy := len(c.busy)
	c.mu.Unlock()
	return busy == 0 && c.Frontier.Counts().Waiting == 0
}

// hand adds a visit of a URL to the queue.
func (c *Crawl) hand(ctx context.Context, e Entry) {
	host := HostOf(e.URL)
	c.mu.Lock()
	c.busy[host]++
	c.handed[e.ID] = e.Note
	if c.Hosts != nil {
		c.keys[host] = c.Hosts.Key(e.URL)
	}
	key := c.keys[host]
	c.mu.Unlock()
	c.queue.Do(ctx, host, func(ctx context.Context) {
		c.mu.Lock()
		delete(c.handed, e.ID)
		c.mu.Unlock()
		ctx = fetchers.WithPause(ctx, queue.Pause)
		if c.Hosts != nil {
			ctx = c.Hosts.Context(ctx, key)
		}
		v := c.visit(ctx, e)
		c.mu.Lock()
		if c.busy[host]--; c.busy[host] == 0 {
			delete(c.busy, host)
			delete(c.keys, host)
		}
		c.mu.Unlock()
		select {
		case c.wake <- struct{}{}:
		default:
		}
		for _, r := range v.results() {
			c.results <- r
		}
	})
}

// visit visits a URL, and records the outcome.
func (c *Crawl) visit(ctx context.Context, e Entry) *Visit {
	v := &Visit{Entry: e, crawl: c, Decision: c.decide(e.URL, e.Depth, e.Requisite, true)} // the Scope may have changed since the URL was found
	v.State = Done
	v.err = c.allowed(ctx, v)
	if v.err == nil && v.State == Done {
		v.err = c.Visit(ctx, v)
	}
	switch {
	case v.err != nil && ended(ctx):
		v.State = Waiting
	case v.err != nil && v.State == Done:
		v.State = Failed
	}
	if err := c.Frontier.Finish(e.ID, v.State, v.Note); err != nil {
		c.fail(err)
		v.State = Waiting
	}
	return v
}

// ended reports whether ctx has ended. A connection may notice the deadline before ctx does.
func ended(ctx context.Context) bool {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// allowed skips a Visit that the Scope or the robots.txt of the server excludes.
func (c *Crawl) allowed(ctx context.Context, v *Visit) error {
	if v.From == None {
		return nil
	}
	if !v.Decision.Visit {
		v.State, v.Why = Skipped, v.Decision.Why
		return nil
	}
	if c.Robots == nil {
		return nil
	}
	verdict, err := c.Robots.Check(ctx, v.URL)
	if err != nil {
		return err
	}
	if verdict.Delay > 0 && c.Pace != nil {
		c.Pace.AtLeast(HostOf(v.URL), verdict.Delay)
	}
	if !verdict.Allowed {
		v.State, v.Why = Skipped, verdict.String()
	}
	return nil
}

func (c *Crawl) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

func (c *Crawl) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
