package nntp

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

func TestParseOverview(t *testing.T) {
	for line, want := range map[string]string{
		"3\ts\tf\td\t<i@x>\tr\t9\t2":             `{3 s f d <i@x> r 9 2 []}`,
		"3\ts\tf\td\t<i@x>\tr\t9\t2\tXref: x\ty": `{3 s f d <i@x> r 9 2 [Xref: x y]}`,
		"3\ts":                                   `{3 s       []}`,
		"3\t":                                    `{3        []}`,
		"18446744073709551615\ts":                `{18446744073709551615 s       []}`,
		"3":                                      "", "": "", "x\ts": "", "-3\ts": "", "18446744073709551616\ts": "",
	} {
		o, ok := ParseOverview(line)
		if got := fmt.Sprint(o); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s, %v; want %s", line, got, ok, want)
		}
	}
}

func TestParseGroup(t *testing.T) {
	for line, want := range map[string]string{
		"g 0000000015 0000000001 y\tabout g": "{g 1 15 15 y about g}",
		"g 24 10 m":                          "{g 10 24 15 m }",
		"g 15 1 14 y":                        "{g 1 15 14 y }",
		"g 0 1 n":                            "{g 1 0 0 n }",
		"g 0 0 n":                            "{g 0 0 0 n }",
		"g 1 1 =other.group":                 "{g 1 1 1 =other.group }",
		"g x 1 y":                            "", "g 1 y": "", "": "", "g 1 2 3 4 y": "", "g -1 1 y": "",
	} {
		g, ok := ParseGroup(line)
		if got := fmt.Sprint(g); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s, %v; want %s", line, got, ok, want)
		}
	}
}

func TestWildmat(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "a.b", true}, {"*", "", true}, {"a.*", "a.b", true}, {"a.*", "a", false}, {"*.b", "a.b", true}, {"a.?", "a.b", true}, {"a.?", "a.", false},
		{"a*b*c", "axxbxxc", true}, {"a*b*c", "axxbxx", false}, {"a,b", "b", true}, {"a*,!ab*", "abc", false}, {"a*,!ab*", "acc", true},
		{"a*,!ab*,abc", "abc", true}, {"!a*", "b", false}, {"", "", true}, {"", "a", false}, {"a.b", "a.b", true},
		{strings.Repeat("a*", 100) + "b", strings.Repeat("a", 10_000), false},
	} {
		w, ok := compile(c.pattern)
		if !ok || w.match(c.name) != c.want {
			t.Errorf("%.20q and %.20q: %v, want %v", c.pattern, c.name, !c.want, c.want)
		}
	}
	for _, pattern := range []string{"a.[bc]", `a\*`, "a]"} {
		if _, ok := compile(pattern); ok {
			t.Errorf("%q is none that RFC 3977 has", pattern)
		}
	}
}

// An incomplete line before an error is no entry.
func TestLastLine(t *testing.T) {
	parse := parser(unparsed)
	for text, want := range map[string]string{"a\r\nb\n": "a b", "a\nb": "a b", "\n\na": "  a", "": ""} {
		var got []string
		for e, err := range parse(strings.NewReader(text)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Name)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
	}
	n := 0
	for e, err := range parse(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrUnexpectedEOF))) {
		if n++; n == 1 && e.Name != "a" || n == 2 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d: %+v, %v", n, e, err)
		}
	}
	if n != 2 {
		t.Errorf("%d entries and errors, want 2", n)
	}
}

// For any listing of a server, the URL of each entry can be fetched by one command, or is nil; and
// no line is lost.
func FuzzListings(f *testing.F) {
	f.Add("3\ts\tf\td\t<i@x>\tr\t9\t2\tXref: x")
	f.Add("3\t=?utf-8?q?=0d=0a?=\tf\t\t<a b@x>\t\t\t")
	f.Add("g 15 1 14 y\tabout")
	f.Add("a/b 0 1 y")
	what := target{News: url.News{Authority: url.Authority{Host: "h"}, Group: "g.a"}}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n")
		if !strings.HasSuffix(text, "\n") && text != "" {
			lines++
		}
		for name, parse := range map[string]parse{"overview": overviewParser(what), "groups": groupParser(what)} {
			n := 0
			for e, err := range parse(strings.NewReader(text)) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				if (e.Kind == fetchers.Unparsed || e.Kind == fetchers.Text) != (e.URL == nil) && e.Name != "" {
					t.Errorf("%s: %+v", name, e)
				}
				if e.URL == nil {
					continue
				}
				again, err := url.Parse(e.URL.String())
				if err != nil {
					t.Fatalf("%s: %s: %v", name, e.URL, err)
				}
				if _, err := new(Fetcher).targetOf(again); err != nil && !strings.Contains(err.Error(), "too long for a command") {
					t.Errorf("%s: %v", name, err)
				}
			}
			if n != lines {
				t.Errorf("%s: %d entries of %d lines in %q", name, n, lines, text)
			}
		}
	})
}
