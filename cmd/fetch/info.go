package main

import (
	"context"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// infoOptions are the options of the verb info.
type infoOptions struct {
	URLs    []string
	Options *option.Options
}

// info describes the resources of URLs, without their content.
func info(ctx context.Context, o infoOptions, s *term.Streams) error {
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
		fetch := run.Begin(j)
		res, err := describe(ctx, j, st, fetch)
		if failed := o.tell(s, res, err); err == nil {
			err = failed
		}
		return fetch.End(res, err)
	})
	return finish(ctx, st, run, failed)
}

// tell writes the description of a resource, for -I or info. With -I it writes the status line and
// the header of HTTP, also of a refusal; otherwise it writes facts. With --json the record has all
// that, and tell writes nothing. err is the failure of the request.
func (o infoOptions) tell(s *term.Streams, res *fetchers.Resource, err error) error {
	if o.Options.Output.JSON {
		return nil
	}
	if o.Options.Output.Head {
		if told, failed := report.WriteHead(s, res, err); told {
			return failed
		}
	}
	if err != nil {
		return nil
	}
	return report.Describe(s, o.Options.Session, res)
}

// describe requests the description of the URL of a job. It closes the Resource.
func describe(ctx context.Context, j job.Job, st *stack.Stack, fetch *report.Fetch) (*fetchers.Resource, error) {
	req, err := st.Request(j)
	if err != nil {
		return nil, err
	}
	fetch.Asked(req.URL)
	req.Describe = true
	ctx, cancel := st.Timed(ctx)
	defer cancel()
	res, err := st.Conditional.Fetch(fetch.Listen(ctx, req.URL), req)
	if err != nil {
		return res, err
	}
	defer res.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil { // the body is empty, and its end confirms that
		return res, err
	}
	return res, st.KeepETag(ctx, res)
}
