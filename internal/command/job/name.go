package job

import (
	"github.com/seed1ea3422f/fetch/internal/command/template"
	"github.com/seed1ea3422f/fetch/url"
)

// name sets the Output of a job as a template has it, and parses the URL if it has to. A text
// that is no URL, which may be the path of a file, has no host and no query.
func (j *Job) name(t template.Template, number int, values []string) {
	f := template.Facts{Number: number, Values: values}
	if t.Varies() {
		var err error
		if f.URL, err = j.Parse(); err == nil {
			j.URL = f.URL
		} else {
			f.URL = &url.URL{Path: url.Unwrap(j.Text)}
		}
	}
	j.Output, j.Within = t.Name(f)
}
