package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster"
	"github.com/seed1ea3422f/fetch/cluster/sink"
)

// workCommand fetches the URLs of a job.
func workCommand(at *server, s streams) *cobra.Command {
	var place, state string
	var b bucket
	var flush float64
	o := option.Defaults()
	w := cluster.Worker{Say: func(text string) { s.say("%s", text) }}
	c := &cobra.Command{Use: "work", Short: "Fetch the URLs of the job, until it is interrupted", Args: noArguments}
	f := c.Flags()
	f.StringVar(&place, "sink", "", "directory for the bodies, or s3://BUCKET/PREFIX")
	f.StringVar(&state, "state", "", "directory for what may be lost (default: in the cache of the user)")
	f.StringVar(&w.Name, "name", "", "name of the worker in the status (default: that of the machine)")
	f.Float64Var(&flush, "flush", 1, "seconds that a record may wait for others")
	b.bind(f)
	option.Bind(f, option.Work, &o)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if place == "" {
			return record.UsageError{Err: errors.New("--sink says where the bodies go: a directory, or s3://BUCKET/PREFIX")}
		}
		w.Flush = time.Duration(flush * float64(time.Second))
		st, err := build(cmd.Context(), cmd, &o, &w, s)
		if err != nil {
			return err
		}
		defer st.CloseIdle()
		bodies, err := openSink(place, &b)
		if err != nil {
			return err
		}
		if closer, ok := bodies.(io.Closer); ok {
			defer closer.Close()
		}
		store, err := at.open(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer store.Close()
		if state == "" {
			cache, err := os.UserCacheDir()
			if err != nil {
				return record.UsageError{Err: fmt.Errorf("--state is missing: %w", err)}
			}
			state = filepath.Join(cache, "fetchd")
		}
		w.Store, w.Sink, w.Dir = store, bodies, filepath.Join(state, store.Job())
		err = w.Run(cmd.Context())
		return cmp.Or(err, st.Save(context.WithoutCancel(cmd.Context())))
	}
	return c
}

// openSink returns the sink of a name.
func openSink(place string, b *bucket) (sink.Sink, error) {
	if strings.HasPrefix(place, "s3://") {
		return b.open(place)
	}
	d, err := sink.NewDir(place)
	if err != nil {
		return nil, record.OutputError{Err: err}
	}
	return d, nil
}
