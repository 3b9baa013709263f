package browser

import (
	"io/fs"
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/crawl/mirror"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/sitetest"
	"github.com/seed1ea3422f/fetch/url"
)

// copySite mirrors the site into a directory, and returns the files by the keys of their URLs.
func copySite(t *testing.T, site *sitetest.Site, dir string) map[string]string {
	t.Helper()
	root, err := url.Parse(site.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	watch := &hosts.Fetcher{Fetcher: fetch.Protocols(nil)}
	client := &fetchers.Client{Fetcher: watch}
	defer client.CloseIdle()
	m := &mirror.Mirror{Dir: dir, Fetcher: client, Saver: download.Saver{Fetcher: client}, Hosts: watch, Convert: true, Adjust: true}
	m.Scope.Requisites = true
	files := make(map[string]string)
	for c, err := range m.Run(t.Context(), root) {
		if err != nil {
			t.Fatal(err)
		}
		if key, ok := site.Key(c.URL.String()); ok && c.Path != "" {
			files[key] = filepath.Join(dir, filepath.FromSlash(c.Path))
		}
	}
	return files
}

// snapshot returns the time and the size of all files of a directory.
func snapshot(t *testing.T, dir string) (lines []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".fetch-mirror") {
			return err
		}
		info, err := d.Info()
		lines = append(lines, name+" "+fs.FormatFileInfo(info))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func fileURL(name string) string {
	return (&neturl.URL{Scheme: "file", Path: filepath.ToSlash(name)}).String()
}

// isPage reports whether a browser shows a file as a page.
func isPage(name string) bool {
	return slices.Contains([]string{".html", ".xhtml", ".svg"}, filepath.Ext(name))
}

// A browser loads all parts of the pages of a copy, and the links of a page lead to files. A second run of the
// mirror changes no file.
func TestCopy(t *testing.T) {
	site := sitetest.New()
	defer site.Close()
	dir := t.TempDir()
	files := copySite(t, site, dir)
	before := snapshot(t, dir)
	copySite(t, site, dir)
	if now := snapshot(t, dir); !slices.Equal(now, before) {
		t.Errorf("the second run has left\n%s\nand the first\n%s", strings.Join(now, "\n"), strings.Join(before, "\n"))
	}
	site.Close() // a copy needs no server

	t.Run("as it comes", func(t *testing.T) {
		browser := start(t)
		for key, name := range files {
			if isPage(name) && key != "/apart.html" {
				check(t, key, browser.show(t, fileURL(name)))
			}
		}
		v := browser.show(t, fileURL(files["/apart.html"]))
		for _, text := range v.failed {
			if !refused(text) {
				t.Errorf("/apart.html: %s", text)
			}
		}
		if len(v.failed) == 0 {
			t.Error("/apart.html: the browser has loaded what it is said to refuse: it belongs to the other pages")
		}
	})
	t.Run("with access to files", func(t *testing.T) {
		check(t, "/apart.html", start(t, "allow-file-access-from-files").show(t, fileURL(files["/apart.html"])))
	})
}

// refused reports whether a text of the log is about something that a browser loads only from a server or with a flag,
// because each file: URL is an origin of its own: modules, manifests, captions, and symbols of other drawings.
func refused(text string) bool {
	return slices.ContainsFunc([]string{"module.mjs", "preloaded.mjs", "site.webmanifest", "captions.vtt", "sprite.svg", "sprite2.svg", "from origin 'null'"}, func(part string) bool {
		return strings.Contains(text, part)
	})
}

// parts are the style sheets and scripts that a page has, by its key.
var parts = map[string]struct{ sheets, scripts string }{
	"/":                {"deep imported imported2 lib main plain", "app late svg"},
	"/index.html":      {"deep imported imported2 lib main plain", "app late svg"},
	"/based/page.html": {"based", ""},
	"/page.xhtml":      {"xhtml xml", "xhtml"},
	"/strict":          {"xhtml xml", "xhtml"},
	"/drawing.svg":     {"drawing drawing2", ""},
	"/checked.html":    {"checked", "lib shared"},
	"/policy.html":     {"policy", "policy"},
	"/apart.html":      {"", "module"},
}

// check reports the faults of a page.
func check(t *testing.T, key string, v view) {
	t.Helper()
	for _, text := range v.failed {
		t.Errorf("%s: %s", key, text)
	}
	for _, text := range v.Broken {
		t.Errorf("%s: it shows no %s", key, text)
	}
	slices.Sort(v.Scripts)
	if sheets, scripts := strings.Join(v.Sheets, " "), strings.Join(v.Scripts, " "); sheets != parts[key].sheets || scripts != parts[key].scripts {
		t.Errorf("%s has the style sheets %q and the scripts %q, want %q", key, sheets, scripts, parts[key])
	}
	for _, link := range v.Links {
		u, err := neturl.Parse(link)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		switch u.Scheme {
		case "file":
			if info, err := os.Stat(filepath.FromSlash(u.Path)); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s leads to %s, which is no file: %v", key, link, err)
			}
		case "mailto", "data":
		default:
			if u.Path != "/absent.html" {
				t.Errorf("%s leads to %s, which is not in the copy", key, link)
			}
		}
	}
	t.Logf("%s: %d loads", key, len(v.loaded))
}
