package plan

import "time"

// The bounds of what a worker holds.
const (
	PageItems = 1000    // URLs of a page at most
	PageBytes = 900_000 // of a page as text, so that it is a message with its header

	pagesEach   = 2      // pages of one partition at once
	leavingEach = 8      // pages of one partition at once that are put back, and of which some URLs are being fetched
	manyItems   = 20_000 // URLs of all pages, if they keep the worker busy
)

// Pages are how many pages of one partition are open.
type Pages struct {
	Open    int // without those that are put back
	Leaving int // that are put back, and of which some URLs are being fetched
}

// Full reports whether so many pages are put back that no other one is.
func (p Pages) Full() bool { return p.Leaving >= leavingEach }

// MayTake reports whether a worker takes one more page of a partition of which it holds some, while
// it holds so many URLs of all partitions that are not done. A worker that is idle could fetch more
// at once than the hosts of its pages allow: it takes a page of each partition, so that no host waits
// for those of another partition.
func MayTake(p Pages, items int, idle bool) bool {
	if p.Full() {
		return false
	}
	if items < manyItems {
		return p.Open < pagesEach
	}
	return idle && p.Open == 0
}

// The bounds of the time for which a page is open.
const (
	firstPatience = 10 * time.Second
	maxDoublings  = 16 // to 182 hours
)

// Patience returns how long a page is open before an idle worker puts it back: it moves the URLs that wait
// to a new page, at the end of the partition. Otherwise slow hosts would keep the pages behind them from
// being opened. moves is how often the URLs were put back already. Each time the page stays open for twice
// as long, so that the pages of slow hosts alone are seldom written again.
func Patience(moves int) time.Duration { return firstPatience << min(max(moves, 0), maxDoublings) }
