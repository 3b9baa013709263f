package plan

// Suspects are the URLs of a page that a worker is about to fetch, and which are named since a
// worker died at this page. The zero Suspects are none.
type Suspects struct {
	Page   uint64 `json:"page"`             // the sequence number of the page
	From   int    `json:"from"`             // the index of the first one
	Count  int    `json:"count"`            // how many there are
	Deaths int    `json:"deaths,omitempty"` // of workers, while each of them was named
	Single int    `json:"single,omitempty"` // URLs before this index are named singly, since they were named at a death

	Visits int `json:"visits,omitempty"` // deaths of owners at this page before URLs were named

	// Worst is the URL that was named alone at the last such death, and WorstDeaths counts for it.
	Worst       int `json:"worst,omitempty"`
	WorstDeaths int `json:"worst_deaths,omitempty"`
}

// The steps of a careful worker.
const (
	Together  = 32 // URLs that are named together at first
	MaxDeaths = 3  // at which a URL that was named is given up
)

// Died returns the Suspects after the death of the worker that has named them. page is the first page that
// the worker was at.
func (s Suspects) Died(page uint64) Suspects {
	if s.Page != page {
		return Suspects{Page: page, Visits: 1}
	}
	s.Visits++
	switch {
	case s.Count == 1:
		s.Deaths++
		s.Worst, s.WorstDeaths = s.From, s.Deaths
	case s.Count > 1:
		s.Deaths++
		s.Single = max(s.Single, s.From+s.Count)
	}
	return s
}

// Careful reports whether the URLs of the page are to be named: one death alone is most often not the fault
// of any URL.
func (s Suspects) Careful() bool { return s.Visits > 1 }

// Cleared returns s after the fetch of the URLs that are named.
func (s Suspects) Cleared() Suspects {
	s.Count, s.Deaths = 0, 0
	return s
}

// GivenUp reports whether s is one URL that is not to be fetched again.
func (s Suspects) GivenUp() bool { return s.Count == 1 && s.Deaths >= MaxDeaths }

// Next returns the Suspects to be named next, from an index on in a page of so many items. s are
// those that were named before.
func (s Suspects) Next(page uint64, from, items int) Suspects {
	if s.Page != page {
		s = Suspects{Page: page}
	}
	s.From, s.Count, s.Deaths = from, min(Together, items-from), 0
	switch {
	case s.WorstDeaths > 0 && from == s.Worst:
		s.Count, s.Deaths = 1, s.WorstDeaths
	case from < s.Single:
		s.Count, s.Deaths = 1, 1
	}
	return s
}
