package mirror

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/integration/sitetest"
	"github.com/seed1ea3422f/fetch/url"
)

// A converted copy of a site has a file for each resource, and each link refers to the file of its
// target. A second run changes no file.
func TestSite(t *testing.T) {
	site := sitetest.New()
	defer site.Close()
	dir := t.TempDir()
	files := make(map[string]string) // by key
	var before map[string]string
	for n := range 2 {
		m := newMirror(t, dir)
		m.Convert, m.Adjust, m.Scope.Requisites = true, true, true
		for c, err := range m.Run(t.Context(), parse(t, site.URL+"/")) {
			if err != nil {
				t.Fatal(err)
			}
			key, _ := site.Key(c.URL.String())
			switch {
			case c.Path != "" && n == 0:
				files[key] = c.Path
			case c.Kind == Failed && key != "/absent.html", c.Kind == Changed, c.Kind == Added && n > 0, c.Kind == Skipped && !strings.Contains(c.Why, "mailto"):
				t.Errorf("run %d: %s %s: %v %s", n, c.Kind, c.URL, c.Err, c.Why)
			}
		}
		if n > 0 {
			if now := times(t, dir); !maps.Equal(now, before) {
				t.Errorf("the second run has left\n%v\nand the first\n%v", now, before)
			}
			break
		}
		before = times(t, dir)
		if files["/index.html"] == "" { // the server has the same validator for both
			files["/index.html"] = files["/"]
		}
		for _, key := range site.Wanted() {
			if files[key] == "" {
				t.Errorf("no file of %s", key)
			}
		}
		for key := range files {
			if _, ok := site.Resource(key); !ok {
				t.Errorf("%s is in the copy, and not in the site", key)
			}
		}
		for key, name := range files {
			compareLinks(t, site, dir, files, key, name)
		}
	}
}

// times returns the time and the size of each file below a directory.
func times(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for name := range filesIn(t, dir) {
		info, err := os.Stat(filepath.Join(dir, hostDir(t, dir), filepath.FromSlash(name)))
		if err == nil { // it is of the first host
			all[name] = fmt.Sprint(info.ModTime(), info.Size())
		}
	}
	return all
}

// compareLinks compares the links of a page with those of its file.
func compareLinks(t *testing.T, site *sitetest.Site, dir string, files map[string]string, key, name string) {
	t.Helper()
	r, _ := site.Resource(key)
	mediaType, _, _ := strings.Cut(r.Type, ";")
	body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Error(err)
		return
	}
	format, ok := links.FormatOf(mediaType)
	if !ok {
		if !bytes.Equal(body, r.Body) {
			t.Errorf("%s has not the content of %s", name, key)
		}
		return
	}
	address := site.URL + escapedKey(key)
	if rest, ok := strings.CutPrefix(key, "other:"); ok {
		address = site.Other + escapedKey(rest)
	}
	var before, after []links.Link
	for l, err := range format.Read(parse(t, address), bytes.NewReader(r.Body)) {
		if err == nil && l.Element != "base" {
			before = append(before, l)
		}
	}
	for l, err := range format.Read(parse(t, "file:///"+escapePath(name)), bytes.NewReader(body)) {
		if err == nil && l.Element != "base" {
			after = append(after, l)
		}
	}
	if len(before) != len(after) {
		t.Errorf("%s has %d links, and its file %s %d", key, len(before), name, len(after))
		return
	}
	for i, l := range before {
		target, _ := site.Key(l.URL.String())
		want, fragment := l.URL.String(), l.URL.Fragment
		for range 10 {
			if files[target] != "" {
				want = "file:///" + escapePath(files[target]) + fragment
				break
			}
			u, err := url.Parse(site.Location(target))
			if err != nil {
				break
			}
			if fragment == "" {
				fragment = u.Fragment
			}
			target, _ = site.Key(u.String())
		}
		if got := after[i].URL.String(); got != want {
			t.Errorf("%s: %s.%s %q leads in %s to %s, and not to %s", key, l.Element, l.Attr, l.Text, name, got, want)
		}
	}
}

// escapedKey returns the path and query of a key.
func escapedKey(key string) string {
	elements := strings.SplitN(key, "?", 2)
	p := strings.NewReplacer("%252F", "%2F", "%253F", "%3F").Replace(escapePath(elements[0]))
	if len(elements) == 2 {
		p += "?" + elements[1]
	}
	return p
}
