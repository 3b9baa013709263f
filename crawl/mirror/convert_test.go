package mirror

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/crawl"
)

// A run that is killed while it converts a page leaves a note. The next run finds out whether the
// page was replaced, and its links are right in either case.
func TestConvertKilled(t *testing.T) {
	original := `<a href="/sub/b.html">b</a><a href="/gone">g</a><a href="/q?x=1">q</a>`
	for name, c := range map[string]struct {
		convert bool // the page was converted before, for the files of that time
		replace bool // the page was replaced before the kill
	}{
		"before the first page":            {false, false},
		"behind the first page":            {false, true},
		"before it is converted once more": {true, false},
		"behind it":                        {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, map[string]string{"/dir/": original, "/sub/b.html": "b", "/q?x=1": "query"})
			dir := t.TempDir()
			run := func(convert bool) map[string]string {
				m := newMirror(t, dir)
				m.Convert, m.Backup = convert, true
				changes(t, m, s.URL+"/dir/")
				return filesIn(t, dir)
			}
			run(c.convert)
			s.put("/gone", "back")
			page := filepath.Join(dir, hostDir(t, dir), "dir/index.html")
			info, err := os.Stat(page)
			if err != nil {
				t.Fatal(err)
			}
			f, err := crawl.Open(filepath.Join(dir, stateName))
			if err != nil {
				t.Fatal(err)
			}
			e, known, err := f.Lookup(parse(t, s.URL+"/dir/"))
			if !known || err != nil {
				t.Fatal(err)
			}
			n := readNote(e.Note)
			n.Meant = true
			if err := f.Set(e.ID, e.State, n.bytes()); err != nil {
				t.Fatal(err)
			}
			f.Close()
			if c.replace {
				text := fmt.Sprintf(`<a href="../sub/b.html">b</a><a href="%s/gone">g</a><a href="../q@x=1">q</a>`, s.URL)
				if c.convert {
					text += " "
				}
				os.WriteFile(page, []byte(text), 0o666)
				os.Chtimes(page, info.ModTime(), info.ModTime())
			}
			run(true)
			have := run(true)
			want := `<a href="../sub/b.html">b</a><a href="../gone">g</a><a href="../q@x=1">q</a>`
			if c.replace && c.convert {
				want += " "
			}
			if have["dir/index.html"] != want {
				t.Errorf("the page is\n%s\nwant\n%s", have["dir/index.html"], want)
			}
			if kept := have["dir/index.html.orig"]; kept != original && !(c.replace && !c.convert) {
				t.Errorf("the page as it came is %s", kept)
			}
		})
	}
}
