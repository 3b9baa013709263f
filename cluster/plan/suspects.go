package plan

import "maps"

// Suspects are the URLs of a partition that were being fetched when owners of the partition died. The zero
// Suspects are none.
type Suspects struct {
	Token  uint64         `json:"token"`            // of the owner that has counted the last death
	Deaths map[string]int `json:"deaths,omitempty"` // for the name of a URL
}

// The bounds of Suspects.
const (
	MaxDeaths   = 3    // at which a URL is given up
	maxSuspects = 1000 // of one partition
)

// Died returns the Suspects after the death of an owner that was fetching some URLs. token is the one of the
// owner that counts the death. It counts each death once.
func (s Suspects) Died(token uint64, fetching []string) Suspects {
	if token <= s.Token || len(fetching) == 0 {
		return s
	}
	next := Suspects{Token: token, Deaths: maps.Clone(s.Deaths)}
	if next.Deaths == nil {
		next.Deaths = make(map[string]int)
	}
	for least := 1; len(next.Deaths)+len(fetching) > maxSuspects && least < MaxDeaths; least++ {
		maps.DeleteFunc(next.Deaths, func(_ string, n int) bool { return n <= least })
	}
	for _, name := range fetching {
		if next.Deaths[name] > 0 || len(next.Deaths) < maxSuspects {
			next.Deaths[name]++
		}
	}
	return next
}

// Alone reports whether a URL is fetched while the worker fetches no other URL of so many deaths. So a death
// that no URL has caused makes a worker give up one URL at most.
func Alone(deaths int) bool { return deaths == MaxDeaths-1 }

// GivenUp reports whether a URL is not fetched again after so many deaths.
func GivenUp(deaths int) bool { return deaths >= MaxDeaths }
