package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// The streams of the command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// say writes a line for a person.
func (s streams) say(format string, args ...any) {
	sayMutex.Lock()
	defer sayMutex.Unlock()
	fmt.Fprintf(s.err, "fetchd: %s\n", term.Visible(fmt.Sprintf(format, args...)))
}

var sayMutex sync.Mutex

// run runs the command, and returns its exit status.
func run(ctx context.Context, args []string, s streams) int {
	root := &cobra.Command{
		Use: "fetchd", Short: "Fetch lists of URLs on several machines",
		SilenceErrors: true, SilenceUsage: true, CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if c.Name() == option.Work {
			return option.Mistyped(option.Work, err)
		}
		return record.UsageError{Err: err}
	})
	var at server
	at.bind(root.PersistentFlags())
	root.AddCommand(upCommand(s), addCommand(&at, s), workCommand(&at, s), statusCommand(&at, s), recordsCommand(&at, s), drainCommand(&at, s), retryCommand(&at, s))
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return record.ExitOK
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return record.ExitInterrupted
	case strings.HasPrefix(err.Error(), "unknown command"):
		err = record.UsageError{Err: err}
	}
	s.say("%s", record.Text(err))
	_, exit := record.Classify(err)
	return exit
}

// noArguments refuses arguments.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return record.UsageError{Err: fmt.Errorf("the argument %q means nothing here", args[0])}
	}
	return nil
}
