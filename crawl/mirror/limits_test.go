package mirror

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// listingOf is a Fetcher that answers with listings of n entries, generated while they are read,
// and with documents that are too large to keep.
type listingOf struct{ n int }

func (l listingOf) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Listing, Size: -1}
	if !strings.HasSuffix(req.URL.Path, "/") {
		res.Kind, res.Size = fetchers.Document, 1<<40
		res.SetBody(io.NopCloser(strings.NewReader("")))
		return res, nil
	}
	res.Parse = func(io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			for i := range l.n {
				u := *req.URL
				u.Path += fmt.Sprintf("a-file-with-a-long-name-and-a-number-%d.txt", i)
				if !yield(fetchers.Entry{URL: &u, Name: u.Base(), Kind: fetchers.Document, Size: 1, ModTime: old}, nil) {
					return
				}
			}
		}
	}
	res.SetBody(io.NopCloser(strings.NewReader("")))
	return res, nil
}

// The memory for a directory is some bytes per entry.
func TestManyEntries(t *testing.T) {
	n, most := 50_000, 30<<20
	if *thorough {
		n, most = 1_000_000, 250<<20
	}
	m := &Mirror{Dir: t.TempDir(), Fetcher: listingOf{n}, Scope: crawl.Scope{MaxSize: 10}}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var peak atomic.Uint64
	came := 0
	for c, err := range m.Run(t.Context(), parse(t, "ftp://h/pub/")) {
		if err != nil || c.Kind != Visited && c.Kind != Skipped {
			t.Fatalf("%+v, %v", c, err)
		}
		if came++; came%(n/20) == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak.Store(max(peak.Load(), now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc)))
		}
	}
	t.Logf("%d changes, %d KiB", came, peak.Load()>>10)
	if came != n+1 || peak.Load() > uint64(most) {
		t.Errorf("%d changes, %d bytes of memory", came, peak.Load())
	}
}

// Many equal names are made unique in linear time.
func TestManyAlike(t *testing.T) {
	m, base := new(Mirror), parse(t, "http://h/d/")
	n := newNames(false)
	began := time.Now()
	for id := range crawl.ID(30_000) {
		u := *base
		u.Path += strings.Repeat("x", 400) + fmt.Sprint(id)
		n.give(id, m.wanted(&u, ""))
	}
	if took := time.Since(began); took > 10*time.Second { // quadratic time would be minutes
		t.Errorf("30000 names took %v", took)
	}
}

// A large page needs no memory of its size.
func TestLargePage(t *testing.T) {
	size := 10 << 20
	if *thorough {
		size = 100 << 20
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if req.URL.Path != "/" {
			return
		}
		line := `<p><a href="/a">a</a><!-- -->` + strings.Repeat(`<p title="x">some text`, 2000)
		for sent := 0; sent < size; sent += len(line) {
			io.WriteString(w, line)
		}
		io.WriteString(w, `<a href="/last">last</a>`)
	}))
	defer s.Close()
	dir := t.TempDir()
	m := newMirror(t, dir)
	m.Convert = true
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	want(t, changes(t, m, s.URL+"/"), "added index.html", "added a", "added last")
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 32<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

// A dry run writes nothing, also if an interrupted run has left a partial file.
func TestDryRun(t *testing.T) {
	var files moving
	first := tenFiles()
	first["pub/big"] = &fstest.MapFile{Data: make([]byte, 4<<20), ModTime: old}
	files.now.Store(&first)
	s := ftptest.NewServer(&files, ftptest.Rate(4<<20))
	defer s.Close()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
	for range newMirror(t, dir).Run(ctx, parse(t, s.URL+"/pub/")) {
	}
	cancel()
	look := func() string {
		var b strings.Builder
		filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
			if err == nil && !info.IsDir() {
				fmt.Fprintf(&b, "%s %d %v\n", name, info.Size(), info.ModTime())
			}
			return err
		})
		return b.String()
	}
	before := look()
	if !strings.Contains(before, "big.part") {
		t.Skipf("the run was not interrupted within the file:\n%s", before)
	}
	m := newMirror(t, dir)
	m.DryRun, m.Delete = true, true
	lines := changes(t, m, s.URL+"/pub/")
	if after := look(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if !strings.Contains(strings.Join(lines, "\n"), "pub/big") {
		t.Errorf("%q", lines)
	}
}

// A file counts as unchanged according to listings, unless a second change could have the same
// time.
func TestSame(t *testing.T) {
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC).Unix()
	minuteOf := func(s int64) int64 { return s / 60 * 60 }
	dayOf := func(s int64) int64 { return s / (24 * 60 * 60) * (24 * 60 * 60) }
	for name, c := range map[string]struct {
		f, now facts
		asked  int64
		want   bool
	}{
		"the same":                       {facts{Size: 1, Time: at - 1000, At: at}, facts{Size: 1, Time: at - 1000}, at, true},
		"another size":                   {facts{Size: 1, Time: at - 1000, At: at}, facts{Size: 2, Time: at - 1000}, at, false},
		"another time":                   {facts{Size: 1, Time: at - 1000, At: at}, facts{Size: 1, Time: at - 999}, at, false},
		"an earlier time":                {facts{Size: 1, Time: at - 1000, At: at}, facts{Size: 1, Time: at - 5000}, at, false},
		"no time":                        {facts{Size: 1, At: at}, facts{Size: 1}, at, false},
		"no size":                        {facts{Size: -1, Time: at - 1000, At: at}, facts{Size: -1, Time: at - 1000}, at, false},
		"in this second":                 {facts{Size: 1, Time: at, At: at}, facts{Size: 1, Time: at}, at, false},
		"in this second, asked later":    {facts{Size: 1, Time: at, At: at}, facts{Size: 1, Time: at}, at + 1000, false},
		"listed later, asked before":     {facts{Size: 1, Time: at - 10, At: at + 1000}, facts{Size: 1, Time: at - 10}, at - 10, false},
		"in this minute":                 {facts{Size: 1, Time: minuteOf(at), At: at}, facts{Size: 1, Time: minuteOf(at)}, at, false},
		"in the minute before the last":  {facts{Size: 1, Time: minuteOf(at) - 120, At: at}, facts{Size: 1, Time: minuteOf(at) - 120}, at, true},
		"a minute, and then a day":       {facts{Size: 1, Time: minuteOf(at) - 120, At: at}, facts{Size: 1, Time: dayOf(at), Day: true}, at, true},
		"a minute, and then another day": {facts{Size: 1, Time: minuteOf(at) - 120, At: at}, facts{Size: 1, Time: dayOf(at) + 86400, Day: true}, at, false},
		"today":                          {facts{Size: 1, Time: dayOf(at), Day: true, At: at}, facts{Size: 1, Time: dayOf(at), Day: true}, at, false},
		"a day long ago":                 {facts{Size: 1, Time: dayOf(at) - 10*86400, Day: true, At: at}, facts{Size: 1, Time: dayOf(at) - 10*86400, Day: true}, at, true},
		"in the future":                  {facts{Size: 1, Time: at + 1000, At: at}, facts{Size: 1, Time: at + 1000}, at, false},
	} {
		if got := c.f.same(&c.now, c.asked); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (*facts)(nil).same(&facts{Size: 1, Time: at}, at) {
		t.Error("nothing is the same as something")
	}
}

// A file that changes in the second of its listing, with the same size, is fetched in the next run.
func TestRacy(t *testing.T) {
	var files moving
	first := fstest.MapFS{"pub/a": {Data: []byte("one"), ModTime: time.Now().Truncate(time.Second)}}
	files.now.Store(&first)
	s := ftptest.NewServer(&files)
	defer s.Close()
	dir := t.TempDir()
	changes(t, newMirror(t, dir), s.URL+"/pub/")
	second := fstest.MapFS{"pub/a": {Data: []byte("two"), ModTime: first["pub/a"].ModTime}}
	files.now.Store(&second)
	changes(t, newMirror(t, dir), s.URL+"/pub/")
	if have := filesIn(t, dir); have["pub/a"] != "two" {
		t.Errorf("%q", have)
	}
}

// A symbolic link out of the directory is not followed, also for a file or a partial file.
func TestLinksOut(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<a href=f.txt>f</a><a href=d/g.txt>g</a><a href=p.txt>p</a>`, "/f.txt": "f", "/d/g.txt": "g", "/p.txt": "p"})
	outside := t.TempDir()
	target := filepath.Join(outside, "mine")
	os.WriteFile(target, []byte("mine"), 0o666)
	for _, flags := range []string{"", "overwrite", "noclobber", "delete"} {
		dir := t.TempDir()
		host := filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(s.URL, "http://"), ":", "+"))
		os.MkdirAll(host, 0o777)
		for link, to := range map[string]string{"f.txt": target, "d": outside, "p.txt.part": target, "p.txt.part.json": target} {
			if err := os.Symlink(to, filepath.Join(host, link)); err != nil {
				t.Skip(err)
			}
		}
		for range 2 {
			m := newMirror(t, dir)
			m.Overwrite, m.NoClobber, m.Delete = flags == "overwrite", flags == "noclobber", flags == "delete"
			m.Convert, m.Backup = true, true
			changes(t, m, s.URL+"/")
		}
		entries, _ := os.ReadDir(outside)
		if text, _ := os.ReadFile(target); string(text) != "mine" || len(entries) != 1 {
			t.Errorf("%s: outside there are %v, and %q", flags, entries, text)
		}
	}
}
