package main

import "sync"

// A crew does work for several hosts at the same time, as much as the limits
// allow. Who gives it more has to wait, so that no list of work is held in memory.
type crew struct {
	most    int // at the same time
	perHost int // of them for one host

	mu    sync.Mutex
	free  sync.Cond
	busy  int
	hosts map[string]int
	wg    sync.WaitGroup
}

func newCrew(most, perHost int) *crew {
	c := &crew{most: max(most, 1), perHost: max(perHost, 1), hosts: make(map[string]int)}
	c.free.L = &c.mu
	return c
}

// do begins some work for a host, once there is a hand free for it.
func (c *crew) do(host string, work func()) {
	c.mu.Lock()
	for c.busy >= c.most || c.hosts[host] >= c.perHost {
		c.free.Wait()
	}
	c.busy++
	c.hosts[host]++
	c.mu.Unlock()
	c.wg.Go(func() {
		defer c.done(host)
		work()
	})
}

func (c *crew) done(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy--
	if c.hosts[host]--; c.hosts[host] == 0 {
		delete(c.hosts, host)
	}
	c.free.Broadcast()
}

// wait waits until all work is done.
func (c *crew) wait() { c.wg.Wait() }
