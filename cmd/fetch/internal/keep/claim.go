package keep

import (
	"hash/maphash"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/report"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
	"github.com/seed1ea3422f/fetch/download"
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
	given := file.Output != "" && !file.Stranger
	replaces := given || o.Overwrite || o.Timestamping || file.Stranger && o.ContinueAt.Whole
	switch {
	case f.claims.claim(name, file.Text) == 0:
	case !given && f.claims.isBy(name, file.Text): // the same file once more
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
	for n := f.planned.claim(name, file.Text); file.Numbered; n++ {
		if n > 0 {
			name = file.Path + "." + strconv.Itoa(n)
		}
		if !exists(name) && (n == 0 || f.planned.claim(name, file.Text) == 0) {
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

// claims are the names that the jobs of a run have asked for, as hashes, and the facts about
// each: two names have the same hash in one of many millions of lists of a million lines.
type claims struct {
	seed  maphash.Seed
	names map[uint64]claimed
}

// claimed is how often a name was asked for, and a hash of the first URL that asked for it.
type claimed struct {
	times int32
	by    uint32
}

// maxClaims bounds the names that are remembered, and so the memory they take: 40 MB.
const maxClaims = 1 << 20

// claim notes a name for a URL. It returns how often the name was claimed before.
func (c *claims) claim(name, url string) int {
	if c.names == nil {
		c.seed, c.names = maphash.MakeSeed(), make(map[uint64]claimed)
	}
	hash := maphash.String(c.seed, filepath.Clean(name))
	known := c.names[hash]
	before := known.times
	if before == 0 {
		known.by = c.by(url)
	}
	if known.times++; before > 0 || len(c.names) < maxClaims {
		c.names[hash] = known
	}
	return int(before)
}

// isBy reports whether a name was first claimed for a URL.
func (c *claims) isBy(name, url string) bool {
	return c.names[maphash.String(c.seed, filepath.Clean(name))].by == c.by(url)
}

func (c *claims) by(url string) uint32 { return uint32(maphash.String(c.seed, url)) }
