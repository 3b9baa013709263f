package main

import (
	"github.com/seed1ea3422f/fetch/internal/command/keep"
	"github.com/seed1ea3422f/fetch/url"
)

// A numbered is a file of a run, with the number of its URL.
type numbered struct {
	at   int
	file keep.File
}

// crowded is how many URLs of one origin make a crowd.
const crowded = 8

// maxOrigins is how many origins are remembered while a list is read.
const maxOrigins = 10_000

// A crowd finds the origins of which a run has many URLs. It holds back the first URLs of each
// origin until there are enough for a crowd, or until the list has no more URLs at once: the first
// request of an origin already has to choose the connection that the others share. A list is read
// much faster than a network answers.
type crowd struct {
	multiplexes func(*url.URL) bool // requests of a crowd may share a connection
	start       func(numbered)

	known map[string]int // URLs by their origin
	held  []numbered
}

// add starts a file, or holds it back.
func (c *crowd) add(n numbered) {
	u := n.file.URL
	if !c.multiplexes(u) {
		c.start(n)
		return
	}
	if c.known == nil {
		c.known = make(map[string]int)
	}
	origin := u.Addr()
	c.known[origin]++
	switch known := c.known[origin]; {
	case known < crowded:
		c.held = append(c.held, n)
		return
	case known == crowded:
		c.free(origin)
	}
	n.file.Multiplex = true
	c.start(n)
}

// free starts the files of an origin that has become a crowd.
func (c *crowd) free(origin string) {
	rest := c.held[:0]
	for _, n := range c.held {
		if n.file.URL.Addr() != origin {
			rest = append(rest, n)
			continue
		}
		n.file.Multiplex = true
		c.start(n)
	}
	clear(c.held[len(rest):])
	c.held = rest
}

// release starts all files that are held back.
func (c *crowd) release() {
	for _, n := range c.held {
		c.start(n)
	}
	clear(c.held)
	c.held = c.held[:0]
	if len(c.known) > maxOrigins {
		clear(c.known)
	}
}
