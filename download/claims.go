package download

import (
	"hash/maphash"
	"path/filepath"
)

// Claims are the file names that a batch has used, so that no file of the batch replaces another.
// Claims store hashes, at most 1,048,576 of them in 40 MB; further names are not stored. Two names
// of a batch of a million files have the same hash in one of many millions of batches. The zero
// Claims are empty. Claims are not safe for concurrent use.
type Claims struct {
	seed  maphash.Seed
	names map[uint64]claim
}

// A claim counts how often a name was added. by is a hash of the URL that was first.
type claim struct {
	times int32
	by    uint32
}

// maxClaims limits the number of stored names.
const maxClaims = 1 << 20

// Add adds the name of a file for a URL, and returns how often the name was added before.
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

// IsFirst reports whether a name was first added for this URL.
func (c *Claims) IsFirst(name, url string) bool {
	if c.names == nil {
		return false
	}
	known, added := c.names[c.hash(name)]
	return added && known.by == c.by(url)
}

func (c *Claims) hash(name string) uint64 { return maphash.String(c.seed, filepath.Clean(name)) }
func (c *Claims) by(url string) uint32    { return uint32(maphash.String(c.seed, url)) }
