// Downloads saves the files of a list of URLs, one a line on standard input, and prints the
// name and the SHA-256 of each:
//
//	go run ./examples/downloads -dir files -state done < list
//
// A second run continues an interrupted one: whole files are skipped, and partial files are
// resumed. The program takes 77 lines with this comment.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

func main() {
	dir := flag.String("dir", ".", "the directory of the files")
	state := flag.String("state", "downloads.state", "the file, in that directory, that names the whole files")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	messages := log.New(os.Stderr, "downloads: ", 0)
	if err := save(ctx, os.Stdin, os.Stdout, messages, *dir, *state); err != nil {
		messages.Fatal(err)
	}
}

// save saves the files of a list. A failure is written to messages, and the other URLs follow.
func save(ctx context.Context, list io.Reader, out io.Writer, messages *log.Logger, dir, state string) error {
	done, err := download.OpenState(filepath.Join(dir, state))
	if err != nil {
		return err
	}
	defer done.Close()
	protocols := fetch.Protocols(nil)
	defer protocols.CloseIdle()
	watch := &hosts.Fetcher{Fetcher: protocols}
	client := &fetchers.Client{Fetcher: &fetchers.Courtesy{Fetcher: watch}, Retry: fetchers.Retry{Max: 3}}
	lines := bufio.NewScanner(list)
	items := func(yield func(download.Item) bool) {
		for lines.Scan() {
			u, err := url.Parse(lines.Text())
			if err != nil {
				messages.Print(err)
			} else if !yield(download.Item{Request: &fetchers.Request{URL: u}}) {
				return
			}
		}
	}
	failed := 0
	for saved, err := range download.All(ctx, items, download.Options{
		Saver: download.Saver{Fetcher: client}, Hosts: watch, Dir: dir, State: done,
	}) {
		if err != nil {
			messages.Print(err)
			failed++
		} else if !saved.Skipped {
			fmt.Fprintf(out, "%s  %s\n", saved.SHA256, saved.Name)
		}
	}
	if failed > 0 {
		return fmt.Errorf("files that failed: %d", failed)
	}
	return lines.Err()
}
