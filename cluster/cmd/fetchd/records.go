package main

import (
	"bufio"
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/cluster"
	"github.com/seed1ea3422f/fetch/record"
)

// recordsCommand writes the records of a job.
func recordsCommand(at *server, s streams) *cobra.Command {
	var o cluster.Records
	c := &cobra.Command{Use: "records", Short: "Write the records of the job, a line of JSON each", Args: noArguments}
	c.Flags().BoolVar(&o.Final, "final", false, "only the last record of each URL")
	c.Flags().BoolVar(&o.Follow, "follow", false, "go on with those that come")
	c.MarkFlagsMutuallyExclusive("final", "follow")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		store, err := at.open(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer store.Close()
		out := bufio.NewWriter(s.out)
		invalid := 0
		for r, err := range store.Records(cmd.Context(), o) {
			switch {
			case errors.Is(err, cluster.ErrInvalid):
				invalid++
				s.say("%s", record.Text(err))
				continue
			case err != nil:
				return err
			}
			line, err := record.Marshal(r.Record)
			if err != nil {
				return err
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return record.OutputError{Err: err}
			}
			if o.Follow {
				if err := out.Flush(); err != nil {
					return record.OutputError{Err: err}
				}
			}
		}
		if err := out.Flush(); err != nil {
			return record.OutputError{Err: err}
		}
		if invalid > 0 {
			return record.InputError{Err: errors.New("some messages are not records, and were left out")}
		}
		return cmd.Context().Err()
	}
	return c
}
