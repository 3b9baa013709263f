package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/cluster"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/record"
)

// addCommand adds URLs to a job.
func addCommand(at *server, s streams) *cobra.Command {
	var list string
	var follow bool
	var crawl cluster.Crawl
	c := &cobra.Command{Use: "add [URL...]", Short: "Add URLs to the job"}
	f := c.Flags()
	f.StringVarP(&list, "input-file", "i", "", "list of URLs, as fetch -i has it (- is standard input)")
	f.BoolVar(&follow, "crawl", false, "follow links from the URLs")
	f.IntVarP(&crawl.Depth, "level", "l", 0, "links from a URL to a page (0: any number)")
	f.BoolVar(&crawl.NoParent, "no-parent", false, "stay in the directories of the URLs")
	f.BoolVarP(&crawl.SpanHosts, "span-hosts", "H", false, "follow links to any host")
	f.StringSliceVarP(&crawl.Hosts, "domains", "D", nil, "follow links to these hosts, too")
	f.StringSliceVar(&crawl.NotHosts, "exclude-domains", nil, "follow no links to these hosts")
	f.StringSliceVarP(&crawl.Accept, "accept", "A", nil, "names that are fetched, such as *.pdf")
	f.StringSliceVarP(&crawl.Reject, "reject", "R", nil, "names that are not fetched")
	f.BoolVarP(&crawl.Requisites, "page-requisites", "p", false, "fetch the pictures of pages, from any host")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if list == "" && len(args) == 0 {
			return record.UsageError{Err: errors.New("there is no URL: fetchd add URL, or fetchd add -i LIST")}
		}
		if follow && list != "" {
			return record.UsageError{Err: errors.New("--crawl begins at the URLs of the command line, and not at a list")}
		}
		store, err := at.open(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer store.Close()
		if follow {
			crawl.Roots = args
			return store.AddCrawl(cmd.Context(), crawl)
		}
		a := adding{adder: cluster.NewAdder(store), streams: s}
		for _, arg := range args {
			if err := a.add(cmd.Context(), "", cluster.Item{URL: arg}); err != nil {
				return err
			}
		}
		if list != "" {
			if err := a.list(cmd.Context(), list); err != nil {
				return err
			}
		}
		if err := a.adder.Flush(cmd.Context()); err != nil {
			return err
		}
		s.say("%d URLs are added", a.added)
		if a.refused > 0 {
			return record.InputError{Err: fmt.Errorf("%d lines are not added", a.refused)}
		}
		return nil
	}
	return c
}

// An adding adds the URLs of one run.
type adding struct {
	adder          *cluster.Adder
	streams        streams
	added, refused int
	ignored        map[string]bool // keys of the list that are not used, and were mentioned
}

// add adds one URL. A fault of this URL is reported, and the list goes on.
func (a *adding) add(ctx context.Context, where string, i cluster.Item) error {
	switch err := a.adder.Add(ctx, i); {
	case errors.Is(err, cluster.ErrSecret):
		a.refuse(where, err)
		return nil
	case err != nil:
		return err
	}
	a.added++
	return nil
}

func (a *adding) refuse(where string, err error) {
	a.refused++
	a.streams.say("%s%s", where, record.Text(err))
}

// maxLine is the length of the longest line of a list, in bytes.
const maxLine = 64 << 10

// list adds the URLs of a list: a URL a line, after which a TAB and KEY=VALUE may follow, several times.
// Empty lines and those that begin with # are remarks.
func (a *adding) list(ctx context.Context, name string) error {
	in := a.streams.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return record.InputError{Err: err}
		}
		defer file.Close()
		in = file
	}
	r := bufio.NewReaderSize(in, maxLine)
	for n := 1; ; n++ {
		line, err := r.ReadSlice('\n')
		where := fmt.Sprintf("%s:%d: ", name, n)
		if err == bufio.ErrBufferFull {
			a.refuse(where, fmt.Errorf("the line has more than %d bytes", maxLine))
			for err == bufio.ErrBufferFull {
				_, err = r.ReadSlice('\n')
			}
			line = nil
		}
		text := strings.TrimSpace(strings.TrimPrefix(string(line), "\uFEFF"))
		if text != "" && text[0] != '#' {
			if err := a.line(ctx, where, text); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return record.InputError{Err: fmt.Errorf("%s%w", where, err)}
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// line adds the URL of one line of a list.
func (a *adding) line(ctx context.Context, where, text string) error {
	fields := strings.Split(text, "\t")
	i := cluster.Item{URL: fields[0]}
	for _, field := range fields[1:] {
		switch key, value, _ := strings.Cut(field, "="); key {
		case "":
		case "sha256":
			sum, err := download.ParseSum(key + ":" + value)
			if err != nil {
				a.refuse(where, err)
				return nil
			}
			_, i.SHA256, _ = strings.Cut(sum.String(), ":")
		case "out", "mirror":
			a.ignore(key)
		default: // the field is not quoted: it may be a password
			a.refuse(where, errors.New("a field after a TAB has to be out=FILE, sha256=HEX or mirror=URL"))
			return nil
		}
	}
	return a.add(ctx, where, i)
}

// ignore mentions a key that is not used, once.
func (a *adding) ignore(key string) {
	if a.ignored[key] {
		return
	}
	if a.ignored == nil {
		a.ignored = make(map[string]bool)
	}
	a.ignored[key] = true
	a.streams.say("%s= is not used: %s", key, map[string]string{
		"out": "bodies are kept under their SHA-256", "mirror": "a URL is fetched from its own place only",
	}[key])
}
