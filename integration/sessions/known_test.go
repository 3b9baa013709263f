package sessions

import "slices"

// A flaw is a group of trials that today's client fails. TestBroken skips them, and TestCrowd
// leaves out their faults. A repair deletes its entry.
type flaw struct {
	protocols []string
	steps     []string // nil is all
	faults    []fault
}

var flaws = []flaw{
	// A request that joins the connection as a stream of it stalls, stalls too, at once.
	{[]string{"https/2"}, nil, []fault{noEnd, half, silence}},
}

// flawed reports whether a fault is that of a flaw.
func (p *protocol) flawed(step string, f fault) bool {
	return slices.ContainsFunc(flaws, func(w flaw) bool {
		return slices.Contains(w.protocols, p.name) && (w.steps == nil || slices.Contains(w.steps, step)) && f.among(w.faults...)
	})
}
