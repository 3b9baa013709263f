package main

import (
	"context"
	"errors"

	"github.com/seed1ea3422f/fetch/internal/command/demo"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// demonstrate starts servers on this machine and fetches one URL of each scheme from them, or of
// the given schemes.
func demonstrate(ctx context.Context, schemes []string, s *term.Streams) error {
	err := demo.Run(ctx, schemes, s.Sink())
	if _, unknown := errors.AsType[demo.UnknownScheme](err); unknown {
		return record.UsageError{Err: err}
	}
	return err
}
