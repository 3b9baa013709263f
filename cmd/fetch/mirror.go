package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/mirror"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// mirrorOptions are the options of the verb mirror.
type mirrorOptions struct {
	URLs    []string
	Dir     string // "" if the command line has none
	Options *option.Options
}

// mirrorTree keeps a copy of the trees that URLs name, in a directory.
func mirrorTree(ctx context.Context, o mirrorOptions, s *term.Streams) error {
	if err := o.check(); err != nil {
		return record.UsageError{Err: err}
	}
	maxSize := o.Options.Limits.MaxFilesize
	o.Options.Limits.MaxFilesize = 0 // a larger file is skipped, and not an error
	o.Options.Tree.Active = true
	tuneForLists(o.Options)
	st, err := stack.Build(ctx, o.Options, s)
	if err != nil {
		return err
	}
	defer st.CloseIdle()
	run, err := report.Open(ctx, o.Options, s, version())
	if err != nil {
		return err
	}
	var roots []*url.URL
	for _, text := range o.URLs {
		req, err := st.Request(job.Job{Text: text})
		if err != nil {
			return err
		}
		roots = append(roots, req.URL)
	}
	m := newMirror(o.Options, st, o.Dir)
	m.Scope.MaxSize = maxSize
	if o.Options.Tree.Why != "" {
		return why(m, o.Options.Tree.Why, roots, s)
	}
	t := &treeRun{mirror: m, options: o.Options, streams: s, began: time.Now(), failed: &failures{streams: s, ctx: ctx}}
	m.Meter = t.meter
	end := s.Progress.Status(t.status)
	t.all(ctx, roots)
	end()
	s.Progress.Close()
	t.summarize()
	err = finish(ctx, st, run, t.failed)
	if errors.Is(ctx.Err(), context.Canceled) {
		s.Complain(errors.New("interrupted: all files that are here are whole: run the same command again to go on"))
		return reported{err}
	}
	return err
}

// check returns an error if the mirror needs a directory and has none.
func (o mirrorOptions) check() error {
	if o.Dir == "" && !o.Options.Tree.Spider {
		return errors.New("the last argument has to be the directory of the mirror: fetch mirror URL DIR")
	}
	return nil
}

// newMirror returns the Mirror that the flags ask for.
func newMirror(o *option.Options, st *stack.Stack, dir string) *mirror.Mirror {
	t := o.Tree
	asking := st.Asking()
	m := &mirror.Mirror{
		Dir: dir, Fetcher: asking, Saver: download.Saver{Fetcher: asking, Segments: 1, Survey: new(download.Survey)},
		Scope: crawl.Scope{
			Depth: t.Level, NoParent: t.NoParent, SpanHosts: t.SpanHosts, Hosts: t.Domains, NotHosts: t.ExcludeDomains,
			Accept: t.Accept, Reject: t.Reject, AcceptRegexp: t.AcceptRegex, RejectRegexp: t.RejectRegex,
			Requisites: t.PageRequisites,
		},
		Pace: st.Pace, Hosts: st.Hosts, Most: atOnce(o),
		NoHost: t.NoHostDirectories, CutDirs: t.CutDirs, Adjust: t.AdjustExtension,
		NoClobber: o.Files.NoClobber, Overwrite: o.Files.Overwrite, Sitemaps: t.Sitemap,
		Convert: t.ConvertLinks, Backup: t.BackupConverted,
		Delete: t.Delete, MaxDelete: mirror.Limit{Set: t.MaxDelete.Given, Files: t.MaxDelete.N, Percent: t.MaxDelete.Percent},
		DryRun: o.Output.DryRun || t.Spider, Quota: t.Quota,
	}
	if t.Spider {
		m.Dir = ""
	}
	if t.Robots == "on" {
		m.NoFollow = true
		m.Robots = &robots.Cache{Fetcher: asking, Agent: stack.Agent}
	}
	return m
}

// A treeRun is one run of mirror, and the state of its report.
type treeRun struct {
	mirror  *mirror.Mirror
	options *option.Options
	streams *term.Streams
	failed  *failures
	began   time.Time
	counts  [mirror.Failed + 1]int
	deleted int
	fetched int64
}

// meter shows the progress of a file, if its download takes long.
func (t *treeRun) meter(path string) (*download.Meter, func()) { return t.streams.Progress.Track(path) }

// status is the line at the terminal about a run that goes on.
func (t *treeRun) status() string {
	p := t.mirror.Progress()
	if p.Known == 0 {
		return ""
	}
	text := fmt.Sprintf("%d found, %d done, %d waiting", p.Known, p.Done+p.Settled+p.Failed+p.Skipped, p.Waiting+p.Doing)
	if p.Hosts > 1 {
		text += fmt.Sprintf(" at %d hosts", p.Hosts)
	}
	if p.Bytes > 0 {
		text += fmt.Sprintf(", %s, %s/s", term.Human(float64(p.Bytes)), term.Human(float64(p.Bytes)/time.Since(t.began).Seconds()))
	}
	return text
}

// all runs the mirror, and reports each change.
func (t *treeRun) all(ctx context.Context, roots []*url.URL) {
	n := 0
	for c, err := range t.mirror.Run(ctx, roots...) {
		n++
		tooMany, stopped := errors.AsType[*mirror.DeleteError](err)
		switch {
		case stopped:
			failure := record.Explained(err.Error(), record.ErrMaxDelete)
			t.failed.add(n, failure)
			if t.options.Output.JSON {
				r := record.New(roots[0], t.began)
				r.Fill(nil, failure)
				t.failed.add(n, report.JSON(t.streams, r))
			}
			for _, path := range tooMany.Paths {
				t.streams.Say("fetch: it would have deleted %s", path)
			}
		case errors.Is(err, mirror.ErrQuota):
			t.streams.Say("fetch: the quota of %s is reached: run the same command again to go on", term.Human(float64(t.mirror.Quota)))
		case errors.Is(err, crawl.ErrInUse):
			t.failed.add(n, record.OutputError{Err: fmt.Errorf("%s: another run of fetch mirror is at work in it", t.mirror.Dir)})
		case errors.Is(err, mirror.ErrDamaged):
			t.failed.add(n, record.InputError{Err: fmt.Errorf("%w: the state of the copy is lost, and no file was changed; begin a new copy in another directory", err)})
		case err != nil:
			t.failed.add(n, err)
		default:
			t.failed.add(n, t.tell(c))
		}
	}
}

// tell reports a change as the flags require, and returns the error of the change.
func (t *treeRun) tell(c mirror.Change) error {
	t.counts[c.Kind]++
	t.fetched += c.Fetched
	if c.Deleted {
		t.deleted++
	}
	failure := c.Err
	if c.Kind == mirror.Failed && c.From != nil {
		failure = fmt.Errorf("%w (linked from %s)", c.Err, c.From.Redacted())
	}
	if c.Kind == mirror.Unproved {
		t.streams.Say("fetch: %s stays: %s", c.Path, term.Visible(record.Text(c.Err)))
		failure = nil
	}
	news := slices.Contains([]mirror.Kind{mirror.Added, mirror.Changed, mirror.Gone, mirror.Unproved}, c.Kind)
	switch {
	case t.options.Output.JSON && (news || !t.options.Tree.Changes):
		if err := report.JSON(t.streams, recordOf(c)); err != nil {
			return err
		}
	case (t.options.Tree.Changes || t.options.Output.DryRun) && news && !t.options.Output.JSON:
		if err := t.streams.WriteText(t.line(c) + "\n"); err != nil {
			return err
		}
	case c.Kind == mirror.Skipped:
		t.streams.Remark("%s: skipped: %s", c.URL.Redacted(), c.Why)
	}
	return failure
}

// line returns a change as a line for people.
func (t *treeRun) line(c mirror.Change) string {
	kind := c.Kind.String()
	switch {
	case c.Deleted:
		kind = "deleted"
	case t.options.Output.DryRun && c.Kind == mirror.Gone && t.mirror.Delete:
		kind = "would be deleted"
	case t.options.Output.DryRun && c.Kind == mirror.Added:
		kind = "would be added"
	case t.options.Output.DryRun && c.Kind == mirror.Changed:
		kind = "would be asked for"
	}
	return kind + "\t" + term.Visible(c.Path)
}

// recordOf returns the record of a change.
func recordOf(c mirror.Change) *record.Record {
	r := record.New(c.URL, time.Now())
	r.Fill(c.Resource, c.Err)
	r.Change, r.Deleted, r.Why = c.Kind.String(), c.Deleted, c.Why
	r.Received, r.ResumedFrom = c.Fetched, c.Resumed
	if c.Path != "" {
		r.Output = &c.Path
	}
	return r
}

// summarize writes the totals of the run, if the streams show downloads.
func (t *treeRun) summarize() {
	if !t.streams.Progress.Shows() {
		return
	}
	var parts []string
	for _, k := range []mirror.Kind{mirror.Added, mirror.Changed, mirror.Unchanged, mirror.Gone, mirror.Unproved, mirror.Skipped, mirror.Failed} {
		n := t.counts[k]
		if n == 0 && k != mirror.Added {
			continue
		}
		text := fmt.Sprintf("%d %s", n, k)
		if k == mirror.Gone && t.deleted > 0 {
			text += fmt.Sprintf(" (%d deleted)", t.deleted)
		}
		parts = append(parts, text)
	}
	t.streams.Say("fetch: %s; %s in %s", strings.Join(parts, ", "), term.Human(float64(t.fetched)), term.Span(time.Since(t.began)))
}

// why writes whether a URL belongs to the mirror, and its state in the copy.
func why(m *mirror.Mirror, text string, roots []*url.URL, s *term.Streams) error {
	u, err := url.Parse(text)
	if err != nil {
		return err
	}
	x, err := m.Explain(u, roots...)
	if err != nil {
		return err
	}
	verdict := "out"
	if x.Visit {
		verdict = "in"
		if !x.Keep {
			verdict = "in for its links, and not kept"
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s\n", u.Redacted(), verdict, x.Why)
	switch {
	case !x.Known:
		b.WriteString("no run has come to it\n")
	case x.Path != "":
		fmt.Fprintf(&b, "%s, and its file is %s\n", x.State, x.Path)
	default:
		fmt.Fprintf(&b, "%s, without a file\n", x.State)
	}
	if x.Gone {
		b.WriteString("it is gone\n")
	}
	if !x.Asked.IsZero() {
		fmt.Fprintf(&b, "last asked for on %s\n", x.Asked.UTC().Format(time.DateTime))
	}
	for _, from := range x.From {
		fmt.Fprintf(&b, "from %s\n", from.Redacted())
	}
	return s.WriteText(b.String())
}

// wgetSpelling replaces the options of wget that have two letters behind one dash with their long
// names, and leaves out the options for things that mirror always does.
func wgetSpelling(args []string) []string {
	if len(args) == 0 || args[0] != "mirror" {
		return args
	}
	long := map[string]string{"-np": "--no-parent", "-nH": "--no-host-directories", "-nc": "--no-clobber"}
	needless := []string{"-N", "--timestamping", "-m", "--mirror", "-r", "--recursive"}
	var spelled []string
	for _, a := range args {
		if name, ok := long[a]; ok {
			a = name
		}
		if !slices.Contains(needless, a) {
			spelled = append(spelled, a)
		}
	}
	return spelled
}
