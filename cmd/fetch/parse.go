package main

import (
	"context"
	"fmt"

	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// parseOptions are the options of the verb parse.
type parseOptions struct {
	URLs    []string
	Options *option.Options
}

// parse writes the parts of URLs. It reaches no network.
func parse(ctx context.Context, o parseOptions, s *term.Streams) error {
	return each(ctx, o.Options, o.URLs, s, func(_ context.Context, j job.Job) error {
		u, err := job.Understood(j, o.Options.Verbs)
		if err != nil {
			return err
		}
		parts, err := report.ParsedOf(j.Text, u)
		if err != nil {
			return fmt.Errorf("%s%w", j.Where, err)
		}
		if !o.Options.Output.JSON {
			return report.WriteParsed(s, parts)
		}
		return report.JSON(s, parts)
	}).result(ctx)
}
