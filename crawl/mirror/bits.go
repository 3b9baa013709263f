package mirror

import "github.com/seed1ea3422f/fetch/crawl"

// bits is a set of URLs.
type bits []uint64

func (b *bits) add(id crawl.ID) {
	for int(id/64) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[id/64] |= 1 << (id % 64)
}

func (b bits) has(id crawl.ID) bool {
	return id != crawl.None && int(id/64) < len(b) && b[id/64]&(1<<(id%64)) != 0
}
