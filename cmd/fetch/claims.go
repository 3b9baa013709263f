package main

import (
	"hash/maphash"
	"os"
	"path/filepath"

	"github.com/seed1ea3422f/fetch/download"
)

// claims are the names of files that were asked for, as hashes of them, and what is known of
// each: two names are taken for one in one of many millions of lists of a million lines.
type claims struct {
	seed  maphash.Seed
	names map[uint64]claimed
}

// claimed is how often a name was asked for, and a hash of the first URL for which it was.
type claimed struct {
	times int32
	by    uint32
}

// maxClaims is how many names are remembered, which bounds the memory they take: 40 MB.
const maxClaims = 1 << 20

// claim notes a name for a URL. It returns how often the name was claimed before.
func (c *claims) claim(name, url string) int {
	if c.names == nil {
		c.seed, c.names = maphash.MakeSeed(), make(map[uint64]claimed)
	}
	hash := maphash.String(c.seed, filepath.Clean(name))
	known := c.names[hash]
	before := known.times
	if before == 0 {
		known.by = c.by(url)
	}
	if known.times++; before > 0 || len(c.names) < maxClaims {
		c.names[hash] = known
	}
	return int(before)
}

// isBy reports whether a name was first claimed for a URL.
func (c *claims) isBy(name, url string) bool {
	return c.names[maphash.String(c.seed, filepath.Clean(name))].by == c.by(url)
}

func (c *claims) by(url string) uint32 { return uint32(maphash.String(c.seed, url)) }

// claim notes the name of the file of j, which comes in the order of the list and has been
// parsed. If an earlier one has it, j is not to replace what that has fetched, or to take it
// for what it fetches itself. A name that the server chooses is not known yet.
func (f *fileFlags) claim(j *job) {
	name := j.output
	if name == "" && f.remoteName && !f.headerName {
		name, _ = download.Name(j.url)
	}
	if name == "" || name == "-" || name == os.DevNull {
		return
	}
	name = f.asked(job{output: name})
	given := j.output != "" && !j.strange
	replaces := given || f.overwrite || f.timestamps || j.strange && f.goOn.whole
	switch {
	case f.claims.claim(name, j.text) == 0, !given && f.claims.isBy(name, j.text): // or the same file once more
	case replaces && !f.noClobber:
		j.taken = name
	default:
		j.second = true
	}
}
