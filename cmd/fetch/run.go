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

// each calls do for the URLs of a run, one after the other. It reports a failure, and goes on with
// the other URLs. The caller adds the failures after the last URL.
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

// tuneForLists lets the garbage collector run less often if there is a list or a tree: the program
// holds little memory, and allocates much of it anew for each file.
func tuneForLists(o *option.Options) {
	if o.Input.List != "" || o.Tree.Active {
		debug.SetGCPercent(200)
		debug.SetMemoryLimit(64 << 20)
	}
}

// finish saves the state that the run has learned, and ends its report. The error is the error of
// the run.
func finish(ctx context.Context, st *stack.Stack, run *report.Run, failed *failures) error {
	failed.add(afterAll, st.Save(ctx))
	failed.add(afterAll, run.EndFiles())
	st.CloseIdle() // the end of a connection may add bytes, which the script has to contain
	failed.add(afterAll, run.EndScript(cmp.Or(failed.err(), ctx.Err())))
	return failed.result(ctx)
}
