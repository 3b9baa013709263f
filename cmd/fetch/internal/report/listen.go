package report

import (
	"context"
	"fmt"
	"time"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// Listen returns a context for fetching a URL that has no Record, such as a listing. Its
// Trace tells the user what happens with -v, and the script of --trace.
func (r *Run) Listen(ctx context.Context, of *url.URL) context.Context {
	l := &listener{run: r, url: of, course: newCourse()}
	return l.context(ctx)
}

// A listener has the functions of a Trace.
type listener struct {
	run    *Run
	url    *url.URL
	course *course
	events *urlEvents
	read   bool // the redirections of the course are for a Record or an event
}

func (l *listener) context(ctx context.Context) context.Context {
	trace := &fetchers.Trace{
		Connect: l.connected, Reuse: l.reused, Follow: l.followed, Retry: l.retried, Warn: l.warned,
	}
	if script := l.run.script; script != nil {
		script.asked(l.url)
		trace.Tap = script.tap
	}
	if s := l.run.streams; l.run.options.Output.Verbose { // a client puts lines together only for a Trace that wants them
		trace.Note = l.aloud
		trace.Login = func(o fetchers.Origin, source string) { l.aloud("login for " + o.Host + " from " + source) }
		trace.Sent = func(line string) { s.Aloud(">", line) }
		trace.Got = func(line string) { s.Aloud("<", line) }
	}
	l.named(l.url)
	return fetchers.WithTrace(ctx, trace)
}

// named tells the user, with -v, how a host is written in other letters than those of ASCII.
func (l *listener) named(u *url.URL) {
	if name := idn.Unicode(u.Host); name != "" {
		l.aloud("the host " + u.Host + " is " + name)
	}
}

// aloud tells the user of an event on the way, with -v.
func (l *listener) aloud(text string) { l.run.streams.Aloud("*", text) }

func (l *listener) connected(_, addr string, err error) {
	if err != nil {
		l.aloud(fmt.Sprintf("no connection to %s: %v", addr, err))
		return
	}
	l.aloud("connected to " + addr)
	l.course.reach(addr)
}

func (l *listener) reused(addr string) {
	l.aloud("connection kept from before is used again: " + addr)
	l.course.reach(addr)
}

func (l *listener) followed(from, to *url.URL) {
	l.aloud("redirected to " + to.Redacted())
	if to.Host != from.Host {
		l.named(to)
	}
	l.run.script.asked(to)
	if l.read && l.course.follow(from, to) {
		l.events.redirect(from, to)
	}
}

func (l *listener) retried(try int, wait time.Duration, err error) {
	l.run.streams.Say("fetch: %s; trying again in %.1fs", term.OneLine(fetchers.NewError("fetch", l.url, err)), wait.Seconds())
	l.events.retry(try, wait, err)
	l.course.retry()
}

func (l *listener) warned(text string) {
	if l.course.warn(text) {
		l.run.streams.Say("fetch: %s: %s", l.url.Redacted(), text)
	}
}
