package robots

import (
	"slices"
	"time"
)

// A Group holds the rules of a robots.txt for one robot. The zero Group allows everything.
type Group struct {
	Rules []Rule
	Delay time.Duration // minimum time between two requests, from Crawl-delay; 0 if there is none
}

// For returns the rules for a robot with the given product token, such as "examplebot". A version
// after the token is ignored. For combines all groups for the robot; if there is none, it combines
// those for "*".
func (r *Rules) For(agent string) Group {
	if r == nil {
		return Group{}
	}
	if g, ok := r.of(product(agent)); ok {
		return g
	}
	g, _ := r.of("*")
	return g
}

// of combines the groups for an agent, and reports whether there are any.
func (r *Rules) of(agent string) (all Group, found bool) {
	for _, g := range r.groups {
		if agent == "" || !slices.Contains(g.agents, agent) {
			continue
		}
		found = true
		all.Rules = append(all.Rules, g.rules...)
		all.Delay = max(all.Delay, g.delay)
	}
	return all, found
}

// Decide reports whether a path is allowed, and returns the rule that decides, or nil. The path
// includes the query and is escaped as in a URL: "/a%20b?c".
func (g Group) Decide(path string) (allowed bool, by *Rule) {
	path = normal(path)
	for i := range g.Rules {
		r := &g.Rules[i]
		if by != nil && (len(r.pattern.text) < len(by.pattern.text) || len(r.pattern.text) == len(by.pattern.text) && !r.Allow) {
			continue
		}
		if r.pattern.fits(path) {
			by = r
		}
	}
	return by == nil || by.Allow, by
}
