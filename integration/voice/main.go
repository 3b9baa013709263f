// Voice counts the words by which the project's prose is judged, for each directory: comments of Go
// files, and Markdown without its code.
//
//	go run ./integration/voice [-all] [ROOT]
//
// The columns are the words, then per 1,000 of them "what", and "nobody" with its like, and of 100
// sentences those that begin with a relative clause. Without -all only the worst ten directories
// are printed, above the sum.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	all := flag.Bool("all", false, "print every directory")
	flag.Parse()
	root := cmp.Or(flag.Arg(0), ".")
	counts, err := survey(os.DirFS(root))
	if err == nil {
		err = print(os.Stdout, counts, *all)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "voice:", err)
		os.Exit(1)
	}
}

// survey counts the prose below tree, by directory. Material for tests is left out: it is the speech
// of servers.
func survey(tree fs.FS) (map[string]count, error) {
	counts := make(map[string]count)
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if base == "testdata" || strings.HasPrefix(base, ".") && name != "." {
				return fs.SkipDir
			}
			return nil
		}
		prose := proseIn(base)
		if prose == nil {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		paragraphs, err := prose(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		c := counts[dir]
		for _, p := range paragraphs {
			c.add(p)
		}
		counts[dir] = c
		return nil
	})
	return counts, err
}

// proseIn returns the reader of the prose of a file with a name, or nil if it has none.
func proseIn(name string) func(text []byte) ([]string, error) {
	switch filepath.Ext(name) {
	case ".go":
		return comments
	case ".md":
		return markdown
	}
	return nil
}

// print writes the table.
func print(w io.Writer, counts map[string]count, all bool) error {
	var total count
	dirs := make([]string, 0, len(counts))
	for dir, c := range counts {
		dirs = append(dirs, dir)
		total = total.plus(c)
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b].faults(), counts[a].faults()), cmp.Compare(a, b))
	})
	if !all {
		dirs = dirs[:min(10, len(dirs))]
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "directory\twords\twhat\tnobody\trelative\t")
	for _, dir := range dirs {
		fmt.Fprintln(table, counts[dir].row(dir))
	}
	fmt.Fprintln(table, total.row("all"))
	return table.Flush()
}
