// Tree prints the files below a URL of any protocol with listings, as tree does for a
// directory of this machine:
//
//	go run ./examples/tree ftp://ftp.gnu.org/gnu/tar/ https://ftp.gnu.org/gnu/tar/
//
// It is an example of [fetchers.FS], in 42 lines: an [fs.FS] like any other, which fs.WalkDir
// walks. A listing is requested when the walk reaches its directory, so that the memory grows with
// the depth of the tree and not with its size.
package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, arg := range os.Args[1:] {
		if err := tree(ctx, arg, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "tree:", err)
			defer os.Exit(1)
		}
	}
}

// tree writes the names of all that is below rawURL, each indented by its depth.
func tree(ctx context.Context, rawURL string, out io.Writer) error {
	root, err := url.Parse(rawURL)
	if err != nil {
		return err
	}
	client := &fetchers.Client{Fetcher: fetch.Protocols(nil)}
	defer client.CloseIdle()
	return fs.WalkDir(fetchers.NewFS(ctx, client, root), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && name != "." {
			fmt.Fprintf(out, "%s%s\n", strings.Repeat("  ", strings.Count(name, "/")), d.Name())
		}
		return err
	})
}
