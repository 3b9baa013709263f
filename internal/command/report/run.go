package report

import (
	"context"
	"errors"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// A Run is the report of all URLs of one run. Its methods may be called by several
// goroutines, except for EndFiles and Close.
type Run struct {
	options *option.Options
	streams *term.Streams
	events  *events // nil without --events
	script  *script // nil without --trace
	dump    *dump   // nil without --dump-header and --show-headers
	tally   tally
}

// Open begins the report of a run, with the files of --events, --trace and --dump-header; version
// is that of the command. ctx ends the wait for a file that is a pipe. The error is a
// record.OutputError. The caller calls EndFiles and EndScript.
func Open(ctx context.Context, o *option.Options, s *term.Streams, version string) (*Run, error) {
	r := &Run{options: o, streams: s, tally: tally{began: time.Now()}}
	var err error
	if r.events, err = openEvents(ctx, o.Output.Events); err != nil {
		return nil, err
	}
	if r.script, err = openScript(ctx, o, version); err != nil {
		r.events.close()
		return nil, err
	}
	if r.dump, err = openDump(ctx, &o.Output, s); err != nil {
		r.events.close()
		return nil, err
	}
	return r, nil
}

// EndFiles ends the files of --events and --dump-header, after the last URL. The error is a
// record.OutputError about the first line that is missing. EndFiles may be called again.
func (r *Run) EndFiles() error { return errors.Join(r.events.close(), r.dump.close()) }

// EndScript writes the script of --trace; failure is that of the run, or nil. A connection
// that ends by Client.CloseIdle may still send something, so the script is whole only if
// EndScript is called after that. The error is a record.OutputError.
func (r *Run) EndScript(failure error) error { return r.script.close(failure) }

// wanted reports whether a file or standard output gets the Record of each URL.
func (r *Run) wanted() bool {
	o := &r.options.Output
	return o.JSON || o.Events != "" || o.Trace != "" || !o.Format.IsZero()
}

// Begin begins the report of a URL, and writes an event about that. The caller ends it by
// Fetch.End.
func (r *Run) Begin(j job.Job) *Fetch {
	now := time.Now()
	f := &Fetch{
		Record: record.New(nil, now), run: r, job: j, began: now,
		course: newCourse(), heads: &heads{to: r.dump}, events: r.events.begin(record.EventStart, j),
	}
	if !r.options.Output.Format.IsZero() {
		f.timing = &timing{began: now}
	}
	return f
}

// Skip reports a URL that is not fetched, since an earlier run has fetched it or its file exists:
// by an event, and by a Record with --json. The summary counts it too.
func (r *Run) Skip(j job.Job) error {
	r.tally.skip()
	r.events.begin(record.EventSkip, j)
	if !r.options.Output.JSON && r.options.Output.Format.IsZero() {
		return nil
	}
	now := time.Now()
	rec := record.New(j.URL, now)
	if j.URL == nil {
		rec.URL = j.Shown()
	}
	kind := fetchers.Unchanged.String()
	rec.Kind, rec.Complete, rec.Attempts = &kind, record.Unconfirmed, 0
	rec.Fill(nil, nil)
	rec.Seconds = time.Since(now).Seconds()
	if r.options.Output.JSON {
		return JSON(r.streams, rec)
	}
	return r.writeOut(result{record: rec, timing: new(timing)})
}

// JSON writes v to standard output as a line of JSON.
func JSON(s *term.Streams, v any) error {
	text, err := record.Marshal(v)
	if err != nil {
		return err
	}
	return s.WriteLine(text)
}

// orNull returns nil for a zero value, which JSON shows as null.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
