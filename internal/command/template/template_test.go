package template

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/url"
)

func parseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return u
}

// Each field has its part of the URL.
func TestFields(t *testing.T) {
	const all = "{scheme}|{host}|{port}|{path}|{dir}|{name}|{query}|{n}"
	for text, want := range map[string][]string{
		"http://h.example/a/b.txt?q=1":  {"http", "h.example", "80", "a/b.txt", "a", "b.txt", "q=1", "7"},
		"https://H.example:8443/":       {"https", "h.example", "8443", "index.html", "_", "index.html", "_", "7"},
		"http://h":                      {"http", "h", "80", "index.html", "_", "index.html", "_", "7"},
		"http://[::1]/a//b/":            {"http", "__1", "80", "a/b/index.html", "a/b", "index.html", "_", "7"},
		"http://h/a%2Fb/c%20d?e%2Ff":    {"http", "h", "80", "a_b/c d", "a_b", "c d", "e_f", "7"},
		"ftp://joe:s3cret@h/a/b;type=i": {"ftp", "h", "21", "a/b", "a", "b", "_", "7"},
		"gopher://h/0/a/b":              {"gopher", "h", "70", "a/b", "a", "b", "_", "7"},
		"gopher://h/":                   {"gopher", "h", "70", "index.html", "_", "index.html", "_", "7"},
		"news:a@b.example":              {"news", "_", "119", "a@b.example", "_", "a@b.example", "_", "7"},
		"file:///a/b":                   {"file", "_", "0", "a/b", "a", "b", "_", "7"},
	} {
		for i, field := range strings.Split(all, "|") {
			name, within := Parse(field, 0).Name(Facts{URL: parseURL(t, text), Number: 7})
			if name != want[i] || within != "." {
				t.Errorf("%s of %s: %q in %q, want %q", field, text, name, within, want[i])
			}
		}
	}
}

// Braces that do not enclose a field, and a # without a value, are text.
func TestName(t *testing.T) {
	f := Facts{URL: parseURL(t, "http://h.example/pub/.a/b.txt?x=1"), Number: 3, Values: []string{"one", "2/..", ""}}
	for text, want := range map[string]struct{ name, within string }{
		"{host}/{path}":         {"h.example/pub/_a/b.txt", "."},
		"out/{host}-{name}":     {"out/h.example-b.txt", "out"},
		"./{name}":              {"./b.txt", "."},
		"/abs/{name}":           {"/abs/b.txt", "/abs"},
		"/{host}/x":             {"/h.example/x", "/"},
		"../a/{n}.html":         {"../a/3.html", "../a"},
		"{host}/x/{n}":          {"h.example/x/3", "."},
		"{dir}.{n}/x":           {"pub/_a.3/x", "."},
		"x{path}":               {"xpub/_a/b.txt", "."},
		"a.txt":                 {"a.txt", ""},
		"a//b":                  {"a//b", ""},
		"{foo}/{Host}/{host":    {"{foo}/{Host}/{host", ""},
		"{{host}/{{host}}":      {"{host}/{host}}", ""},
		"{{{host}":              {"{{host}", ""},
		"{{foo}{{":              {"{{foo}{{", ""},
		"{host}{{host}{host}":   {"h.example{host}h.example", "."},
		"#1-{n}":                {"one-3", "."},
		"#2":                    {"2_", "."},
		"#3/x":                  {"x", "."},
		"x/#3":                  {"x/_", "x"},
		"#4#0#":                 {"#4#0#", ""},
		"#01#12":                {"one#12", "."},
		"#99999999999999999999": {"#99999999999999999999", ""},
		"-{name}":               {"_b.txt", "."},
		"con{query}":            {"conx=1", "."},
		"":                      {"", ""},
	} {
		name, within := Parse(text, 3).Name(f)
		if name != want.name || within != want.within {
			t.Errorf("%s: %q in %q, want %q in %q", text, name, within, want.name, want.within)
		}
	}
	if got, _ := Parse("#1", 0).Name(f); got != "#1" {
		t.Errorf("without globs, #1 is %q", got)
	}
}

// The root of a volume is a directory, which the name of the volume alone is not.
func TestVolumes(t *testing.T) {
	f := Facts{URL: parseURL(t, "http://h.example/b.txt"), Number: 1}
	volume := filepath.VolumeName(t.TempDir())
	for text, want := range map[string]string{"/{host}/{name}": "/", "/a/{name}": "/a"} {
		name, within := Parse(volume+text, 0).Name(f)
		inner, err := filepath.Rel(within, name)
		if within != volume+want || err != nil || !filepath.IsLocal(inner) {
			t.Errorf("%s: %q in %q (%v), want it in %q", volume+text, name, within, err, volume+want)
		}
	}
}

// A template shows, before there is a URL, whether it is for many URLs or has one name.
func TestKinds(t *testing.T) {
	for text, want := range map[string][2]bool{
		"{name}": {true, false}, "a/{n}": {true, false}, "#1": {false, false}, "#2": {false, true}, "a": {false, true}, "{{name}": {false, true}, "{x}": {false, true},
	} {
		p := Parse(text, 1)
		name, fixed := p.Fixed()
		if got := [2]bool{p.Varies(), fixed}; got != want || fixed && name != unescaped(text) {
			t.Errorf("%s: varies, fixed: %v, want %v", text, got, want)
		}
	}
}

// A URL cannot name a file outside the directory that the template has for it, a device, a
// partial file, or one with a name that the terminal obeys.
func TestHostileURLs(t *testing.T) {
	for _, text := range []string{
		"http://h/../../etc/passwd", "http://h/%2e%2e/%2E%2E/x", "http://h/..%2f..%2fx", "http://h/%2Fetc%2Fpasswd", "http://h//etc/passwd", "http://h/C:%5Cx/CON/nul.txt", "http://h/a%0Ab/%1B[2J", "http://h/x.part", "http://h/.ssh/.x",
		"http://h/a%00b", "http://../x", "http://h/?..", "http://h/.?/../..", "gopher://h/0../../x", "gopher://h/0/../x", "ftp://h/%2Fetc/%2Fx", "ftp://h/..;type=a", "news:../../x", "data:,../../x", "file:///../x",
	} {
		u, err := url.Parse(text)
		if err != nil {
			continue
		}
		for _, template := range templates {
			check(t, template, Facts{URL: u, Number: 1, Values: []string{"..", "/"}})
		}
	}
}

// templates are those whose own text stays in the directory out.
var templates = []string{
	"out/{path}", "out/{dir}/{name}", "out/{dir}{name}", "out/{name}/{name}", "out/.{name}", "out/{host}.{query}", "out/{query}/{query}/{scheme}{port}", "out/{query}{path}", "out/#1/#2", "out/#1#1/{dir}/x", "out/{query}./{query}.", "out/x{dir}.",
}

// check checks the name that a template makes.
func check(t *testing.T, template string, f Facts) {
	t.Helper()
	name, within := Parse(template, len(f.Values)).Name(f)
	rest, ok := strings.CutPrefix(name, "out/")
	if within != "out" || !ok || !filepath.IsLocal(rest) {
		t.Errorf("%s of %s: %q in %q", template, f.URL, name, within)
	}
	for element := range strings.SplitSeq(rest, "/") {
		if element != "x" && download.SafeName(element) != element {
			t.Errorf("%s of %s: %q has the element %q", template, f.URL, name, element)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, text := range []string{"http://h/../x", "http://h/%2e%2e/a?b=../c", "gopher://h/0/../x", "ftp://h/%2Fx;type=a", "news:a@b", "data:,x/../y", "http://h/CON/.part"} {
		f.Add(text, "{host}/{path}", "..")
	}
	f.Fuzz(func(t *testing.T, text, template, value string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		facts := Facts{URL: u, Number: 1, Values: []string{value, ".."}}
		for _, one := range templates {
			check(t, one, facts)
		}
		// The text of a template without fields and values stays as it is.
		parsed := Parse(template, 2)
		_, fixed := parsed.Fixed()
		name, within := parsed.Name(facts)
		if fixed && (name != unescaped(template) || within != "") || !fixed && within == "" {
			t.Errorf("%q makes %q in %q", template, name, within)
		}
		if escaped := strings.ReplaceAll(strings.ReplaceAll(template, "{", "{{"), "#", ""); !strings.Contains(template, "{{") {
			if _, fixed := Parse(escaped, 2).Fixed(); !fixed {
				t.Errorf("%q has a field", escaped)
			}
		}
	})
}

// unescaped returns a template without its second braces.
func unescaped(template string) string {
	for _, f := range Fields() {
		template = strings.ReplaceAll(template, "{{"+f.Name+"}", "{"+f.Name+"}")
	}
	return template
}
