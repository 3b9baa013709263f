package report

import (
	"context"
	"time"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/job"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/session"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A URL is the report of one URL. The goroutine that fetches the URL calls its methods.
type URL struct {
	// Record is the Record so far. The caller sets Output, SHA256, ResumedFrom and
	// Received; End fills in the rest.
	Record *record.Record

	// Kept is the name of the file that is there already and that stays, since the server
	// has nothing newer. It is for the caller, and in no Record.
	Kept string

	run    *Run
	job    job.Job
	asked  bool // the text of the job is a URL, and Record has it
	began  time.Time
	story  *story
	events *urlEvents
}

// Asked sets the URL of the Record to that of the request. Without Asked the Record has the
// text of the job.
func (u *URL) Asked(of *url.URL) {
	u.asked = true
	u.Record.URL, u.Record.Scheme = of.Redacted(), of.Scheme
}

// Listen returns a context for fetching a URL, whose Trace tells the report what happens,
// and tells the user with -v.
func (u *URL) Listen(ctx context.Context, of *url.URL) context.Context {
	l := &listener{run: u.run, url: of, story: u.story, events: u.events, read: u.run.Wanted()}
	return l.context(ctx)
}

// Live reports whether there are events about the progress of the URL, so that Watch means
// something.
func (u *URL) Live() bool { return u.events != nil }

// Watch sets the function that tells how many bytes there are, and how many there will be;
// a size below 1 is not known. It is called from time to time by another goroutine, until
// End.
func (u *URL) Watch(amount func() (have, size int64)) { u.events.watch(amount) }

// MoveOn forgets the server and the redirections of a place that does not have the file,
// before the next place is asked.
func (u *URL) MoveOn() { u.story.moveOn() }

// End writes the Record of the URL, with --json, and the last event about it. res is nil if
// nothing came; err is the failure of the fetch, or nil. End returns err, or else the
// failure to write the Record.
func (u *URL) End(res *fetchers.Resource, err error) error {
	r := u.run
	if !r.Wanted() {
		return err
	}
	u.finish(res, err)
	u.events.end(u.Record)
	r.script.ended(u.Record)
	if !r.options.Output.JSON {
		return err
	}
	if failed := JSON(r.streams, u.Record); err == nil {
		err = failed
	}
	return err
}

// finish fills in the facts that are known at the end.
func (u *URL) finish(res *fetchers.Resource, err error) {
	rec := u.Record
	if !u.asked {
		rec.URL = u.job.Shown()
	}
	u.story.tell(rec)
	rec.Fill(res, err)
	if rec.Session != nil {
		rec.Session = session.Record(res.Session, u.run.options.Session.ShowPassword)
	}
	rec.Seconds = time.Since(u.began).Seconds()
}
