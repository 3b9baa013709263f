// Package testdata holds the small tree of files that every server serves in a test
// or a demonstration. The files are made to be awkward: names that look escaped,
// blanks, line ends of other systems. Beside it there is a newsgroup.
package testdata

import (
	"embed"
	"io/fs"
)

//go:embed tree news
var files embed.FS

// Tree returns the files of the directory tree.
func Tree() fs.FS { return sub("tree") }

// News returns the newsgroups of the directory news, as nntptest has them.
func News() fs.FS { return sub("news") }

func sub(dir string) fs.FS {
	tree, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // dir is a valid name
	}
	return tree
}
