package plan

// The bounds of what a worker holds.
const (
	PageItems = 1000    // URLs of a page at most
	PageBytes = 900_000 // of a page as text, so that it is a message with its header

	pagesEach = 2       // pages of one partition
	manyItems = 100_000 // URLs of all pages: with more, a partition has one page
)

// MayTake reports whether a worker takes one more page of a partition of which it holds some, while
// it holds so many URLs of all partitions that are not done. A page of each partition is always
// allowed, so that no host waits for those of another partition.
func MayTake(pages, items int) bool {
	return pages == 0 || pages < pagesEach && items < manyItems
}
