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
	Dir string // of the copy; it is made if it is not there

	// Fetcher fetches listings and pages, and Saver what becomes a file. The Fetcher of the Saver should be
	// the same one.
	Fetcher fetchers.Fetcher
	Saver   download.Saver

	Scope  crawl.Scope // the Roots are those of Run
	Robots *robots.Cache
	Pace   *crawl.Pace
	Hosts  *hosts.Fetcher
	Most   int

	NoHost  bool // paths begin with that of the URL, without its host
	CutDirs int  // so many directories of the URL are left out of the path
	Adjust  bool // names of pages end in .html, those of XHTML in .xhtml, of style sheets in .css and of drawings in .svg

	NoClobber bool // a file that is there is good, whoever made it, and is not asked for
	Overwrite bool // a file that is there and somebody else's is replaced
	Sitemaps  bool // those that robots.txt and pages name are read
	NoFollow  bool // links whose page asks robots not to follow them are not followed

	Convert bool // links in pages lead to the files of the mirror, or to the web where there is none
	Backup  bool // with Convert, the page as it came is kept as NAME.orig

	Delete    bool  // files that are proved to be gone are deleted
	MaxDelete Limit // a run that would delete more deletes nothing, and ends with a DeleteError

	DryRun bool  // nothing is written to Dir: Changes say what would be
	Quota  int64 // a run ends once so many bytes of files have come; 0 is any number

	// Meter returns the Meter of a file that is about to come, and what is called at its end. It may be nil.
	Meter func(path string) (*download.Meter, func())

	current atomic.Pointer[run]
}

// A Kind says what a run found about a URL.
type Kind uint8

const (
	Unchanged Kind = iota // the file is as it was
	Added                 // the file is new
	Changed               // the file has another content
	Gone                  // the file is no longer there, which was proved
	Unproved              // the file may be gone: it was not seen, and that it is not there was not proved
	Visited               // it is no file: a directory, a redirection, or a page that is not kept
	Skipped               // it was not asked for
	Failed                // it was asked for in vain
)

var kindNames = []string{"unchanged", "added", "changed", "gone", "unproved", "visited", "skipped", "failed"}

// String returns the name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A Change is what a run found about one URL.
type Change struct {
	Kind Kind
	URL  *url.URL
	Path string // of the file, below the directory and with slashes; "" if there is none

	From     *url.URL           // where the URL stood, if it Failed; nil for a root
	Resource *fetchers.Resource // that came, closed; may be nil
	Fetched  int64              // octets of the file that came
	Resumed  int64              // octets of it that an earlier run has left
	Deleted  bool               // the file is gone from here too
	Err      error              // why it Failed, or is Unproved
	Why      string             // it is Skipped, or a Gone file was not deleted
}

// A Limit is how many files a run may delete. The zero Limit is any number.
type Limit struct {
	Set     bool
	Files   int
	Percent bool // Files is a part of all files of the mirror, in hundredths
}

// A DeleteError says that a run would have deleted more files than MaxDelete allows, and deleted none.
type DeleteError struct {
	Gone, Most int
	Paths      []string // some of them
}

// ErrDamaged says that the file .fetch-mirror cannot be understood.
var ErrDamaged = crawl.ErrDamaged

// ErrOccupied says that a file is somebody else's.
var ErrOccupied = errors.New("it is there, and not of this mirror, or was changed")

// ErrQuota says that a run has ended because of the Quota.
var ErrQuota = errors.New("the quota is reached")

// stateName is the file of the Frontier. No file of the mirror has a name with a dot in front.
const stateName = ".fetch-mirror"

// Run brings the copy of what roots name up to date, and yields each URL that it visits, skips or finds gone.
// Files that a listing shows to be unchanged are not among them. An error without a Change is the
// last one: that of ctx, of the directory, ErrQuota or a DeleteError. If the loop is broken off, the
// next run continues this one.
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

// errBroken says that the loop over a run was broken off.
var errBroken = errors.New("the loop was broken off")

// Progress is how far a run is.
type Progress struct {
	crawl.Counts
	Bytes int64 // of files that have come
}

// Progress returns how far the current Run is, for another goroutine to poll.
func (m *Mirror) Progress() Progress {
	r := m.current.Load()
	if r == nil {
		return Progress{}
	}
	return Progress{r.frontier.Counts(), r.came.Load()}
}

// now is the time, to the second as it is in a note.
func now() int64 { return time.Now().Unix() }
