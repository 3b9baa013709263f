package download

import (
	"hash/maphash"
	"path/filepath"
)

// Claims are the names that the files of a batch have asked for, so that no file of the batch
// replaces another. Claims hold hashes, and at most 1,048,576 of them, which take 40 MB: names
// behind these are not noted. Two names have the same hash in one of many millions of batches
// of a million files. The zero Claims are empty. One goroutine at a time may use them.
type Claims struct {
	seed  maphash.Seed
	names map[uint64]claim
}

// A claim is how often a name was asked for, and a hash of the first URL that asked for it.
type claim struct {
	times int32
	by    uint32
}

// maxClaims bounds the names that are remembered.
const maxClaims = 1 << 20

// Add notes the name of a file for a URL, and returns how often the name was added before.
func (c *Claims) Add(name, url string) (before int) {
	if c.names == nil {
		c.seed, c.names = maphash.MakeSeed(), make(map[uint64]claim)
	}
	hash := c.hash(name)
	known := c.names[hash]
	before = int(known.times)
	if before == 0 {
		known.by = c.by(url)
	}
	if known.times++; before > 0 || len(c.names) < maxClaims {
		c.names[hash] = known
	}
	return before
}

// IsFirst reports whether a name was first added for a URL.
func (c *Claims) IsFirst(name, url string) bool {
	if c.names == nil {
		return false
	}
	known, added := c.names[c.hash(name)]
	return added && known.by == c.by(url)
}

func (c *Claims) hash(name string) uint64 { return maphash.String(c.seed, filepath.Clean(name)) }
func (c *Claims) by(url string) uint32    { return uint32(maphash.String(c.seed, url)) }
