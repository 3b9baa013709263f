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

// A Crawl visits the URLs of a Frontier that wait, and those that are found meanwhile. Hosts take turns.
// Its fields must not change in use.
type Crawl struct {
	Frontier *Frontier
	Scope    *Scope

	// Visit fetches the URL of a Visit and does with it what the program is for. It calls
	// Follow for each link that it finds. If it returns nil, the URL is Done or what Visit.State
	// says, and otherwise Failed; if ctx has ended, it waits again. Many goroutines call it at
	// once.
	Visit func(ctx context.Context, v *Visit) error

	Robots *robots.Cache  // decides on URLs that no user has named; nil allows all
	Pace   *Pace          // how long a host is left alone; nil is not at all
	Hosts  *hosts.Fetcher // how many URLs of a host are visited at once; nil is one
	Most   int            // how many URLs are visited at once; less than 1 is 100

	queue   *queue.Queue
	results chan Result
	wake    chan struct{}

	mu     sync.Mutex
	busy   map[string]int    // URLs of a host that are Doing
	keys   map[string]string // by the name of a host, the one that Hosts has for it
	handed map[ID][]byte     // the notes of URLs that are Doing, and are not visited yet
	roots  []*url.URL        // that a redirection of a root has led to
	traps  traps
	err    error // of the Frontier
}

// A Result is what became of one URL.
type Result struct {
	Entry
	Resource *fetchers.Resource // that Visit.Resource was set to, closed; may be nil
	Err      error              // of Crawl.Visit; nil if the URL was not visited in vain
	Why      string             // a URL is Skipped
}

// Run visits URLs until none waits, and yields what became of each. The last error is that of ctx or of the
// Frontier, and comes with a zero Result. If the loop is broken off, Run ends the visits
// and waits for that; their URLs wait for another Run, as they do when ctx ends. A visit that has just come to
// its end is over all the same, and its Result is lost.
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
		for _, u := range redirected { // by an earlier process
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

// most returns how many URLs are visited at once.
func (c *Crawl) most() int {
	if c.Most < 1 {
		return 100
	}
	return c.Most
}

// room returns how many URLs of a host are visited at once.
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

// dispatch gives URLs to the queue as hosts have room for them, until there are no more.
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
	c.queue.Wait(context.WithoutCancel(ctx)) // for visits that end now
	for id, note := range c.handed {         // and never began
		if err := c.Frontier.Finish(id, Waiting, note); err != nil {
			c.fail(err)
			return
		}
	}
}

// free reports whether a host gets another URL: a few wait in the queue, so that it has the next one at
// hand.
func (c *Crawl) free(host string) bool {
	c.mu.Lock()
	busy := c.busy[host]
	all := len(c.busy)
	c.mu.Unlock()
	return busy == 0 && all < 2*c.most() || busy > 0 && busy < c.room(host)+2
}

// idle reports whether no URL is Doing. It waits for none that a Visit may still find: URLs are added
// before the Visit ends.
func (c *Crawl) idle() bool {
	c.mu.Lock()
	busy := len(c.busy)
	c.mu.Unlock()
	return busy == 0 && c.Frontier.Counts().Waiting == 0
}

// hand has the queue visit a URL.
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

// visit visits a URL, and notes what became of it.
func (c *Crawl) visit(ctx context.Context, e Entry) *Visit {
	v := &Visit{Entry: e, crawl: c, Decision: c.decide(e.URL, e.Depth, e.Requisite, true)} // the Scope may be another one than when it was found
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

// ended reports whether ctx has ended. A connection may notice before ctx that the deadline has passed.
func ended(ctx context.Context) bool {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// allowed has a Visit skipped that the Scope or the robots.txt of the server rules out.
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
