package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster"
)

// statusCommand shows how far a job is.
func statusCommand(at *server, s streams) *cobra.Command {
	var asJSON, live bool
	c := &cobra.Command{Use: "status", Short: "Show how far the job is", Args: noArguments}
	c.Flags().BoolVar(&asJSON, "json", false, "as an object of JSON")
	c.Flags().BoolVarP(&live, "live", "w", false, "go on until no page waits")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		store, err := at.open(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer store.Close()
		if !live {
			return showStatus(cmd.Context(), store, s.out, asJSON)
		}
		return watchStatus(cmd.Context(), store, s.out, asJSON)
	}
	return c
}

// showStatus writes the status once.
func showStatus(ctx context.Context, store *cluster.Store, out io.Writer, asJSON bool) error {
	status, err := store.Status(ctx)
	if err != nil {
		return err
	}
	return writeStatus(out, status, asJSON)
}

// watchStatus writes the status each second until the job is done. At a terminal each takes the place
// of the one before.
func watchStatus(ctx context.Context, store *cluster.Store, out io.Writer, asJSON bool) error {
	terminal := term.IsTerminal(out) && !asJSON
	lines := 0
	for {
		status, err := store.Status(ctx)
		if err != nil {
			return err
		}
		var b strings.Builder
		if err := writeStatus(&b, status, asJSON); err != nil {
			return err
		}
		text := b.String()
		if terminal && lines > 0 {
			fmt.Fprintf(out, "\x1b[%dA\x1b[J", lines)
		}
		lines = strings.Count(text, "\n")
		if _, err := io.WriteString(out, text); err != nil {
			return record.OutputError{Err: err}
		}
		if status.Done() {
			return nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// writeStatus writes a status as a table, or as a line of JSON.
func writeStatus(out io.Writer, status cluster.Status, asJSON bool) error {
	var b strings.Builder
	if asJSON {
		text, err := record.Marshal(status)
		if err != nil {
			return err
		}
		b.Write(append(text, '\n'))
	} else {
		table(&b, status)
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return record.OutputError{Err: err}
	}
	return nil
}

// table writes a status for a person.
func table(b *strings.Builder, status cluster.Status) {
	failed := int64(0)
	for _, n := range status.Failures {
		failed += n
	}
	fmt.Fprintf(b, "%s: %d pages wait, %d URLs are done, %d of them failed, %.1f MB\n", term.Visible(status.Job), status.Waiting, status.URLs, failed, float64(status.Bytes)/1e6)
	for _, class := range slices.SortedFunc(maps.Keys(status.Failures), func(a, b string) int {
		return cmp.Or(cmp.Compare(status.Failures[b], status.Failures[a]), cmp.Compare(a, b))
	}) {
		if n := status.Failures[class]; n > 0 {
			fmt.Fprintf(b, "  %-16s %d\n", term.Visible(class), n)
		}
	}
	if status.Drained {
		fmt.Fprintln(b, "workers take nothing: fetchd drain --end")
	}
	if status.Free > 0 {
		fmt.Fprintf(b, "%d partitions have no worker\n", status.Free)
	}
	for _, w := range status.Workers {
		fmt.Fprintf(b, "%-20s %3d partitions %6d hosts %7d URLs %4d at once %8.0f/s", term.Visible(w.Name), w.Partitions, w.Hosts, w.URLs, w.Fetching, w.Rate)
		if w.Strange > 0 {
			fmt.Fprintf(b, "; %d pages of another version", w.Strange)
		}
		if w.Trouble != "" {
			fmt.Fprintf(b, "; waits: %s", term.Visible(w.Trouble))
		}
		b.WriteByte('\n')
	}
}
