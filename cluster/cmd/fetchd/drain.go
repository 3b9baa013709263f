package main

import (
	"time"

	"github.com/spf13/cobra"
)

// drainCommand has workers take nothing any more.
func drainCommand(at *server, s streams) *cobra.Command {
	var over bool
	c := &cobra.Command{Use: "drain", Short: "Have workers end their fetches and take nothing any more", Args: noArguments}
	c.Flags().BoolVar(&over, "end", false, "have them take URLs again")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		store, err := at.open(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer store.Close()
		if err := store.Drain(cmd.Context(), !over); err != nil || over {
			return err
		}
		for quiet := 0; ; quiet++ { // until they have ended
			status, err := store.Status(cmd.Context())
			if err != nil {
				return err
			}
			held := 0
			for _, w := range status.Workers {
				held += w.Partitions
			}
			if held > 0 {
				quiet = 0
			}
			// The number of a worker is as old as its beat, 2 seconds. A dead worker is not in the status.
			if status.Free == 256 || quiet == 4 {
				return nil
			}
			select {
			case <-time.After(time.Second):
			case <-cmd.Context().Done():
				return cmd.Context().Err()
			}
		}
	}
	return c
}
