package glob

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// all returns the URLs of a pattern, at most 1000.
func all(p *Pattern) (urls []string) {
	for i := range min(p.Count(), 1000) {
		text, _ := p.At(i)
		urls = append(urls, text)
	}
	return urls
}

// expansions are patterns with their URLs, which have blanks between them here.
var expansions = map[string]string{
	"h/{a,b,c}":                   "h/a h/b h/c",
	"h/{a}":                       "h/a",
	"h/{,a}x":                     "h/x h/ax",
	"h/{a,}x":                     "h/ax h/x",
	"{http,ftp}://h/":             "http://h/ ftp://h/",
	"h/[1-3]":                     "h/1 h/2 h/3",
	"h/[1-1]":                     "h/1",
	"h/[1-1:1]":                   "h/1",
	"h/[8-11]":                    "h/8 h/9 h/10 h/11",
	"h/[08-11]":                   "h/08 h/09 h/10 h/11",
	"h/[001-3]":                   "h/001 h/002 h/003",
	"h/[99-0101]":                 "h/99 h/100 h/101",
	"h/[00-2]":                    "h/00 h/01 h/02",
	"h/[0-2]":                     "h/0 h/1 h/2",
	"h/[1-10:2]":                  "h/1 h/3 h/5 h/7 h/9",
	"h/[0-100:50]":                "h/0 h/50 h/100",
	"h/[a-e]":                     "h/a h/b h/c h/d h/e",
	"h/[A-C]":                     "h/A h/B h/C",
	"h/[a-a]":                     "h/a",
	"h/[a-g:3]":                   "h/a h/d h/g",
	"h/[a-z:25]":                  "h/a h/z",
	"h/{a,b}[1-2]{x,y}":           "h/a1x h/a1y h/a2x h/a2y h/b1x h/b1y h/b2x h/b2y",
	"h/[1-2]/[1-2]":               "h/1/1 h/1/2 h/2/1 h/2/2",
	`h/\{a,b\}\[1-2\]`:            "h/{a,b}[1-2]",
	`h/{a\,b,c\},\d,e\\}`:         `h/a,b h/c} h/d h/e\`,
	`h/\a\\`:                      `h/\a\\`,
	`h/\`:                         `h/\`,
	"h/[]":                        "h/[]",
	"http://[::1]:80/[1-2]":       "http://[::1]:80/1 http://[::1]:80/2",
	"http://[fe80::1%25eth0]/{a}": "http://[fe80::1%25eth0]/a",
	"h/[9223372036854775806-9223372036854775807]":   "h/9223372036854775806 h/9223372036854775807",
	"h/[18446744073709551614-18446744073709551615]": "h/18446744073709551614 h/18446744073709551615",
	"http://h/a?b=c#d": "http://h/a?b=c#d",
}

func TestAt(t *testing.T) {
	for text, want := range expansions {
		p, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := strings.Join(all(p), " "); got != want || p.Count() != int64(strings.Count(want, " ")+1) {
			t.Errorf("%s: %d URLs: %s, want %s", text, p.Count(), got, want)
		}
	}
}

// The URLs, and their order, are those of curl.
func TestAsCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl to compare with")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for text, want := range expansions {
		// No protocol is allowed, so that curl asks no server, and names each URL in its refusal.
		out, _ := exec.CommandContext(ctx, curl, "-q", "-s", "-o", "/dev/null", "-w", `%{url}\n`, "--proto", "-all", text).Output()
		if got := strings.Join(strings.Fields(string(out)), " "); got != want {
			t.Errorf("%s: curl has %s, and we %s", text, got, want)
		}
	}
	for text := range faults {
		if slices.Contains(lax, text) {
			continue // some of them have more URLs than curl lives to ask for
		}
		out, err := exec.CommandContext(ctx, curl, "-q", "-s", "-o", "/dev/null", "-w", `%{url}\n`, "--proto", "-all", text).Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 3 {
			t.Errorf("%s: curl takes it: %s", text, out)
		}
	}
}

// A text that is taken literally is its own URL.
func TestLiteral(t *testing.T) {
	p := Literal(`h/{a,b}\[1-2\]`)
	if text, values := p.At(0); text != `h/{a,b}\[1-2\]` || len(values) != 0 || p.Count() != 1 || p.Globs() != 0 {
		t.Errorf("%s %q", text, values)
	}
}

// The values of the globs in a URL are known by their place.
func TestValues(t *testing.T) {
	p, err := Parse(`h/{a,b}/[01-03]/[x-z:2]\[1-2\]`)
	if err != nil || p.Globs() != 3 || p.Count() != 12 {
		t.Fatalf("%+v, %v", p, err)
	}
	if text, values := p.At(7); text != "h/b/01/z[1-2]" || !slices.Equal(values, []string{"b", "01", "z"}) {
		t.Errorf("%s %q", text, values)
	}
}

// faults are patterns that make no sense, with the place and the reason.
var faults = map[string]struct {
	pos    int
	reason string
}{
	"h/{}":                           {3, "nothing is in the braces"},
	"h/{a,b":                         {2, "the brace is not closed"},
	`h/{a\`:                          {2, "the brace is not closed"},
	`h/{a\}`:                         {2, "the brace is not closed"},
	"h/a}":                           {3, `nothing is open that } could close; \} is the character`},
	"h/1-3]":                         {5, `nothing is open that ] could close; \] is the character`},
	"h/{a,{b,c}}":                    {5, `a glob cannot be in braces; \{ is the character`},
	"h/{a,[1-2]}":                    {5, `a glob cannot be in braces; \[ is the character`},
	"h/{a]b}":                        {4, `a glob cannot be in braces; \] is the character`},
	"h/[1-3":                         {2, "the bracket is not closed"},
	"h/[1]":                          {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[1-]":                         {5, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[-1]":                         {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[+1-2]":                       {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[1- 3]":                       {5, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[1_0-20]":                     {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[a-5]":                        {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[5-a]":                        {5, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[a-Z]":                        {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[Z-a]":                        {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[a-é]":                        {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[ab-c]":                       {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[{a,b}]":                      {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[3-1]":                        {5, "the range ends before it begins"},
	"h/[c-a]":                        {5, "the range ends before it begins"},
	"h/[1-3:0]":                      {7, "the step does not fit into the range"},
	"h/[1-3:3]":                      {7, "the step does not fit into the range"},
	"h/[1:2]":                        {3, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[]x]":                         {5, `nothing is open that ] could close; \] is the character`},
	"h/[1-1:2]":                      {7, "the step does not fit into the range"},
	"h/[a-z:26]":                     {7, "the step does not fit into the range"},
	"h/[1-3:]":                       {7, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[1-3:x]":                      {7, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/[1-9:2:1]":                    {7, "no range: write [1-10], [a-z] or [1-10:2]"},
	"h/{a,b}/[1-2-":                  {8, "the bracket is not closed"},
	"h/[1-99999999999999999999]":     {5, "the number is too large"},
	"h/[0-18446744073709551615]":     {2, "more URLs than can be counted"},
	"h/[1-18446744073709551615]":     {2, "more URLs than can be counted"},
	"h/[1-9999999999]/[1-999999999]": {17, "more URLs than can be counted"},
}

// lax are the faults that curl takes: a blank before a number, letters of both sizes, and
// numbers of URLs that it cannot count.
var lax = []string{"h/[1- 3]", "h/[Z-a]", "h/[0-18446744073709551615]", "h/[1-18446744073709551615]", "h/[1-9999999999]/[1-999999999]"}

func TestFaults(t *testing.T) {
	for text, want := range faults {
		p, err := Parse(text)
		fault, ok := errors.AsType[*url.Error](err)
		if !ok || p != nil || fault.Pos != want.pos || fault.Reason != want.reason {
			t.Errorf("%s: %v, %v; want %q at %d", text, p, err, want.reason, want.pos)
		}
	}
}

// A pattern of very many URLs takes neither time nor memory before they are asked for.
func TestMany(t *testing.T) {
	began := time.Now()
	p, err := Parse("h/[1-1000000]/[1-1000000]/[1-1000000]")
	if err != nil || p.Count() != 1e18 {
		t.Fatalf("%v, %v", p, err)
	}
	if text, _ := p.At(p.Count() - 1); text != "h/1000000/1000000/1000000" {
		t.Errorf("the last is %s", text)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// The number of URLs is the product of the sizes of the globs, all URLs of small patterns differ
// if the values of each glob do, and a text without globs is its own URL.
func FuzzParse(f *testing.F) {
	for text := range expansions {
		f.Add(text)
	}
	for text := range faults {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			if fault, ok := errors.AsType[*url.Error](err); !ok || fault.Pos < 0 || fault.Pos >= len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		product, globs := int64(1), 0
		for _, one := range p.parts {
			product *= int64(one.values())
			if one.glob {
				globs++
			}
		}
		if p.Count() != product || p.Count() < 1 || p.Globs() != globs {
			t.Fatalf("%q: %d URLs of %d globs, want %d of %d", text, p.Count(), p.Globs(), product, globs)
		}
		if !strings.ContainsAny(text, `{}[]`) {
			if got, values := p.At(0); got != text || p.Count() != 1 || len(values) != 0 {
				t.Fatalf("%q: %q, %q", text, got, values)
			}
		}
		for _, i := range []int64{0, p.Count() / 2, p.Count() - 1} {
			if _, values := p.At(i); len(values) != globs {
				t.Fatalf("%q: %q are the values of %d globs", text, values, globs)
			}
		}
		// A URL that is written with a backslash before each bracket and brace is that URL.
		url, _ := p.At(p.Count() - 1)
		escaped := strings.NewReplacer("{", `\{`, "}", `\}`, "[", `\[`, "]", `\]`).Replace(url)
		if strings.Contains(url, `\`) { // a backslash before a bracket would be taken with it
			return
		}
		again, err := Parse(escaped)
		if err != nil || again.Count() != 1 || again.Globs() != 0 {
			t.Fatalf("%q: %v, %v", escaped, again, err)
		}
		if got, _ := again.At(0); got != url {
			t.Fatalf("%q: %q, want %q", escaped, got, url)
		}
	})
}
