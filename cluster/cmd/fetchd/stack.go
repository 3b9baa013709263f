package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"

	"github.com/seed1ea3422f/fetch/cluster"
)

// build gives w the Fetcher, the pace and the limits of the flags of c, which are those of fetch that
// option.Work has. The caller calls CloseIdle and Save of the Stack at the end.
func build(ctx context.Context, c *cobra.Command, o *option.Options, w *cluster.Worker, s streams) (*stack.Stack, error) {
	if err := o.Complete(ctx, c.Flags(), option.Work, nil); err != nil {
		return nil, err
	}
	o.Tree.Active = true // its pace is that of a mirror
	if o.Tree.Wait > 0 && !o.IsSet("per-host") {
		o.Files.PerHost = 1
	}
	messages := term.New(strings.NewReader(""), s.out, s.err).With(term.Settings{
		Silent: o.Output.Silent, ShowError: o.Output.ShowError, Verbose: o.Output.Verbose,
	})
	st, err := stack.Build(ctx, o, messages)
	if err != nil {
		return nil, err
	}
	st.Pace.Enforce = true
	w.Hosts, w.Pace, w.Courtesy, w.Most = st.Hosts, st.Pace, st.Courtesy, o.Files.ParallelMax
	w.Fetcher = remote{st, st.Asking()}
	if o.Tree.Robots == "on" {
		w.Robots = &robots.Cache{Fetcher: w.Fetcher, Agent: stack.Agent}
	}
	return st, nil
}

// A remote is a Fetcher without the files of this machine: a list is for all machines, and may be from
// another one. It fetches the schemes of --proto only.
type remote struct {
	stack *stack.Stack
	next  fetchers.Fetcher
}

var errLocal = errors.New("a file of one machine is not for a cluster")

func (r remote) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if url.Local(req.URL.Scheme) {
		return nil, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w: %w", fetchers.ErrUnknownScheme, errLocal))
	}
	if err := r.stack.CheckProto(req.URL); err != nil {
		return nil, err
	}
	return r.next.Fetch(ctx, req)
}
