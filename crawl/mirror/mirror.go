package mirror

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Mirror is a copy of one or more trees. Its fields must not change in use.
type Mirror struct {
	Dir string // directory of the copy; created if missing

	// Fetcher fetches listings and pages, and Saver saves files. Both should have the same Fetcher.
	Fetcher fetchers.Fetcher
	Saver   download.Saver

	Scope  crawl.Scope // the Roots are those of Run
	Robots *robots.Cache
	Pace   *crawl.Pace
	Hosts  *hosts.Fetcher
	Most   int

	NoHost  bool // omit the host from paths
	CutDirs int  // omit this many directories of the URL from paths
	Adjust  bool // add extensions: .html for pages, .xhtml for XHTML, .css for style sheets, .svg for drawings

	NoClobber bool // an existing file stays, whoever created it, and is not requested
	Overwrite bool // replace an existing file of the user
	Sitemaps  bool // read the sitemaps that robots.txt and pages name
	NoFollow  bool // do not follow links if their page asks robots not to

	Convert bool // rewrite links in pages: to files of the copy, or absolute if there is no file
	Backup  bool // with Convert, keep the original page as NAME.orig

	Delete    bool  // delete files that are proved to be gone
	MaxDelete Limit // a run that would delete more files deletes none, and returns a DeleteError

	DryRun bool  // write nothing to Dir; the Changes are those of a real run
	Quota  int64 // a run ends after so many bytes of files; 0 means no limit

	// Meter returns the Meter for a file that is about to be fetched, and a function to call at its
	// end. It may be nil.
	Meter func(path string) (*download.Meter, func())

	current atomic.Pointer[run]
}

// A Kind is the result of a run for a URL.
type Kind uint8

const (
	Unchanged Kind = iota // the file has not changed
	Added                 // the file is new
	Changed               // the content of the file has changed
	Gone                  // the server no longer has the file, which was proved
	Unproved              // the file may be gone, but this was not proved
	Visited               // not a file: a directory, a redirection, or a page that is not kept
	Skipped               // not requested
	Failed                // the request failed
)

var kindNames = []string{"unchanged", "added", "changed", "gone", "unproved", "visited", "skipped", "failed"}

// String returns the name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A Change is the result of a run for one URL.
type Change struct {
	Kind Kind
	URL  *url.URL
	Path string // of the file, relative to the directory, with slashes; "" if there is none

	From     *url.URL           // the page or listing with the URL, if it Failed; nil for a root
	Resource *fetchers.Resource // closed; may be nil
	Fetched  int64              // received bytes of the file
	Resumed  int64              // bytes of the file from an earlier run
	Deleted  bool               // the local file was deleted too
	Err      error              // why the Kind is Failed or Unproved
	Why      string             // why the Kind is Skipped, or a Gone file was not deleted
}

// A Limit is the maximum number of files that a run may delete. The zero Limit means no limit.
type Limit struct {
	Set     bool
	Files   int
	Percent bool // Files is a percentage of all files of the copy
}

// A DeleteError means that a run would have deleted more files than MaxDelete allows, and deleted
// none.
type DeleteError struct {
	Gone, Most int
	Paths      []string // some of the files
}

// ErrDamaged means that the file .fetch-mirror is not readable.
var ErrDamaged = crawl.ErrDamaged

// ErrOccupied means that an existing file belongs to the user.
var ErrOccupied = errors.New("it is there, and not of this mirror, or was changed")

// ErrQuota means that a run has ended because of the Quota.
var ErrQuota = errors.New("the quota is reached")

// stateName is the file of the Frontier. No file of the copy has a name with a leading dot.
const stateName = ".fetch-mirror"

// Run updates the copy of roots, and yields each URL that it visits, skips or finds gone. Files
// that are unchanged according to a listing are not yielded. An error without a Change is the last
// one: that of ctx, of the directory, ErrQuota or a DeleteError. If the loop breaks, the next run
// continues this one.
func (m *Mirror) Run(ctx context.Context, roots ...*url.URL) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		r, err := m.begin(ctx, roots)
		if err != nil {
			yield(Change{}, err)
			return
		}
		m.current.Store(r)
		err = r.run(ctx, yield)
		m.current.Store(nil)
		if closed := r.close(); err == nil {
			err = closed
		}
		if err != nil && !errors.Is(err, errBroken) {
			yield(Change{}, err)
		}
	}
}

// errBroken means that the caller has ended the loop over a run.
var errBroken = errors.New("the loop was broken off")

// Progress is the progress of a run.
type Progress struct {
	crawl.Counts
	Bytes int64 // received bytes of files
}

// Progress returns the progress of the current Run, for another goroutine to poll.
func (m *Mirror) Progress() Progress {
	r := m.current.Load()
	if r == nil {
		return Progress{}
	}
	return Progress{r.frontier.Counts(), r.came.Load()}
}

// now returns the time in seconds, as in a note.
func now() int64 { return time.Now().Unix() }
