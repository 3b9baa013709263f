package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// isMetalink reports whether a list begins as XML does, and no list of URLs. It waits
// for no more than it takes to tell: somebody may be typing.
func isMetalink(in *bufio.Reader) bool {
	for n := 1; n <= 256; n++ {
		head, err := in.Peek(n)
		begin := strings.TrimLeft(strings.TrimPrefix(string(head), "\uFEFF"), " \t\r\n")
		open := strings.HasPrefix("\uFEFF", begin)
		for _, mark := range []string{"<?xml", "<metalink", "<!"} {
			if strings.HasPrefix(begin, mark) {
				return true
			}
			open = open || strings.HasPrefix(mark, begin)
		}
		if err != nil || !open {
			return false
		}
	}
	return false
}

// readMetalink reads a list of files that a Metalink describes.
func readMetalink(ctx context.Context, r io.Reader, name string, list chan<- listed) {
	for file, err := range download.ReadMetalink(r) {
		l := listed{job: job{output: file.Name, size: file.Size, sum: file.Sum, pieces: file.Pieces, unsure: file.Unproven, strange: true, where: fmt.Sprintf("%s: %s: ", name, file.Name)}, err: err}
		places := slices.DeleteFunc(file.URLs, isElsewhere)
		switch {
		case err == nil && len(places) == 0:
			l.err = fetchers.ErrNotRetrievable
		case err == nil:
			l.job.text, l.job.mirrors = places[0], places[1:]
		case file.Name == "":
			l.job.where = name + ": "
		}
		if l.err != nil {
			l.err = inputError{fmt.Errorf("%s%w", l.job.where, l.err)}
		}
		select {
		case list <- l:
		case <-ctx.Done():
			return
		}
	}
}

// isElsewhere reports whether a stranger has no business to say that a file is at a
// URL: it leads where redirections do.
func isElsewhere(text string) bool {
	u, err := url.Parse(text)
	return err != nil || !strings.Contains(" "+web+" "+files+" ", " "+u.Scheme+" ") || u.User != nil
}

// forStrangers returns an error if a flag was given whose secret would be sent to
// whoever a Metalink names.
func (a *app) forStrangers() error {
	for _, name := range []string{"user", "header", "cookie"} {
		if a.isSet(name) {
			return usageError{errors.New("--" + name + " is not for the servers that a Metalink names")}
		}
	}
	return nil
}
