package mirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// File names are bytes, which need not be valid UTF-8, and the next run finds the file again.
func TestOctets(t *testing.T) {
	s := newSite(t, map[string]string{
		"/":            `<a href="/%E4%FF.txt">1</a><a href="/100%25%41.txt">2</a><a href="/%EF%BF%BD.txt">3</a>`,
		"/%E4%FF.txt":  "1",
		"/100%25A.txt": "2", "/100%25%41.txt": "2",
		"/%EF%BF%BD.txt": "3",
	})
	dir := t.TempDir()
	changes(t, newMirror(t, dir), s.URL+"/")
	first := filesIn(t, dir)
	for name, text := range map[string]string{"\xe4\xff.txt": "1", "100%A.txt": "2", "\uFFFD.txt": "3"} {
		if first[name] != text && runtime.GOOS == "linux" {
			t.Errorf("%q is %q", name, first[name])
		}
	}
	s.requests()
	changes(t, newMirror(t, dir), s.URL+"/")
	if second := filesIn(t, dir); len(second) != len(first) || len(first) != 4 {
		t.Errorf("first %q, then %q", first, second)
	}
	for _, line := range s.requests() {
		if !strings.HasPrefix(line, "304 ") {
			t.Errorf("the next run: %s", line)
		}
	}
}

// Long texts of a server do not end a run: a redirection and an ETag.
func TestLongTexts(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/":
			io.WriteString(w, `<a href=moved>1</a><a href=tag>2</a><a href=last>3</a>`)
		case "/moved":
			w.Header().Set("Location", strings.Repeat("&", 200<<10))
			w.WriteHeader(302)
		case "/tag":
			w.Header().Set("ETag", `"`+strings.Repeat("<", 200<<10)+`"`)
		}
	}))
	defer s.Close()
	dir := t.TempDir()
	got := slices.DeleteFunc(changes(t, newMirror(t, dir), s.URL+"/"), func(line string) bool { return strings.HasPrefix(line, "skipped /&&") })
	want(t, got, "added index.html", "skipped /moved", "added tag", "added last")
}

// An item in two menus is fetched once per run, and is not gone while one of them has it.
func TestTwoMenus(t *testing.T) {
	const first, second = "1A\ta\n1B\tb\n", "1B\tb\n"
	const item = "0X\tx.txt\n"
	files := fstest.MapFS{"x.txt": {Data: []byte("x")}}
	s := gophertest.NewServer(files, gophertest.Menu("", first), gophertest.Menu("a", item), gophertest.Menu("b", item))
	dir := t.TempDir()
	for range 2 {
		before := len(s.Transcript())
		changes(t, newMirror(t, dir), s.URL+"/")
		asked := slices.DeleteFunc(s.Transcript()[before:], func(line string) bool { return !strings.HasPrefix(line, "x.txt") })
		if len(asked) != 1 {
			t.Errorf("the item was asked for by %q", asked)
		}
	}
	s.Close()
	s = gophertest.NewServer(files, gophertest.Menu("", second), gophertest.Menu("b", item), gophertest.Listen(s.Addr))
	defer s.Close()
	m := newMirror(t, dir)
	m.Delete = true
	lines := changes(t, m, s.URL+"/")
	if have := filesIn(t, dir); have["x.txt"] != "x\r\n" {
		t.Errorf("%q: %q", have, lines)
	}
}

// A directory has one run at a time.
func TestInUse(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<a href=a>a</a>`, "/a": "a"})
	dir := t.TempDir()
	for range newMirror(t, dir).Run(t.Context(), parse(t, s.URL+"/")) {
		got := changes(t, newMirror(t, dir), s.URL+"/")
		if len(got) != 1 || !strings.Contains(got[0], "in use by another process") {
			t.Errorf("a second run says %q", got)
		}
		break
	}
	changes(t, newMirror(t, dir), s.URL+"/")
	if have := filesIn(t, dir); have["a"] != "a" {
		t.Errorf("afterwards there is %q", have)
	}
}

// A damaged Frontier file is refused, and nothing is deleted.
func TestDamaged(t *testing.T) {
	var files moving
	first := tenFiles()
	files.now.Store(&first)
	s := ftptest.NewServer(&files)
	defer s.Close()
	dir := t.TempDir()
	changes(t, newMirror(t, dir), s.URL+"/pub/")
	name := filepath.Join(dir, stateName)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	none := fstest.MapFS{"pub/x": {Data: []byte("x"), ModTime: old}}
	files.now.Store(&none)
	for what, text := range map[string]string{
		"another version": strings.Replace(string(good), "frontier 1", "frontier 2", 1),
		"another file":    "something else",
		"a changed byte":  string(good[:200]) + string(good[200]^1) + string(good[201:]),
		"a hole":          string(good[:100]) + string(make([]byte, 50)) + string(good[150:]),
	} {
		os.WriteFile(name, []byte(text), 0o600)
		m := newMirror(t, dir)
		m.Delete = true
		var last error
		for c, err := range m.Run(t.Context(), parse(t, s.URL+"/pub/")) {
			last = err
			if err == nil {
				t.Errorf("%s: %+v", what, c)
			}
		}
		if !errors.Is(last, ErrDamaged) || !strings.Contains(fmt.Sprint(last), stateName) {
			t.Errorf("%s: %v", what, last)
		}
		if after, _ := os.ReadFile(name); string(after) != text {
			t.Errorf("%s: the file was changed", what)
		}
	}
	for _, size := range []int{0, 10, 40, 100, len(good) / 2, len(good) - 3} {
		os.WriteFile(name, good[:size], 0o600)
		m := newMirror(t, dir)
		m.Delete = true
		lines := changes(t, m, s.URL+"/pub/")
		for file := range filesIn(t, dir) {
			if file == "pub/x" {
				os.Remove(filepath.Join(dir, hostDir(t, dir), file))
			}
		}
		t.Logf("cut after %d bytes: %q", size, lines)
		if have := filesIn(t, dir); size < 100 && len(have) != 11 {
			t.Errorf("cut after %d bytes: %d files are left", size, len(have))
		}
		files.now.Store(&first)
		changes(t, newMirror(t, dir), s.URL+"/pub/")
		files.now.Store(&none)
	}
}

// A Frontier whose notes lead elsewhere is refused.
func TestHostileNotes(t *testing.T) {
	s := newSite(t, map[string]string{"/": "x"})
	outside := filepath.Join(t.TempDir(), "outside")
	os.WriteFile(outside, []byte("mine"), 0o666)
	for _, path := range []string{"../outside", "/etc/passwd", "a/../../outside", stateName, "./" + stateName, "a/../" + stateName} {
		dir := t.TempDir()
		f, err := crawl.Open(filepath.Join(dir, stateName))
		if err != nil {
			t.Fatal(err)
		}
		u := parse(t, s.URL+"/")
		f.Add(crawl.Item{URL: u, From: crawl.None})
		e, _, _ := f.Next(nil)
		f.Finish(e.ID, crawl.Done, note{Path: path, Size: 4, Time: 1}.bytes())
		f.Close()
		got := changes(t, newMirror(t, dir), s.URL+"/")
		if len(got) != 1 || !strings.Contains(got[0], "no file of the copy can have") {
			t.Errorf("%s: %q", path, got)
		}
	}
	if text, _ := os.ReadFile(outside); string(text) != "mine" {
		t.Errorf("the file outside is %q", text)
	}
}

// Names in a listing never lead out of the directory.
func TestHostileNames(t *testing.T) {
	names := fstest.MapFS{}
	for _, name := range []string{"a\\..\\b", "new\nline", "..%2f..%2fx", "con", ".fetch-mirror", "-rf", "x.part", "x.part.json", "\x1b[2J", "a\u202etxt.exe", strings.Repeat("n", 250) + "1", strings.Repeat("n", 250) + "2"} {
		names[name] = &fstest.MapFile{Data: []byte(name), ModTime: old}
	}
	tree := &hiding{MapFS: fstest.MapFS{}, more: map[string]fstest.MapFS{"pub": names}}
	tree.MapFS["pub/good.txt"] = &fstest.MapFile{Data: []byte("good"), ModTime: old}
	for name, f := range names {
		if fs.ValidPath(name) {
			tree.MapFS["pub/"+name] = f
		}
	}
	tree.more = nil
	s := ftptest.NewServer(tree)
	defer s.Close()
	above := t.TempDir()
	dir := filepath.Join(above, "dir")
	for range 2 {
		changes(t, newMirror(t, dir), s.URL+"/pub/")
		for name := range filesIn(t, dir) {
			base := filepath.Base(name)
			if !strings.HasPrefix(name, "pub/") || strings.HasPrefix(base, ".") || strings.ContainsAny(base, "\x00\n\x1b\u202e") {
				t.Errorf("a file %q", name)
			}
		}
	}
	if entries, _ := os.ReadDir(above); len(entries) != 1 {
		t.Errorf("outside there are %v", entries)
	}
}

// A redirection never leads to a local file, and to another host only from the root.
func TestRedirectedAway(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	os.WriteFile(secret, []byte("secret"), 0o600)
	for _, to := range []string{"file://" + secret, "file://localhost" + secret} {
		s := newSite(t, map[string]string{"/": "-> " + to, "/page": `<a href="/">x</a><a href="` + to + `">y</a><a href="/away">z</a>`, "/away": "-> " + to})
		for _, root := range []string{"/", "/page"} {
			dir := t.TempDir()
			m, client := ofAll(dir)
			registryOf(client).Register(new(file.Fetcher), "file")
			lines := changes(t, m, s.URL+root)
			client.CloseIdle()
			for name, text := range filesIn(t, dir) {
				if text == "secret" {
					t.Errorf("%s: %s is the file: %q", root, name, lines)
				}
			}
		}
	}
}

// If the loop breaks or ctx ends, also within a listing, nothing of the run is left, and the next
// run continues it.
func TestBrokenOff(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 300 {
		files[fmt.Sprintf("pub/d%d/f%d.txt", i%7, i)] = &fstest.MapFile{Data: fmt.Append(nil, i), ModTime: old}
	}
	s := ftptest.NewServer(files, ftptest.Rate(20<<10))
	defer s.Close()
	dir := t.TempDir()
	for i := range 12 {
		m, client := ofAll(dir)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*20*time.Millisecond)
		n := 0
		for c := range m.Run(ctx, parse(t, s.URL+"/pub/")) {
			if c.Kind == Failed {
				t.Errorf("%s: %v", c.URL, c.Err)
			}
			if n++; i%2 == 0 && n == 5 {
				break
			}
		}
		cancel()
		client.CloseIdle()
		f, err := crawl.Open(filepath.Join(dir, stateName))
		if err != nil {
			t.Fatal(err)
		}
		if c := f.Counts(); c.Doing != 0 {
			t.Errorf("%+v", c)
		}
		f.Close()
	}
	lines := changes(t, newMirror(t, dir), s.URL+"/pub/")
	if n := len(filesIn(t, dir)); n != 300 {
		t.Errorf("%d files: the last run says %d lines", n, len(lines))
	}
}

// A file becomes a directory at the server, and vice versa.
func TestFileBecomesDirectory(t *testing.T) {
	var files moving
	states := []fstest.MapFS{
		{"pub/x": {Data: []byte("file"), ModTime: old}, "pub/y/a": {Data: []byte("in y"), ModTime: old}},
		{"pub/y": {Data: []byte("file"), ModTime: old}, "pub/x/a": {Data: []byte("in x"), ModTime: old}},
	}
	files.now.Store(&states[0])
	s := ftptest.NewServer(&files)
	defer s.Close()
	dir := t.TempDir()
	for round := range 6 {
		state := states[round%2]
		files.now.Store(&state)
		m := newMirror(t, dir)
		m.Delete = true
		lines := changes(t, m, s.URL+"/pub/")
		var got []string
		for _, text := range filesIn(t, dir) {
			got = append(got, text)
		}
		slices.Sort(got)
		if want := []string{"file", []string{"in y", "in x"}[round%2]}; !slices.Equal(got, want) {
			t.Errorf("round %d: %q, want %q: %q", round, got, want, lines)
		}
	}
}
