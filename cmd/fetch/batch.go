package main

import (
	"os"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// batchFlags say how many files are fetched at the same time, and which need not be.
type batchFlags struct {
	parallel  int
	perHost   int
	stateFile string

	state *download.State // nil if there is to be none
}

func (f *batchFlags) add(flags *pflag.FlagSet) {
	f.parallel, f.perHost = 8, 4
	flags.VarP(atLeast(1, &f.parallel), "parallel-max", "j", "fetch at most `N` URLs at the same time, if they go to files")
	flags.Var(atLeast(1, &f.perHost), "per-host", "fetch at most `N` of them at the same time from one host")
	flags.StringVar(&f.stateFile, "state", "", "note in `FILE` what is done, and skip what it says is done")
}

// open opens the file of --state. A dry run begins none.
func (f *batchFlags) open(dry bool) (err error) {
	if _, missing := os.Stat(f.stateFile); f.stateFile != "" && !(dry && missing != nil) {
		if f.state, err = download.OpenState(f.stateFile); err != nil {
			return writeError{err}
		}
	}
	return nil
}

// close closes the file of --state.
func (f *batchFlags) close() error {
	if f.state == nil {
		return nil
	}
	return f.state.Close()
}

// done reports whether a job, which is to end with a file, was by what --state notes, and
// the file then had the checksum that the job has.
func (f *batchFlags) done(j job, files *fileFlags) bool {
	return f.state != nil && !j.hides() && f.state.Has(j.shown(), files.asked(j), files.sum(j))
}

// note writes down that the file of a job is there, of which rec says what became.
func (f *batchFlags) note(files *fileFlags, res *fetchers.Resource, rec *record) error {
	asked := rec.job
	if f.state == nil || asked.hides() || among(web, res.URL.Scheme) && res.Reply.Code >= 400 {
		return nil // the page of an error, by --no-fail, is not what was asked for
	}
	d := download.Done{URL: asked.shown(), As: files.asked(asked)}
	switch {
	case rec.Output != nil:
		d.Output, d.Size = *rec.Output, rec.ResumedFrom+rec.Received
	case rec.kept != "":
		d.Output, d.Size = rec.kept, res.Size
	default:
		return nil
	}
	if rec.SHA256 != nil {
		d.SHA256 = *rec.SHA256
	}
	if sum := files.sum(asked).String(); sum != "sha256:"+d.SHA256 {
		d.Sum = sum
	}
	if err := f.state.Add(d); err != nil {
		return writeError{err}
	}
	return nil
}
