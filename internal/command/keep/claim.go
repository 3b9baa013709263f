package keep

import (
	"os"
	"strconv"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"
)

// Claim notes the name of a file for a job, whose URL is parsed. If an earlier job has the
// name, Claim sets Taken or Second: the job neither replaces the earlier file nor takes it
// for its own. A name that the server chooses is not known yet, and not noted.
func (f *Files) Claim(file *File) {
	o := f.options.Files
	name := file.Output
	if name == "" && o.RemoteName && !o.RemoteHeaderName {
		name, _ = download.Name(file.URL)
	}
	if name == "" || name == "-" || name == os.DevNull {
		return
	}
	name = o.Path(name)
	given := file.Output != "" && !file.Stranger && file.Within == ""
	replaces := given || o.Overwrite || o.Timestamping || file.Stranger && o.ContinueAt.Whole
	switch {
	case f.claims.Add(name, file.Text) == 0:
	case !given && f.claims.IsFirst(name, file.Text): // the same file once more
	case replaces && !o.NoClobber:
		file.Taken = name
	default:
		file.Second = true
	}
}

// Plan returns the name that a file would get as things are, and after the files that were
// planned before; "-" is standard output.
func (f *Files) Plan(file Placed) string {
	if !file.InFile() {
		return "-"
	}
	name := file.Path
	for n := f.planned.Add(name, file.Text); file.Numbered; n++ {
		if n > 0 {
			name = file.Path + "." + strconv.Itoa(n)
		}
		if !exists(name) && (n == 0 || f.planned.Add(name, file.Text) == 0) {
			break
		}
	}
	return name
}

// WritePlan writes the line of --dry-run for a URL to standard output: the URL and the name
// that its file would get, with a TAB between them, or a JSON object with --json.
func (f *Files) WritePlan(u *url.URL, name string) error {
	if !f.options.Output.JSON {
		return f.streams.WriteLine([]byte(term.Visible(u.Redacted()) + "\t" + term.Visible(name)))
	}
	return report.JSON(f.streams, struct {
		URL    string `json:"url"`
		Output string `json:"output"`
	}{u.Redacted(), name})
}
