package mirror

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	fetchhttp "github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

// TestMain is also the program that TestKilled kills: a mirror of $MIRROR_ROOT in $MIRROR_DIR.
func TestMain(m *testing.M) {
	if os.Getenv("MIRROR_ROOT") == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := mirrorAsTold(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// old is the modification time of the files of the test servers.
var old = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

func parse(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// newMirror returns a Mirror of a test directory.
func newMirror(t testing.TB, dir string) *Mirror {
	t.Helper()
	m, client := ofAll(dir)
	t.Cleanup(client.CloseIdle)
	return m
}

// ofAll returns a Mirror for the protocols of the test servers, and its client.
func ofAll(dir string) (*Mirror, *fetchers.Client) {
	registry := new(fetchers.Registry)
	registry.Register(&fetchhttp.Fetcher{}, "http")
	registry.Register(&ftp.Fetcher{}, "ftp")
	registry.Register(&gopher.Fetcher{}, "gopher")
	watch := &hosts.Fetcher{Fetcher: registry}
	client := &fetchers.Client{Fetcher: watch}
	return &Mirror{Dir: dir, Fetcher: client, Saver: download.Saver{Fetcher: client, Segments: 1}, Hosts: watch}, client
}

// registryOf returns the Registry of a client from ofAll.
func registryOf(c *fetchers.Client) *fetchers.Registry {
	return c.Fetcher.(*hosts.Fetcher).Fetcher.(*fetchers.Registry)
}

// changes runs a Mirror, and returns its results: the kind and the path, or else the URL without
// its server.
func changes(t testing.TB, m *Mirror, roots ...string) []string {
	t.Helper()
	var urls []*url.URL
	for _, r := range roots {
		urls = append(urls, parse(t, r))
	}
	var lines []string
	for c, err := range m.Run(t.Context(), urls...) {
		if err != nil {
			lines = append(lines, "error "+err.Error())
			continue
		}
		name := c.Path
		if name == "" {
			_, rest, _ := strings.Cut(c.URL.String(), "://")
			name = rest[strings.IndexByte(rest, '/'):]
		} else if !m.NoHost {
			_, name, _ = strings.Cut(name, "/")
		}
		line := c.Kind.String() + " " + name
		if c.Kind == Failed {
			t.Logf("%s: %v", name, c.Err)
		}
		if c.Deleted {
			line += " deleted"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func want(t testing.TB, got []string, lines ...string) {
	t.Helper()
	slices.Sort(lines)
	if !slices.Equal(got, lines) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// filesIn returns the files below a directory with their contents, without the host.
func filesIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), stateName) {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		_, rel, _ = strings.Cut(filepath.ToSlash(rel), "/")
		files[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A site is a server of pages by path. It records requests.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
	asked []string // status and path
}

func newSite(t testing.TB, pages map[string]string) *site {
	s := &site{pages: pages}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := req.URL.RequestURI()
	text, ok := s.pages[path]
	tag := fmt.Sprintf("%q", fmt.Sprint(len(text), text[:min(len(text), 5)]))
	status := 200
	switch {
	case !ok:
		status = 404
	case strings.HasPrefix(text, "-> "):
		status = 302
		w.Header().Set("Location", strings.TrimPrefix(text, "-> "))
	case req.Header.Get("If-None-Match") == tag:
		status = 304
	}
	s.asked = append(s.asked, fmt.Sprint(status, " ", path))
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Type", kindOf(path))
	w.WriteHeader(status)
	if status == 200 {
		w.Write([]byte(text))
	}
}

func kindOf(path string) string {
	switch filepath.Ext(path) {
	case ".css":
		return "text/css"
	case ".png":
		return "image/png"
	case ".txt":
		return "text/plain"
	}
	return "text/html; charset=utf-8"
}

func (s *site) put(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = text
	if text == "" {
		delete(s.pages, path)
	}
}

// requests returns the requests since the last call.
func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	slices.Sort(asked)
	return asked
}

// A site is mirrored by its links. The next run requests pages with a condition, and a page with
// status 404 is gone.
func TestPages(t *testing.T) {
	s := newSite(t, map[string]string{
		"/":           `<a href=a>a</a><a href=sub/>sub</a><link rel=stylesheet href=s.css><a href=moved>m</a><a href="/q?x=1">q</a>`,
		"/a":          "a",
		"/sub/":       `<a href="b.html#x">b</a>`,
		"/sub/b.html": "b",
		"/s.css":      "body { background: url(i.png) }",
		"/i.png":      "png",
		"/moved":      "-> /a",
		"/q?x=1":      "query",
	})
	dir := t.TempDir()
	m := newMirror(t, dir)
	got := changes(t, m, s.URL+"/")
	want(t, got, "added index.html", "added a", "added sub/index.html", "added sub/b.html", "added s.css", "added i.png", "visited /moved", "added q@x=1")
	if files := filesIn(t, dir); files["q@x=1"] != "query" || files["sub/b.html"] != "b" || len(files) != 7 {
		t.Errorf("files %q", files)
	}
	s.requests()
	want(t, changes(t, newMirror(t, dir), s.URL+"/"), "unchanged index.html", "unchanged a", "unchanged sub/index.html", "unchanged sub/b.html", "unchanged s.css", "unchanged i.png", "visited /moved", "unchanged q@x=1")
	want(t, s.requests(), "304 /", "304 /a", "304 /sub/", "304 /sub/b.html", "304 /s.css", "304 /i.png", "302 /moved", "304 /q?x=1")

	s.put("/a", "another")
	s.put("/i.png", "")
	s.put("/sub/", `<a href=c.txt>c</a>`)
	s.put("/sub/c.txt", "c")
	m = newMirror(t, dir)
	m.Delete = true
	want(t, changes(t, m, s.URL+"/"), "unchanged index.html", "changed a", "changed sub/index.html", "added sub/c.txt", "unchanged sub/b.html", "unchanged s.css", "gone i.png deleted", "visited /moved", "unchanged q@x=1")
	if _, there := filesIn(t, dir)["i.png"]; there {
		t.Error("i.png is still there")
	}
}

// An FTP tree is mirrored by its listings: the next run requests one listing per directory and no
// file.
func TestListed(t *testing.T) {
	files := fstest.MapFS{}
	for d := range 5 {
		for f := range 10 {
			files[fmt.Sprintf("pub/d%d/f%d.txt", d, f)] = &fstest.MapFile{Data: fmt.Appendf(nil, "%d-%d", d, f), ModTime: old}
		}
	}
	s := ftptest.NewServer(files)
	t.Cleanup(s.Close)
	dir := t.TempDir()
	got := changes(t, newMirror(t, dir), s.URL+"/pub/")
	if n := len(got); n != 56 || !slices.Contains(got, "added pub/d3/f7.txt") {
		t.Fatalf("%d: %q", n, got)
	}
	if n := len(filesIn(t, dir)); n != 50 {
		t.Errorf("%d files", n)
	}
	info, err := os.Stat(filepath.Join(dir, hostDir(t, dir), "pub/d3/f7.txt"))
	if err != nil || !info.ModTime().Equal(old) {
		t.Errorf("the time of a file: %v, %v", info.ModTime(), err)
	}
	before := len(s.Requests())
	got = changes(t, newMirror(t, dir), s.URL+"/pub/")
	want(t, got, "visited /pub/", "visited /pub/d0/", "visited /pub/d1/", "visited /pub/d2/", "visited /pub/d3/", "visited /pub/d4/")
	lists := 0
	for _, c := range s.Requests()[before:] {
		switch c.Command {
		case "MLSD", "LIST", "NLST":
			lists++
		case "RETR":
			t.Errorf("%+v", c)
		}
	}
	if lists != 6 {
		t.Errorf("%d listings", lists)
	}
}

// hostDir is the directory of the server in the directory of a copy.
func hostDir(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			return e.Name()
		}
	}
	t.Fatal("no directory of a server")
	return ""
}

// Links of the copy refer to its files and otherwise to the web, also after a second conversion.
func TestConvert(t *testing.T) {
	s := newSite(t, map[string]string{
		"/":           `<base href="/sub/"><a href="b.html#x">b</a><img src="../i.png"><a href="http://other.example/">o</a><a href="/moved">m</a><a href="gone">g</a>`,
		"/sub/b.html": `<a href="/">top</a><p style="background: url(/i.png)">`,
		"/i.png":      "png",
		"/moved":      "-> /q?x=1",
		"/q?x=1":      "query",
	})
	dir := t.TempDir()
	page := func() string {
		m := newMirror(t, dir)
		m.Convert, m.Backup = true, true
		changes(t, m, s.URL+"/")
		return filesIn(t, dir)["index.html"]
	}
	want := fmt.Sprintf(`<base href=""><a href="sub/b.html#x">b</a><img src="i.png"><a href="http://other.example/">o</a><a href="q@x=1">m</a><a href="%s/sub/gone">g</a>`, s.URL)
	for i := range 3 {
		if got := page(); got != want {
			t.Fatalf("run %d: got\n%s\nwant\n%s", i, got, want)
		}
	}
	files := filesIn(t, dir)
	if got := files["sub/b.html"]; got != `<a href="../index.html">top</a><p style="background: url(../i.png)">` {
		t.Errorf("sub/b.html is %s", got)
	}
	if got := files["index.html.orig"]; got != s.pages["/"] {
		t.Errorf("the page as it came is %s", got)
	}
	asked := s.requests()
	s.put("/sub/gone", "back")
	page()
	want = strings.Replace(want, s.URL+"/sub/gone", "sub/gone", 1)
	if got := page(); got != want {
		t.Errorf("with a page that came later: got\n%s\nwant\n%s", got, want)
	}
	if n := len(slices.DeleteFunc(asked, func(l string) bool { return !strings.HasPrefix(l, "200 /i.png") })); n != 1 {
		t.Errorf("i.png came %d times", n)
	}
	s.put("/", `<a href="/sub/b.html">changed</a>`)
	if got := page(); got != `<a href="sub/b.html">changed</a>` {
		t.Errorf("a page that has changed: %s", got)
	}
}

// A file of the user stays, and a link does not lead out of the directory.
func TestOccupied(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<a href=a.txt>a</a><a href=b.txt>b</a><a href=d/c.txt>c</a>`, "/a.txt": "a", "/b.txt": "b", "/d/c.txt": "c"})
	dir, outside := t.TempDir(), t.TempDir()
	host := filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(s.URL, "http://"), ":", "+"))
	os.MkdirAll(host, 0o777)
	os.WriteFile(filepath.Join(host, "a.txt"), []byte("mine"), 0o666)
	if err := os.Symlink(outside, filepath.Join(host, "d")); err != nil {
		t.Skip(err)
	}
	got := changes(t, newMirror(t, dir), s.URL+"/")
	want(t, got, "added index.html", "failed /a.txt", "added b.txt", "failed /d/c.txt")
	if b, _ := os.ReadFile(filepath.Join(host, "a.txt")); string(b) != "mine" {
		t.Errorf("a.txt is %q", b)
	}
	if e, _ := os.ReadDir(outside); len(e) > 0 {
		t.Errorf("outside there is %v", e)
	}
	os.WriteFile(filepath.Join(host, "b.txt"), []byte("edited"), 0o666)
	s.put("/b.txt", "new at the server")
	got = changes(t, newMirror(t, dir), s.URL+"/")
	want(t, got, "unchanged index.html", "failed /a.txt", "failed /b.txt", "failed /d/c.txt")
	m := newMirror(t, dir)
	m.Overwrite = true
	got = changes(t, m, s.URL+"/")
	want(t, got, "unchanged index.html", "changed a.txt", "changed b.txt", "failed /d/c.txt")
}

// A name belongs to one URL, even if it is a directory of another.
func TestClash(t *testing.T) {
	s := newSite(t, map[string]string{
		"/":  `<a href=a>1</a><a href=a/b>2</a><a href="a/b/c">3</a><a href="a%2Fb">4</a><a href="..%2F..%2Fx">5</a><a href="con">6</a><a href=".profile">7</a>`,
		"/a": "1", "/a/b": "2", "/a/b/c": "3", "/a%2Fb": "4", "/..%2F..%2Fx": "5", "/con": "6", "/.profile": "7",
	})
	dir := t.TempDir()
	m := newMirror(t, dir)
	m.Most = 1
	for range 2 {
		changes(t, m, s.URL+"/")
		files := filesIn(t, dir)
		delete(files, "index.html")
		var contents []string
		for name, text := range files {
			contents = append(contents, text)
			if slices.Contains(strings.Split(name, "/"), "..") || strings.HasPrefix(name, ".") {
				t.Errorf("a file %s", name)
			}
		}
		want(t, func() []string { slices.Sort(contents); return contents }(), "1", "2", "3", "4", "5", "6", "7")
	}
}

// The page of a directory and its index.html are one file if the server has the same validator for
// both.
func TestTwins(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<a href=index.html>me</a><a href=sub/>s</a>`, "/sub/": `<a href=index.html>other</a>`, "/sub/index.html": "another page"})
	s.put("/index.html", s.pages["/"])
	dir := t.TempDir()
	for range 2 {
		m := newMirror(t, dir)
		m.Convert = true
		changes(t, m, s.URL+"/")
		files := filesIn(t, dir)
		if len(files) != 3 || files["index.html"] != `<a href=index.html>me</a><a href=sub/index.html>s</a>` || files["sub/index.html"] != `<a href=index.1.html>other</a>` {
			t.Errorf("%q", files)
		}
	}
}
