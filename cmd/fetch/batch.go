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

// done reports whether a URL, which is to be saved as a file, was by what --state notes.
func (f *batchFlags) done(text, as string) bool {
	return f.state != nil && f.state.Has(shownURL(text), as)
}

// note writes down that the URL of rec, which was to be saved as a file, has the name in
// rec by now, or that the file which is there is still good.
func (f *batchFlags) note(as string, res *fetchers.Resource, rec *record) error {
	if f.state == nil || rec.Output == nil && res.Kind != fetchers.Unchanged {
		return nil
	}
	d := download.Done{URL: shownURL(rec.given), As: as, Size: rec.ResumedFrom + rec.Received}
	if rec.Output != nil {
		d.Output = *rec.Output
	}
	if rec.SHA256 != nil {
		d.SHA256 = *rec.SHA256
	}
	if err := f.state.Add(d); err != nil {
		return writeError{err}
	}
	return nil
}
