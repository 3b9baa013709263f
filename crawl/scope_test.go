package crawl

import (
	"regexp"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

func TestScope(t *testing.T) {
	root := func(texts ...string) (all []*url.URL) {
		for _, text := range texts {
			all = append(all, parse(t, text))
		}
		return all
	}
	site := root("http://h.example/docs/index.html")
	for _, c := range []struct {
		name      string
		scope     Scope
		url       string
		depth     int
		requisite bool
		page      bool
		visit     bool
		keep      bool
		why       string
	}{
		{"the root", Scope{Roots: site, NoParent: true, Reject: []string{".html"}}, "http://H.example:80/docs/index.html#a", 0, false, true, true, true, "it was named"},
		{"another page", Scope{Roots: site}, "http://h.example/other/", 3, false, true, true, true, "in the scope"},
		{"the same host over TLS", Scope{Roots: site}, "https://h.example/docs/", 1, false, true, true, true, ""},
		{"another scheme", Scope{Roots: site}, "ftp://h.example/docs/", 1, false, true, false, false, "ftp URLs"},
		{"a scheme that is wanted", Scope{Roots: site, Schemes: []string{"ftp"}}, "ftp://h.example/docs/", 1, false, true, true, true, ""},
		{"another host", Scope{Roots: site}, "http://other.example/", 1, false, true, false, false, "another host, other.example"},
		{"a host below", Scope{Roots: site}, "http://www.h.example/", 1, false, true, false, false, "another host"},
		{"any host", Scope{Roots: site, SpanHosts: true}, "http://other.example/", 1, false, true, true, true, ""},
		{"a further host", Scope{Roots: site, Hosts: []string{"Example.org"}}, "http://www.example.ORG/", 1, false, true, true, true, ""},
		{"a host with its end", Scope{Roots: site, Hosts: []string{"example.org"}}, "http://badexample.org/", 1, false, true, false, false, "another host"},
		{"an excluded host", Scope{Roots: site, SpanHosts: true, NotHosts: []string{".ads.example"}}, "http://x.ads.example/", 1, false, true, false, false, "excluded"},
		{"an excluded host of a requisite", Scope{Roots: site, Requisites: true, NotHosts: []string{"ads.example"}}, "http://ads.example/a.js", 1, true, false, false, false, "excluded"},
		{"deep enough", Scope{Roots: site, Depth: 2}, "http://h.example/a", 2, false, true, true, true, ""},
		{"too deep", Scope{Roots: site, Depth: 2}, "http://h.example/a", 3, false, true, false, false, "3 links deep"},
		{"a requisite is a link deeper", Scope{Roots: site, Depth: 2, Requisites: true}, "http://cdn.example/a.png", 3, true, false, true, true, "a page needs it"},
		{"a requisite that is too deep", Scope{Roots: site, Depth: 2, Requisites: true}, "http://cdn.example/a.png", 4, true, false, false, false, "deep"},
		{"a requisite elsewhere", Scope{Roots: site}, "http://cdn.example/a.png", 1, true, false, false, false, "another host"},
		{"below", Scope{Roots: site, NoParent: true}, "https://h.example/docs/a/b", 1, false, true, true, true, ""},
		{"beside", Scope{Roots: site, NoParent: true}, "http://h.example/docs.html", 1, false, true, false, false, "not below"},
		{"above by dots", Scope{Roots: site, NoParent: true}, "http://h.example/docs/%2e%2e/secret", 1, false, true, false, false, "not below"},
		{"above, a requisite", Scope{Roots: site, NoParent: true, Requisites: true}, "http://h.example/style.css", 1, true, false, true, true, ""},
		{"accepted by its end", Scope{Roots: site, Accept: []string{".pdf"}}, "http://h.example/a.pdf?x", 1, false, false, true, true, ""},
		{"a page that is not accepted", Scope{Roots: site, Accept: []string{".pdf"}}, "http://h.example/a.html", 1, false, true, true, false, "not among"},
		{"a file that is not accepted", Scope{Roots: site, Accept: []string{".pdf"}}, "http://h.example/a.zip", 1, false, false, false, false, "not among"},
		{"rejected by a pattern", Scope{Roots: site, Reject: []string{"a[0-9]*.zip"}}, "http://h.example/a12.zip", 1, false, false, false, false, "rejected by a[0-9]*.zip"},
		{"a pattern that is malformed", Scope{Roots: site, Reject: []string{"a[", ""}}, "http://h.example/a[", 1, false, false, true, true, ""},
		{"an escaped name", Scope{Roots: site, Accept: []string{"a b.*"}}, "http://h.example/a%20b.txt", 1, false, false, true, true, ""},
		{"rejected by an expression", Scope{Roots: site, RejectRegexp: regexp.MustCompile(`\?.*sid=`)}, "http://h.example/a?b&sid=1", 1, false, true, false, false, "rejected by"},
		{"not accepted by an expression", Scope{Roots: site, AcceptRegexp: regexp.MustCompile(`^http://h\.example/docs/`)}, "http://h.example/a", 1, false, true, false, false, "not accepted"},
		{"accepted by an expression", Scope{Roots: site, AcceptRegexp: regexp.MustCompile(`^http://h\.example/docs/`)}, "http://H.example:80/docs/%61", 1, false, true, true, true, ""},
		{"a path that repeats itself", Scope{Roots: site}, "http://h.example/a/b/a/b/a/b/a/b/a/b", 1, false, true, false, false, "same element more than 4"},
		{"a path of many slashes", Scope{Roots: site}, "http://h.example///////a", 1, false, true, true, true, ""},
		{"a URL without end", Scope{Roots: site}, "http://h.example/" + strings.Repeat("x", 2000), 1, false, true, false, false, "2000 bytes"},
		{"gopher", Scope{Roots: root("gopher://h/1/a")}, "gopher://h/1/b", 1, false, true, true, true, ""},
		{"no root", Scope{}, "http://h/", 0, false, true, false, false, ""},
	} {
		got := c.scope.Decide(parse(t, c.url), c.depth, c.requisite, c.page)
		if got.Visit != c.visit || got.Keep != c.keep || !strings.Contains(got.Why, c.why) || got.Why == "" {
			t.Errorf("%s: %+v, want %v, %v, %q", c.name, got, c.visit, c.keep, c.why)
		}
	}
	if d := new(Scope).Decide(nil, 0, false, true); d.Visit {
		t.Error("no URL is visited")
	}
}

// A response is kept according to its size and type.
func TestKept(t *testing.T) {
	s := &Scope{MaxSize: 10, MediaTypes: []string{"text/html", "image/*"}}
	in := Decision{Visit: true, Keep: true, Why: "it is in the scope"}
	for _, c := range []struct {
		size      int64
		mediaType string
		keep      bool
	}{
		{10, "text/html; charset=utf-8", true}, {-1, "IMAGE/png", true}, {11, "text/html", false}, {1, "text/plain", false}, {1, "imagery/x", false}, {1, "", false},
	} {
		got := s.Kept(in, &fetchers.Resource{Size: c.size, MediaType: c.mediaType})
		if got.Keep != c.keep || !got.Visit || !c.keep && got.Why == in.Why {
			t.Errorf("%d bytes of %s: %+v", c.size, c.mediaType, got)
		}
	}
	if d := s.Kept(Decision{Visit: true, Why: "a page"}, &fetchers.Resource{Size: 100}); d.Why != "a page" {
		t.Errorf("%+v", d)
	}
}
