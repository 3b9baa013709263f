package main

import (
	"context"
	"errors"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// lsOptions are the options of the verb ls.
type lsOptions struct {
	URLs    []string
	Options *option.Options
}

// ls writes the entries of listings. A document is its own entry.
func ls(ctx context.Context, o lsOptions, s *term.Streams) error {
	st, err := stack.Build(ctx, o.Options, s)
	if err != nil {
		return err
	}
	defer st.CloseIdle()
	run, err := report.Open(ctx, o.Options, s, version())
	if err != nil {
		return err
	}
	failed := each(ctx, o.Options, o.URLs, s, func(ctx context.Context, j job.Job) error {
		req, err := st.Request(j)
		if err != nil {
			return err
		}
		ctx, cancel := st.Timed(ctx)
		defer cancel()
		return o.list(run.Listen(ctx, req.URL), req, st, s)
	})
	return finish(ctx, st, run, failed)
}

// list writes the entries of the URL of a request.
func (o *lsOptions) list(ctx context.Context, req *fetchers.Request, st *stack.Stack, s *term.Streams) error {
	if req.URL.Scheme == "s3" {
		req.List = true // a key without a slash is a directory if there is no object of that name
	}
	res, err := st.Fetcher.Fetch(ctx, req)
	listing, noListing := st.Index(ctx, req, res, err)
	switch {
	case errors.Is(noListing, stack.ErrNoIndex) && o.Options.Output.Raw: // --raw shows the page as the server has sent it
	case noListing != nil:
		res.Close()
		return noListing
	case listing != nil && listing != res:
		res.Close()
		res, err = listing, nil
	}
	if err != nil {
		return err
	}
	defer res.Close()
	return report.List(s, o.Options.Output, res)
}
