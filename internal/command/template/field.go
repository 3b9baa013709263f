package template

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// Facts are the values for one name.
type Facts struct {
	URL    *url.URL
	Number int      // of the URL in the run, from 1
	Values []string // of the globs
}

// A Field is a name that may stand in braces.
type Field struct {
	Name  string
	Means string // a phrase for the manual

	value func(Facts) []string // the elements of the path; nearly all have one
}

// fields are in the order of the manual.
var fields = []Field{
	{"scheme", "the scheme", func(f Facts) []string { return []string{f.URL.Scheme} }},
	{"host", "the host, without a port", func(f Facts) []string { return []string{f.URL.Host} }},
	{"port", "the port, also if it is the usual one", func(f Facts) []string { return []string{strconv.Itoa(int(f.URL.PortOrDefault()))} }},
	{"path", "the directories and the name", func(f Facts) []string { return path(f.URL) }},
	{"dir", "the directories", func(f Facts) []string { all := path(f.URL); return all[:len(all)-1] }},
	{"name", "the last part of the path; " + unnamed + " if that is empty", func(f Facts) []string { all := path(f.URL); return all[len(all)-1:] }},
	{"query", "the text after the question mark", func(f Facts) []string { return []string{url.Unescape(strings.TrimPrefix(f.URL.Query, "?"))} }},
	{"n", "the number of the URL: 1, 2, 3", func(f Facts) []string { return []string{strconv.Itoa(f.Number)} }},
}

// Fields returns all fields. The caller must not change them.
func Fields() []Field { return fields }

// lookup returns the index of a field, or -1.
func lookup(name string) int {
	return slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
}

// unnamed is the name of a URL that ends in a slash, as in wget.
const unnamed = "index.html"

// path returns the elements of the path of a URL, decoded, with its name at the end. Each may
// hold any octet, a separator too.
func path(u *url.URL) []string {
	all := elements(u)
	last := len(all) - 1
	all[last] = cmp.Or(all[last], unnamed)
	return all
}

// elements are those of path, with "" for a URL without a name.
func elements(u *url.URL) []string {
	switch u.Scheme {
	case "ftp", "ftps":
		if f, err := u.FTP(); err == nil { // the type is no part of the name
			return append(slices.Clip(f.CWD), f.Name)
		}
	case "gopher", "gophers":
		if g, err := u.Gopher(); err == nil {
			return strings.Split(strings.TrimPrefix(g.Selector, "/"), "/")
		}
	}
	all := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
	for i, e := range all {
		all[i] = url.Unescape(e)
	}
	return all
}
