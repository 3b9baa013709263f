package report

import (
	"context"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/session"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// A Fetch is the report of one URL. The goroutine that fetches the URL calls its methods.
type Fetch struct {
	// Record is the Record so far. The caller sets Output, SHA256, ResumedFrom and
	// Received; End fills in the rest.
	Record *record.Record

	// Outcome is the result of the download to a file. The caller sets it; it is in no Record.
	Outcome Outcome

	run    *Run
	job    job.Job
	asked  bool // the text of the job is a URL, and Record has it
	began  time.Time
	course *course
	heads  *heads
	timing *timing // nil without --write-out
	events *urlEvents
}

// Asked sets the URL of the Record to that of the request. Without Asked the Record has the
// text of the job.
func (f *Fetch) Asked(of *url.URL) {
	f.asked = true
	f.Record.URL, f.Record.Scheme = of.Redacted(), of.Scheme
	f.Record.UnicodeHost = idn.Unicode(of.Host)
}

// Listen returns a context for fetching a URL. Its Trace passes events to the report, and to the
// user with -v.
func (f *Fetch) Listen(ctx context.Context, of *url.URL) context.Context {
	l := &listener{run: f.run, url: of, course: f.course, heads: f.heads, timing: f.timing, events: f.events, read: f.run.wanted() || f.run.dump != nil}
	return l.context(ctx)
}

// Hashed reports whether the Record of a file has its SHA-256. The script of --trace does
// without.
func (f *Fetch) Hashed() bool {
	o := &f.run.options.Output
	return o.JSON || o.Events != "" || o.Format.Has("json")
}

// Live reports whether there are events about the progress of the URL, so that Watch means
// something.
func (f *Fetch) Live() bool { return f.events != nil }

// Watch sets the function that returns how many bytes have arrived, and the size; a size below 1 is
// not known. Another goroutine calls it from time to time, until End.
func (f *Fetch) Watch(amount func() (have, size int64)) { f.events.watch(amount) }

// MoveOn forgets the server and the redirections of a mirror that does not have the file, before
// the next one is tried.
func (f *Fetch) MoveOn() { f.course.moveOn() }

// Answered writes the header of the answer that is res, with --dump-header or --show-headers, for
// a Body that goes to standard output after that. For any other res End does it. The error is a
// record.OutputError.
func (f *Fetch) Answered(res *fetchers.Resource) error { return f.heads.end(res, nil) }

// End reports the result for a file to the user, writes the Record of the URL, with --json, and the
// last event about the URL. res is nil if no answer arrived; err is the failure of the fetch, or
// nil. End returns err, or else the failure to write the Record.
func (f *Fetch) End(res *fetchers.Resource, err error) error {
	r := f.run
	if failed := f.heads.end(res, err); err == nil {
		err = failed
	}
	if err == nil {
		f.tell()
		r.tally.file(f.Outcome, f.Record.Received)
	}
	if !r.wanted() {
		return err
	}
	f.finish(res, err)
	f.events.end(f.Record)
	r.script.ended(f.Record)
	failed := r.writeOut(result{f.Record, res, err, f.timing, r.streams.Words})
	if r.options.Output.JSON {
		failed = JSON(r.streams, f.Record)
	}
	if err == nil {
		err = failed
	}
	return err
}

// finish fills in the facts that are known at the end.
func (f *Fetch) finish(res *fetchers.Resource, err error) {
	rec := f.Record
	if !f.asked {
		rec.URL = f.job.Shown()
	}
	f.course.tell(rec)
	rec.Fill(res, err)
	if fields := headerOf(res, err); fields != nil {
		rec.SetHeaders(fields, http.Masked)
	}
	if rec.Session != nil {
		rec.Session = session.Record(res.Session, f.run.options.Session.ShowPassword)
	}
	rec.Seconds = time.Since(f.began).Seconds()
}
