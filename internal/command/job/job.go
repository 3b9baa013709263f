// Package job has the URLs of a run: those of the command line, and those of a list or a
// Metalink. All reads them, and Understood makes a URL of a text, or the error that says
// which URL was meant.
package job

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// A Job is one URL to fetch, with the name, size and checksum that a list or a Metalink
// has for its file.
type Job struct {
	Text    string   // the URL as it was given
	URL     *url.URL // Text parsed; nil before Parse
	Where   string   // "FILE:LINE: " if it is from a list, else ""
	Output  string   // a file, "-" for standard output, or "" if the flags decide
	Within  string   // the directory in which a template has made Output of the URL or a glob; "" if none has
	Mirrors []string // other URLs of the same bytes

	Size     int64            // the size of the file in bytes; less than 1 is any
	Sum      download.Sum     // the checksum of the file; zero if there is none
	Pieces   *download.Pieces // the checksums of its pieces, or nil
	Unproven bool             // it has checksums, and none that can be used

	// Stranger is true if Output and Mirrors are from a Metalink, whose author may be anyone.
	Stranger bool
}

// Parse returns the URL of a job. A text that is no URL is the error of idn.Parse; see
// Understood.
func (j Job) Parse() (*url.URL, error) {
	if j.URL != nil {
		return j.URL, nil
	}
	return idn.Parse(url.Unwrap(j.Text))
}

// Shown is the URL without its secrets, or the redacted text if that is no URL.
func (j Job) Shown() string {
	u, err := j.Parse()
	if err != nil {
		return url.Redact(url.Unwrap(j.Text))
	}
	return u.Redacted()
}

// Hides reports whether Shown masks anything but a password, so that another URL may look
// the same.
func (j Job) Hides() bool {
	u, err := j.Parse()
	return err == nil && u.Ambiguous()
}

// Misfit returns the error for flags that do not fit the job: one of the command line, or
// of the line of a list, which does not keep the other lines from being fetched.
func (j Job) Misfit(err error) error {
	if j.Where == "" {
		return record.UsageError{Err: err}
	}
	return record.InputError{Err: fmt.Errorf("%s%w", j.Where, err)}
}
