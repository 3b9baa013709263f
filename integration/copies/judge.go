package main

import (
	"bytes"
	"html"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A found has the files of a copy, and its differences from the tree.
type found struct {
	missing  []string          // items that no file has
	wrong    []string          // files that have the content of no item
	dangling []string          // links of pages that lead to no file
	files    map[string]string // content by name
}

// judge compares a copy with its tree.
func (t *tree) judge(dir string) (f found, err error) {
	f.files = make(map[string]string)
	have := make([]bool, len(t.items))
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "hts-cache" {
				return fs.SkipDir
			}
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		b, err := os.ReadFile(name)
		if err != nil || own(rel, b) {
			return err
		}
		f.files[rel] = string(b)
		good := false
		for i, it := range t.items {
			if it.in(b) {
				have[i], good = true, true
			}
		}
		if !good {
			f.wrong = append(f.wrong, rel)
		}
		if t.pages {
			f.dangling = append(f.dangling, danglingIn(dir, rel, b)...)
		}
		return nil
	})
	if os.IsNotExist(err) { // a program may have copied nothing
		err = nil
	}
	for i, it := range t.items {
		if !have[i] {
			f.missing = append(f.missing, it.name)
		}
	}
	return f, err
}

// own reports whether a file is one that a program keeps for itself.
func own(name string, content []byte) bool {
	return strings.HasPrefix(filepath.Base(name), ".fetch-mirror") || slices.Contains([]string{"hts-log.txt", "cookies.txt", "backblue.gif", "fade.gif"}, name) ||
		name == "index.html" && bytes.Contains(content, []byte("HTTrack"))
}

// changes returns how many files have another content than before, or are new.
func (f found) changes(before found) (n int) {
	for name, text := range f.files {
		if old, ok := before.files[name]; !ok || old != text {
			n++
		}
	}
	for name := range maps.Keys(before.files) {
		if _, ok := f.files[name]; !ok {
			n++
		}
	}
	return n
}

// Links as most pages have them. A measurement can do without the rest.
var (
	inPage  = regexp.MustCompile(`(?i)\s(?:xlink:href|href|src|poster|background)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)`)
	inSheet = regexp.MustCompile(`(?i)url\(\s*("[^"]*"|'[^']*'|(?:[^\s"'()\\]|\\.)+)\s*\)|@import\s+("[^"]*"|'[^']*')`)
	comment = regexp.MustCompile(`(?s)<!--.*?-->|<script>.*?</script>|srcdoc="[^"]*"`)
)

// danglingIn returns the links of a file that lead to no file.
func danglingIn(dir, rel string, b []byte) (links []string) {
	b = bytes.ReplaceAll(b, []byte{0}, nil)
	head := strings.ToLower(string(b[:min(len(b), 300)]))
	page := strings.Contains(head, "<html") || strings.Contains(head, "<title") || strings.Contains(head, "<svg") || strings.Contains(head, "<meta")
	sheet := strings.Contains(string(b), "--sheet-") && !page
	var refs []string
	switch {
	case page:
		for _, m := range inPage.FindAllSubmatch(comment.ReplaceAll(b, nil), -1) {
			refs = append(refs, html.UnescapeString(strings.Trim(string(m[1]), `"'`)))
		}
	case sheet:
		for _, m := range inSheet.FindAllSubmatch(b, -1) {
			refs = append(refs, strings.Trim(string(m[1])+string(m[2]), `"'`))
		}
	}
	for _, ref := range refs {
		ref, _, _ = strings.Cut(ref, "#")
		u, err := url.Parse(ref)
		if err == nil && (u.Scheme != "" || u.Host != "" || ref == "") {
			continue
		}
		name := ref
		if err == nil {
			name = u.Path
		}
		to := filepath.Join(dir, filepath.Dir(rel), filepath.FromSlash(name))
		if strings.HasPrefix(name, "/") { // a browser looks for it in the root of all files
			to = name
		}
		if info, err := os.Stat(to); err != nil || info.IsDir() {
			links = append(links, rel+" -> "+ref)
		}
	}
	return links
}
