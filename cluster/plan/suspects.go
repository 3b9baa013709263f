package plan

// Suspects are the URLs of a page that a worker is about to fetch, and which are named since a
// worker died at this page. The zero Suspects are none.
type Suspects struct {
	Page   uint64 `json:"page"`   // the sequence number of the page
	From   int    `json:"from"`   // the index of the first one
	Count  int    `json:"count"`  // how many there are
	Deaths int    `json:"deaths"` // of workers, while each of them was named
	Single int    `json:"single"` // up to which index URLs are named singly, since they were named at a death
}

// The steps of a careful worker.
const (
	Together  = 32 // URLs that are named together at first
	MaxDeaths = 3  // at which a URL that was named is given up
)

// Died returns the Suspects after the death of the worker that has named them.
func (s Suspects) Died() Suspects {
	if s.Count == 0 {
		return s
	}
	s.Deaths++
	if s.Count > 1 {
		s.Single = s.From + s.Count
	}
	return s
}

// GivenUp reports whether s is one URL that is not to be fetched again.
func (s Suspects) GivenUp() bool { return s.Count == 1 && s.Deaths >= MaxDeaths }

// Next returns the Suspects to be named next, from an index on in a page of so many items. The
// deaths of earlier ones count for those that were among them.
func (s Suspects) Next(page uint64, from, items int) Suspects {
	next := Suspects{Page: page, From: from, Count: min(Together, items-from)}
	if s.Page != page {
		return next
	}
	next.Single = s.Single
	if from < s.Single { // was named at a death
		next.Count, next.Deaths = 1, 1
	}
	if s.Count == 1 && s.From == from {
		next.Deaths = s.Deaths
	}
	return next
}
