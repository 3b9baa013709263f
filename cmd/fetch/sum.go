package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/job"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/option"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/report"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/stack"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
)

// sumOptions are those of the verb sum.
type sumOptions struct {
	URLs  []string
	Fetch *option.Options // how URLs are fetched, and the list of more of them
}

// sum writes the SHA-256 of the content of URLs, in the form that sha256sum has.
func sum(ctx context.Context, o sumOptions, s *term.Streams) error {
	st, err := stack.Build(ctx, o.Fetch, s)
	if err != nil {
		return err
	}
	defer st.CloseIdle()
	run, err := report.Open(ctx, o.Fetch, s, version())
	if err != nil {
		return err
	}
	failed := each(ctx, o.Fetch, o.URLs, s, func(ctx context.Context, j job.Job) error {
		req, err := st.Request(j)
		if err != nil {
			return err
		}
		ctx, cancel := st.Timed(ctx)
		defer cancel()
		res, err := st.Fetcher.Fetch(run.Listen(ctx, req.URL), req)
		if err != nil {
			return err
		}
		defer res.Close()
		if err := st.Deliverable(res); err != nil {
			return err
		}
		hash := sha256.New()
		if _, err := io.Copy(hash, res.Body); err != nil {
			return err
		}
		return s.WriteLine(fmt.Appendf(nil, "%x  %s", hash.Sum(nil), term.Visible(res.URL.Redacted())))
	})
	return finish(ctx, st, run, failed)
}
