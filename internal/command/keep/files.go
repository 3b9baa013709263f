// Package keep writes to files: it finds their names, keeps two URLs of one run from the
// same name, saves content and checks its sum, takes files out of messages, and notes in
// the file of --state which URLs are done.
package keep

import (
	"os"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// A File is a job on its way to a file.
type File struct {
	job.Job

	Multiplex bool // many other jobs of the run are of the same origin; see fetchers.Request

	There  bool   // --skip-existing leaves out the job, whose file was there before any later job began
	Second bool   // an earlier job has the name, so a file that is there may be its; set by Claim
	Taken  string // the name of an earlier job's file, which this one would replace; set by Claim
}

// A Placed is a File whose place is known.
type Placed struct {
	File

	Path     string // "" for standard output
	Named    bool   // the URL gave the name, or a part of it
	Numbered bool   // a file that has the path stays, and the new one gets a number
}

// InFile reports whether the content goes to a file, and not to standard output.
func (p Placed) InFile() bool { return p.Path != "" }

// Files are the files of one run. One goroutine calls Apart, Claim and Plan, in the order of
// the URLs. Finish and Close come after all others. Many goroutines may call the rest at a
// time.
type Files struct {
	options *option.Options
	stack   *stack.Stack
	streams *term.Streams

	own     map[string]string // flags that name files to read or write, by download.FinalName of these
	saver   download.Saver
	state   *download.State // nil if there is none
	waiting assemblies
	claims  download.Claims // by the jobs so far
	planned download.Claims // by Plan

	interrupted interrupted
}

// Open returns the files of a run, and opens the file of --state. A dry run reads that file
// and begins none. several tells that the command line has more than one URL: each then
// comes over one connection, unless --segments is set. The error is a record.OutputError.
// The caller calls Finish and then Close.
func Open(o *option.Options, several bool, st *stack.Stack, s *term.Streams) (*Files, error) {
	f := &Files{options: o, stack: st, streams: s, own: o.OwnFiles()}
	f.saver = f.newSaver(several)
	name := o.Files.State
	if name == "" {
		return f, nil
	}
	if _, missing := os.Stat(name); missing != nil && o.Output.DryRun {
		return f, nil
	}
	var err error
	if f.state, err = download.OpenState(name); err != nil {
		return nil, record.OutputError{Err: err}
	}
	return f, nil
}

// Apart parses the URL of a file, and reports whether the job can run beside others: its
// content goes to a file. Any other job waits for those before it, since standard output is
// in their order.
func (f *Files) Apart(file *File) bool {
	o := f.options
	named := o.Files.RemoteName || o.Files.Decode
	if o.Output.Head || o.Output.DryRun || file.Output == "-" || file.Output == "" && !named {
		return false
	}
	var err error
	file.URL, err = file.Parse()
	return err == nil
}

// Done reports whether the file of --state says that a job is done, and the file then had the
// checksum that the job has. The job has not been placed.
func (f *Files) Done(j job.Job) bool {
	return f.state != nil && !j.Hides() && f.state.Has(j.Shown(), f.options.Files.Path(j.Output), f.sum(j))
}

// Exists reports whether --skip-existing leaves out a job, since its file exists. A file that an
// earlier job of the run has made does not count.
func (f *Files) Exists(file File) bool {
	if !f.options.Files.SkipExisting || file.Second || file.Taken != "" {
		return false
	}
	req, err := f.stack.Request(file.Job)
	if err != nil {
		return false
	}
	p, err := f.named(file, req)
	if err != nil || !p.InFile() {
		return false
	}
	info, err := os.Stat(p.Path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if f.streams.Progress.Shows() {
		f.streams.Say("fetch: %s: skipped, since it exists", p.Path)
	} else {
		f.streams.Remark("%s exists, and %s is not fetched", p.Path, req.URL.Redacted())
	}
	return true
}

// note adds to the file of --state that a file is there, as its report has it. A URL that
// hides a secret is left out, since another may look the same, and so is the page of an
// error, which --no-fail saves in place of the content.
func (f *Files) note(file Placed, res *fetchers.Resource, fetch *report.Fetch) error {
	failed := option.In(option.Web, res.URL.Scheme) && res.Reply.Code >= 400
	if f.state == nil || file.Hides() || failed {
		return nil
	}
	done := download.Done{URL: file.Shown(), As: f.options.Files.Path(file.Output)}
	switch r := fetch.Record; {
	case r.Output != nil:
		done.Output, done.Size = *r.Output, r.ResumedFrom+r.Received
	case fetch.Outcome.Kept:
		done.Output, done.Size = fetch.Outcome.Name, res.Size
	default:
		return nil
	}
	if sha256 := fetch.Record.SHA256; sha256 != nil {
		done.SHA256 = *sha256
	}
	if sum := f.sum(file.Job).String(); sum != "sha256:"+done.SHA256 {
		done.Sum = sum
	}
	if err := f.state.Add(done); err != nil {
		return record.OutputError{Err: err}
	}
	return nil
}

// Finish gives up the files of messages that lack a part. The error names all of them.
func (f *Files) Finish() error { return f.waiting.finish() }

// Close closes the file of --state.
func (f *Files) Close() error {
	if f.state == nil {
		return nil
	}
	return f.state.Close()
}
