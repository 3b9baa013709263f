package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/cluster"
	"github.com/seed1ea3422f/fetch/cluster/sink"
	"github.com/seed1ea3422f/fetch/record"
)

// workCommand fetches the URLs of a job.
func workCommand(at *server, s streams) *cobra.Command {
	var place, state string
	var o stackOptions
	var b bucket
	w := cluster.Worker{Say: func(text string) { s.say("%s", text) }}
	c := &cobra.Command{Use: "work", Short: "Fetch the URLs of the job, until it is interrupted", Args: noArguments}
	f := c.Flags()
	f.StringVar(&place, "sink", "", "directory for the bodies, or s3://BUCKET/PREFIX")
	f.StringVar(&state, "state", "", "directory for what may be lost (default: in the cache of the user)")
	f.StringVar(&w.Name, "name", "", "name of the worker in the status (default: that of the machine)")
	f.IntVarP(&w.Most, "parallel-max", "j", 100, "URLs that are fetched at once")
	f.DurationVar(&w.Flush, "flush", time.Second, "time that a record may wait for others")
	o.bind(f)
	b.bind(f)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if place == "" {
			return record.UsageError{Err: errors.New("--sink says where the bodies go: a directory, or s3://BUCKET/PREFIX")}
		}
		tune()
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
		if err := o.build(&w); err != nil {
			return err
		}
		defer o.closeIdle()
		return w.Run(cmd.Context())
	}
	return c
}

// tune has the garbage collector run less often than usual while there is little memory in use.
func tune() {
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(96 << 20)
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
