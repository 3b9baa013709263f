package robots

import (
	"slices"
	"time"
)

// A Group is what a robots.txt says to one robot. The zero Group allows everything.
type Group struct {
	Rules []Rule
	Delay time.Duration // between two requests, by Crawl-delay; 0 if there is none
}

// For returns what r says to a robot, which is named by its product token, such as "examplebot".
// A version behind it does not count. All groups for the robot are taken together; if there is none,
// those for "*" are.
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

// of returns the groups with an agent as one, and whether there are any.
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

// Decide returns whether a path is allowed, and the rule that says so, or nil if there is none. The
// path has its query, and is as a URL has it: "/a%20b?c".
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
