package main

import (
	"cmp"
	"context"
	"runtime/debug"

	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// each calls do for the URLs of a run, one after the other. A failure is reported, and the
// other URLs are tried. The caller adds the failures after the last URL.
func each(ctx context.Context, o *option.Options, urls []string, s *term.Streams, do func(context.Context, job.Job) error) *failures {
	tuneForLists(o)
	f := &failures{streams: s}
	n := 0
	for j, err := range job.All(ctx, o, urls, s.In, nil) {
		n++
		if err == nil {
			err = report.Unexpanded(j, o.Input, do(ctx, j))
		}
		f.add(n, err)
		if ctx.Err() != nil || f.hopeless() {
			break
		}
	}
	return f
}

// tuneForLists lets the garbage collector run less often if there is a list or a tree: little memory
// is held, and much of it is new for each of many files.
func tuneForLists(o *option.Options) {
	if o.Input.List != "" || o.Tree.Active {
		debug.SetGCPercent(200)
		debug.SetMemoryLimit(64 << 20)
	}
}

// finish saves what the run has learned, and ends its report. The error is that of the run.
func finish(ctx context.Context, st *stack.Stack, run *report.Run, failed *failures) error {
	failed.add(afterAll, st.Save(ctx))
	failed.add(afterAll, run.EndFiles())
	st.CloseIdle() // a connection that ends may send something more, which the script has
	failed.add(afterAll, run.EndScript(cmp.Or(failed.err(), ctx.Err())))
	return failed.result(ctx)
}
