package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/url"
)

// waisFlags are what only WAIS has.
type waisFlags struct {
	like    []string
	maxHits int

	server  string                    // that of like
	gateway func(u *url.URL) *url.URL // the HTTP proxy that is asked for u; nil if none is
}

func (f *waisFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.like, "like", nil, "search for documents like that of the wais `URL`, too")
	f.maxHits = 100
	flags.Var(&count{&f.maxHits, 1, 5000}, "max-hits", "ask a search for at most `N` hits")
}

// apply writes the flags into client.
func (f *waisFlags) apply(client *wais.Fetcher) error {
	client.MaxHits = f.maxHits
	for _, text := range f.like {
		u, err := url.Parse(url.Unwrap(text))
		if err != nil {
			return usageError{fmt.Errorf("--like %s: %w", url.Redact(text), err)}
		}
		w, err := u.WAIS()
		if err == nil && w.WPath == "" {
			err = errors.New("no document")
		}
		if err != nil {
			return usageError{fmt.Errorf("--like %s: %w", u.Redacted(), err)}
		}
		if f.server != "" && f.server != u.Addr() {
			return usageError{errors.New("the documents of --like are of several servers, none of which knows those of another")}
		}
		f.server = u.Addr()
		client.Like = append(client.Like, w.WPath)
	}
	return nil
}

// ask returns an error if --like means nothing for req: if that is about another
// server, or no search, or if it is not we who ask the server. given are the flags that were given.
func (f *waisFlags) ask(req *fetchers.Request, given map[string]bool) error {
	if (given["like"] || given["max-hits"]) && f.gateway != nil && f.gateway(req.URL) != nil {
		return usageError{fmt.Errorf("%s: an HTTP proxy knows neither --like nor --max-hits: add -p", req.URL.Redacted())}
	}
	if f.server == "" {
		return nil
	}
	if w, err := req.URL.WAIS(); err == nil && w.WPath != "" {
		return usageError{fmt.Errorf("%s: --like is for searches, and this is a document", req.URL.Redacted())}
	}
	if f.server != req.URL.Addr() {
		return usageError{fmt.Errorf("%s: a server knows its own documents only, and that of --like is at %s", req.URL.Redacted(), f.server)}
	}
	return nil
}

// pointed returns the database that a file on this machine points to, if it is a
// WAIS source description: one that is named as an argument, or by a file URL, and
// is called .src. It returns nil if text names anything else.
func (a *app) pointed(j job, text string, u *url.URL) (*url.URL, error) {
	if a.client == nil || !strings.HasSuffix(strings.ToLower(text), ".src") || a.blocksFiles() != nil {
		return nil, nil
	}
	var in io.ReadCloser
	switch {
	case u != nil && u.Scheme == "file":
		files := a.local()
		res, err := files.Fetch(context.Background(), &fetchers.Request{URL: u})
		if err != nil || res.Kind != fetchers.Document {
			return nil, nil // and what is wrong with it will be said
		}
		in = res.Body
	case u == nil && j.where == "":
		info, err := os.Stat(text)
		if err != nil || !info.Mode().IsRegular() {
			return nil, nil
		}
		if in, err = os.Open(text); err != nil {
			return nil, inputError{err}
		}
	default:
		return nil, nil
	}
	defer in.Close()
	source, err := wais.ParseSource(in)
	if errors.Is(err, wais.ErrNotSource) {
		return nil, nil
	}
	if err == nil {
		u, err = source.URL()
	}
	if err != nil {
		return nil, inputError{fmt.Errorf("%s: %w", url.Redact(text), err)}
	}
	if a.verbose {
		a.say("* %s points to %s", url.Redact(text), u.Redacted())
	}
	return u, nil
}
