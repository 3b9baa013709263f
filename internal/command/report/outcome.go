package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// An Outcome is the result of a download to a file. The zero Outcome is for content that went to
// another place.
type Outcome struct {
	Name   string // of the file
	Taken  string // the name that it was to have, and that another file has; or ""
	Called string // the name in the URL, if that is no name of a file; or ""
	Sum    string // the algorithm of the checksum that the content has passed; or ""
	Kept   bool   // the file was there, and the server has nothing newer
}

// tell reports the Outcome of a file and the speed of its download, if the streams show downloads.
func (f *Fetch) tell() {
	o, s := f.Outcome, f.run.streams
	switch {
	case o.Name == "" || !s.Progress.Shows():
		return
	case o.Kept:
		s.Say("fetch: %s: not modified", o.Name)
		return
	}
	rec := f.Record
	size, took := rec.ResumedFrom+rec.Received, time.Since(f.began)
	text := fmt.Sprintf("%s in %s", term.Human(float64(size)), term.Span(took))
	if took > 100*time.Millisecond { // a shorter time measures the machine
		text += fmt.Sprintf(", %s/s", term.Human(float64(rec.Received)/took.Seconds()))
	}
	if special := o.special(rec.ResumedFrom); special != "" {
		text += "; " + special
	}
	s.Say("fetch: %s: %s", o.Name, text)
}

// special returns the special circumstances of a download, such as a number in the name, or "".
func (o Outcome) special(resumed int64) string {
	var all []string
	if o.Taken != "" {
		all = append(all, o.Taken+" existed")
	}
	if o.Called != "" {
		all = append(all, fmt.Sprintf("renamed from %q", o.Called))
	}
	if resumed > 0 {
		all = append(all, "resumed at "+term.Human(float64(resumed)))
	}
	if o.Sum != "" {
		all = append(all, "verified by "+o.Sum)
	}
	return strings.Join(all, ", ")
}
