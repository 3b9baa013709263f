package plan

// The bounds of what a worker holds.
const (
	PageItems = 1000    // URLs of a page at most
	PageBytes = 900_000 // of a page as text, so that it is a message with its header

	pagesEach = 2      // pages of one partition at once
	manyItems = 50_000 // URLs of all pages, if they keep the worker busy
)

// MayTake reports whether a worker takes one more page of a partition of which it holds some, while
// it holds so many URLs of all partitions that are not done. A worker that is idle could fetch more
// at once than the hosts of its pages allow: it takes a page of each partition, so that no host waits
// for those of another partition.
func MayTake(pages, items int, idle bool) bool {
	if items < manyItems {
		return pages < pagesEach
	}
	return idle && pages == 0
}
