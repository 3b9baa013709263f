package mirror

import (
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/url"
)

// An Explanation has the reason why a URL belongs to a copy or not, and its state.
type Explanation struct {
	crawl.Decision            // of the Scope; robots.txt may still exclude the URL
	Known          bool       // an earlier run has recorded the URL
	State          string     // of the Frontier
	Path           string     // of its file; "" if there is none
	Asked          time.Time  // time of the last request; zero if there was none
	Gone           bool       // the server no longer has it
	From           []*url.URL // the chain of pages or listings that led to it, nearest first
}

// Explain tells whether u belongs to the copy of roots, according to earlier runs. It sends no
// request and writes nothing.
func (m *Mirror) Explain(u *url.URL, roots ...*url.URL) (Explanation, error) {
	if u == nil {
		return Explanation{Decision: crawl.Decision{Why: "the URL is nil"}}, nil
	}
	scope := m.Scope
	scope.Roots = roots
	x := Explanation{Decision: scope.Decide(u, 0, false, crawl.MayLead(u))}
	r := &run{Mirror: m}
	defer r.close()
	if err := r.openCopy(); err != nil {
		return x, err
	}
	e, known, err := r.frontier.Lookup(bare(u))
	if !known || err != nil {
		return x, err
	}
	x.Decision = scope.Decide(u, e.Depth, e.Requisite, crawl.MayLead(u))
	n := readNote(e.Note)
	x.Known, x.State, x.Gone = true, e.State.String(), n.Gone
	if n.Path != "" && n.Time > 1 {
		x.Path = n.Path
	}
	if n.Asked > 0 {
		x.Asked = time.Unix(n.Asked, 0)
	}
	for e.From != crawl.None && len(x.From) < 100 {
		if e, err = r.frontier.Entry(e.From); err != nil {
			return x, err
		}
		x.From = append(x.From, e.URL)
	}
	return x, nil
}
