package main

import (
	"hash/maphash"
	"os"
	"path/filepath"
)

// claims are the names of files that were asked for, as hashes of them, and how often: two
// names are taken for one in one of many millions of lists of a million lines.
type claims struct {
	seed  maphash.Seed
	names map[uint64]int32
}

// maxClaims is how many names are remembered, which bounds the memory they take: 30 MB.
const maxClaims = 1 << 20

// claim notes a name, and returns how often it was claimed before.
func (c *claims) claim(name string) int {
	if c.names == nil {
		c.seed, c.names = maphash.MakeSeed(), make(map[uint64]int32)
	}
	hash := maphash.String(c.seed, filepath.Clean(name))
	before := c.names[hash]
	if before > 0 || len(c.names) < maxClaims {
		c.names[hash] = before + 1
	}
	return int(before)
}

// overwrites reports whether j, which comes in the order of the list, would replace the
// file of an earlier line.
func (f *fileFlags) overwrites(j job) bool {
	toFile := j.output != "" && j.output != "-" && j.output != os.DevNull
	replaces := !j.strange || f.overwrite || f.timestamps || f.goOn.whole
	return j.where != "" && toFile && replaces && !f.noClobber && f.claims.claim(f.asked(j)) > 0
}
