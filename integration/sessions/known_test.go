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
	// The fetch after a stalled one may fail at once with the same error, before the server is
	// asked: both are streams of one connection.
	{[]string{"https/2"}, nil, []fault{noEnd, half, silence}},
}

// flawed reports whether a fault is that of a flaw.
func (p *protocol) flawed(step string, f fault) bool {
	return slices.ContainsFunc(flaws, func(w flaw) bool {
		return slices.Contains(w.protocols, p.name) && (w.steps == nil || slices.Contains(w.steps, step)) && f.among(w.faults...)
	})
}
