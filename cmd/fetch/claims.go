package main

import (
	"hash/maphash"
	"os"
	"path/filepath"
)

// claims are the names of files that the lines of a list ask for by out=, as hashes of
// them: two names are taken for one in one of many millions of lists of a million lines.
type claims struct {
	seed  maphash.Seed
	names map[uint64]struct{}
}

// maxClaims is how many names are remembered, which bounds the memory they take: 20 MB.
const maxClaims = 1 << 20

// claim notes a name, and reports whether it was there.
func (c *claims) claim(name string) (taken bool) {
	if c.names == nil {
		c.seed, c.names = maphash.MakeSeed(), make(map[uint64]struct{})
	}
	hash := maphash.String(c.seed, filepath.Clean(name))
	if _, taken = c.names[hash]; !taken && len(c.names) < maxClaims {
		c.names[hash] = struct{}{}
	}
	return taken
}

// overwrites reports whether j, which comes in the order of the list, would replace the
// file of an earlier line.
func (f *fileFlags) overwrites(j job) bool {
	toFile := j.output != "" && j.output != "-" && j.output != os.DevNull
	return j.where != "" && toFile && !j.strange && !f.noClobber && f.claims.claim(f.asked(j))
}
