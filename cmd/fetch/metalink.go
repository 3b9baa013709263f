package main

import (
	"bufio"
	"bytes"
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

// isMetalink reports whether a list begins as XML does, and no list of URLs.
func isMetalink(in *bufio.Reader) bool {
	head, _ := in.Peek(256)
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<?xml")) || bytes.HasPrefix(head, []byte("<metalink")) || bytes.HasPrefix(head, []byte("<!"))
}

// readMetalink reads a list of files that a Metalink describes.
func readMetalink(ctx context.Context, r io.Reader, name string, list chan<- listed) {
	for file, err := range download.ReadMetalink(r) {
		l := listed{job: job{output: file.Name, sum: file.Sum, pieces: file.Pieces, strange: true, where: fmt.Sprintf("%s: %s: ", name, file.Name)}, err: err}
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
