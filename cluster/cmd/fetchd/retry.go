package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/record"
)

// retryCommand queues URLs again that failed.
func retryCommand(at *server, s streams) *cobra.Command {
	c := &cobra.Command{Use: "retry CLASS...", Short: "Fetch the URLs again whose last record has a class of failure"}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return record.UsageError{Err: errors.New("there is no class of failure, such as timeout")}
		}
		var classes []record.Class
		for _, arg := range args {
			class := record.Class(arg)
			if !slices.Contains(record.Classes(), class) {
				return record.UsageError{Err: fmt.Errorf("%q is no class of failure", arg)}
			}
			classes = append(classes, class)
		}
		store, err := at.open(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer store.Close()
		queued, hidden, err := store.Retry(cmd.Context(), classes...)
		if err != nil {
			return err
		}
		s.say("%d URLs are queued again", queued)
		if hidden > 0 {
			return record.InputError{Err: fmt.Errorf("%d URLs have secrets that their records do not show: add them again", hidden)}
		}
		return nil
	}
	return c
}
