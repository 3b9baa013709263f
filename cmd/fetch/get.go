package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/keep"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/session"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// getOptions are the options of fetch without a verb.
type getOptions struct {
	URLs    []string
	Options *option.Options
}

// A getter fetches the URLs of a run.
type getter struct {
	o       *option.Options
	streams *term.Streams
	stack   *stack.Stack
	run     *report.Run
	files   *keep.Files
	failed  *failures
}

// get dereferences URLs, to standard output or to files.
func get(ctx context.Context, o getOptions, s *term.Streams) error {
	if o.Options.Output.Head {
		return info(ctx, infoOptions(o), s)
	}
	st, err := stack.Build(ctx, o.Options, s)
	if err != nil {
		return err
	}
	defer st.CloseIdle()
	files, err := keep.Open(o.Options, o.Options.Several(o.URLs), st, s)
	if err != nil {
		return err
	}
	run, err := report.Open(ctx, o.Options, s, version())
	if err != nil {
		return errors.Join(err, files.Close())
	}
	g := &getter{o: o.Options, streams: s, stack: st, run: run, files: files, failed: &failures{streams: s, ctx: ctx}}
	g.all(ctx, o.URLs)
	s.Progress.Close()
	g.failed.add(afterAll, files.Finish())
	g.failed.add(afterAll, files.Close())
	run.Summarize(g.failed.classes)
	err = finish(ctx, st, run, g.failed)
	if errors.Is(ctx.Err(), context.Canceled) {
		s.Complain(errors.New(files.Interrupted()))
		return reported{err}
	}
	return err
}

// all fetches all URLs. Downloads to files run several at a time; standard output gets the other
// resources in the order of their URLs.
func (g *getter) all(ctx context.Context, urls []string) {
	tuneForLists(g.o)
	over := func() bool { return ctx.Err() != nil || g.failed.hopeless() }
	q := queue.Queue{Most: atOnce(g.o), Room: g.room}
	apart := crowd{multiplexes: g.stack.Multiplexes, start: func(n numbered) {
		host := g.stack.Hosts.Key(n.file.URL)
		at, file := n.at, packed(n.file)
		q.Do(ctx, host, func(ctx context.Context) {
			if over() {
				return
			}
			f := file()
			ctx = g.stack.Hosts.Context(fetchers.WithPause(ctx, queue.Pause), g.stack.Hosts.Key(f.URL))
			g.failed.add(at, g.one(ctx, f))
		})
	}}
	wait := func() {
		apart.release()
		q.Wait(context.WithoutCancel(ctx)) // also waits for the fetches that end with ctx
	}
	n := 0
	for j, err := range job.All(ctx, g.o, urls, g.streams.In, apart.release) {
		n++
		at, f := n, keep.File{Job: j}
		switch {
		case err != nil:
			wait() // failures are reported in the order of the list
			g.failed.add(at, err)
		case g.o.Output.DryRun:
			g.failed.add(at, g.plan(f))
		case g.files.Apart(&f):
			g.files.Claim(&f)
			f.There = !g.files.Done(f.Job) && g.files.Exists(f) // before a later job makes the file
			apart.add(numbered{at, f})
		default:
			wait()
			g.failed.add(at, g.one(ctx, f))
		}
		if over() {
			break
		}
	}
	wait()
}

// packed returns a function that returns f. Thousands of files may wait, and most have a text and
// nothing else: for these, the function holds only the text.
func packed(f keep.File) func() keep.File {
	text, where, multiplex := f.Text, f.Where, f.Multiplex
	plain := func() keep.File {
		return keep.File{Job: job.Job{Text: text, Where: where}, Multiplex: multiplex}
	}
	whole := f
	whole.URL = nil
	file := plain
	if !reflect.DeepEqual(whole, plain()) {
		file = func() keep.File { return whole }
	}
	return func() keep.File {
		f := file()
		f.URL, _ = f.Parse() // Apart has parsed the text before
		return f
	}
}

// room returns how many URLs of a host are fetched at the same time: each may take as many
// connections as --segments allows.
func (g *getter) room(host string) int {
	return max(g.stack.Hosts.Room(host)/max(g.o.Files.Segments, 1), 1)
}

// atOnce returns how many URLs are fetched at the same time: the number of -j, or by default fewer
// if the process may not have enough descriptors open.
func atOnce(o *option.Options) int {
	if o.IsSet("parallel-max") {
		return o.Files.ParallelMax
	}
	const (
		each   = 5   // a connection, one more for the data of FTP, a file, and a pipe
		others = 300 // kept connections, and the files of the run itself
	)
	return min(o.Files.ParallelMax, max((descriptors()-others)/each, 8))
}

// plan writes the name of the file to which a URL would be fetched.
func (g *getter) plan(f keep.File) error {
	req, err := g.stack.Request(f.Job)
	if err != nil || g.files.Done(f.Job) || g.files.Exists(f) {
		return err
	}
	placed, err := g.files.Place(f, req, true)
	if err != nil {
		return err
	}
	return g.files.WritePlan(req.URL, g.files.Plan(placed))
}

// one fetches one URL, and reports the result.
func (g *getter) one(ctx context.Context, f keep.File) error {
	if f.There || g.files.Done(f.Job) {
		return g.run.Skip(f.Job)
	}
	fetch := g.run.Begin(f.Job)
	res, err := g.fetch(ctx, f, fetch)
	if err == nil && res.URL.Scheme == "mailto" {
		err = fmt.Errorf("%s: %w: mailto names a mailbox: the output is the draft of a message, for a mail program to send", res.URL.Redacted(), fetchers.ErrNotRetrievable)
	}
	return fetch.End(res, report.Unexpanded(f.Job, g.o.Input, err))
}

// fetch fetches one URL without a report. It closes the Resource.
func (g *getter) fetch(ctx context.Context, f keep.File, fetch *report.Fetch) (*fetchers.Resource, error) {
	req, err := g.stack.Request(f.Job)
	if err != nil {
		return nil, err
	}
	req.Multiplex = f.Multiplex
	fetch.Asked(req.URL)
	placed, err := g.files.Place(f, req, false)
	if err != nil {
		return nil, err
	}
	if f.Output == "" && !placed.InFile() && g.streams.OutIsTerminal() && !g.o.IsSet("compressed") && !g.o.Output.Raw {
		req.Compress = true // a terminal shows the decoded content, in any coding
	}
	ctx, cancel := g.stack.Timed(ctx)
	defer cancel()
	ctx = fetch.Listen(ctx, req.URL)
	switch {
	case g.o.Files.Decode:
		return g.files.Decode(ctx, req, g.o.Files.Dir)
	case placed.InFile():
		return g.files.Save(ctx, placed, req, fetch)
	}
	res, err := g.stack.Conditional.Fetch(ctx, req)
	res, err = g.stack.Rest(req, res, err)
	if err != nil {
		return res, report.Advised(req.URL, err)
	}
	defer res.Close()
	if err := fetch.Answered(res); err != nil {
		return res, err
	}
	defer g.streams.Progress.Watch(res, g.streams.Out)()
	fetch.Watch(func() (have, size int64) { return res.Received(), res.Size })
	if err := g.deliver(ctx, f, res); err != nil {
		return res, err
	}
	return res, g.stack.KeepETag(ctx, res)
}

// deliver writes a Resource to standard output.
func (g *getter) deliver(ctx context.Context, f keep.File, res *fetchers.Resource) error {
	if res.Kind == fetchers.Session && g.o.Session.Connect {
		return session.Connect(ctx, g.stack.Client, g.o.Session, g.streams, res)
	}
	if err := g.stack.CheckDelivery(res); err != nil {
		return err
	}
	switch res.Kind {
	case fetchers.Document, fetchers.Listing, fetchers.Index:
		err := report.Show(g.streams, g.o.Output, res, f.Output == "-")
		if err == nil {
			report.Hint(g.streams, res)
		}
		return err
	}
	report.NotFollowed(g.streams, res)
	_, err := io.Copy(io.Discard, res.Body) // the body is empty, and its end confirms that
	return err
}
