package links

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"

	"github.com/seed1ea3422f/fetch/url"
)

// seeds are the pages of the tables, and some broken ones.
func seeds(f *testing.F) {
	page, err := os.ReadFile("testdata/page.html")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(page))
	for _, seed := range []string{
		`<a href="a&amp;b"><a href='&#x20;c'><a href=d&copy=e>`, `<img srcset="a 1x,b, c">`, `<p style="b:url(&quot;a&quot;)">`,
		`<style>@import "a";b{c:url(d\20 e)}</style>`, `<iframe srcdoc="<a href=a>">`, `<meta http-equiv=refresh content='0;url="a"'>`,
		`<script><!--<script></script>--></script><a href=a>`, `<!--><a href=a><!-- --!>`, `<svg><![CDATA[<a href=a>]]><title/></svg>`,
		`<sitemap><loc>a</loc><lastmod>2026-01-02</lastmod></sitemap><rss><link><![CDATA[b]]></link>`, `@import url(a);b{c:url("d")}`,
		`<?xml-stylesheet href="a"?>`, `<script integrity=a src=b crossorigin></script><iframe srcdoc="<img crossorigin src=a>">`, `<base href="/b/"><a href=a>`, "\xff\xfe<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00b\x00>\x00",
	} {
		f.Add(seed)
	}
}

// FuzzPlaces checks that the bytes at the position of a link are its value, that a replacement is
// parsed as the text that replace returned, and that nothing else changes.
func FuzzPlaces(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		for _, format := range []Format{HTML, XML, CSS} {
			places(t, format, src)
		}
	})
}

func places(t *testing.T, format Format, src string) {
	base := mustParse(t, home)
	type read struct {
		l       Link
		written string
	}
	var first []read
	based, wide := false, strings.HasPrefix(src, "\xff\xfe") || strings.HasPrefix(src, "\xfe\xff")
	for l, err := range format.Read(base, iotest.OneByteReader(strings.NewReader(src))) {
		switch {
		case err != nil:
			t.Fatalf("%v: %v", format, err)
		case l.Offset < 0:
			wide = true
			continue
		}
		written := src[l.Offset : l.Offset+l.Length]
		if !strings.ContainsAny(written, `&\`) && written != l.Text {
			t.Fatalf("%v: %q is written as %q", format, l.Text, written)
		}
		based = based || l.Element == "base"
		first = append(first, read{l, written})
	}
	same := rewrite(t, format, src, func(l Link) (string, bool) { return l.Text, true })
	kept := rewrite(t, format, src, func(l Link) (string, bool) { return "", false })
	if again := rewrite(t, format, kept, func(l Link) (string, bool) { return "", false }); again != kept {
		t.Fatalf("%v: kept twice:\n%q\n%q\n%q", format, src, kept, again)
	}
	if wide || based {
		return
	}
	checked := strings.Contains(strings.ToLower(src), "integrity") || strings.Contains(strings.ToLower(src), "crossorigin")
	if same != src && !checked || kept != src {
		t.Fatalf("%v: not the same:\n%q\n%q\n%q", format, src, same, kept)
	}

	// Each replacement is numbered, and needs every kind of escape.
	n := 0
	number := func(Link) (string, bool) { n++; return "x" + strings.Repeat("y", n) + `?&amp;"'<>()\%20`, true }
	out := rewrite(t, format, src, number)
	n = 0
	for l, err := range format.Read(base, strings.NewReader(out)) {
		if err != nil {
			t.Fatal(err)
		}
		want, _ := number(l)
		if l.Attr == "content" && l.Element == "meta" { // quotes are escaped differently there
			want, l.Text = unquoted(want), unquoted(l.Text)
		}
		if l.Text != want || n > len(first) || l.Element != first[n-1].l.Element || l.Attr != first[n-1].l.Attr || l.Kind != first[n-1].l.Kind {
			t.Fatalf("%v: link %d is %+v, not %q:\n%q\n%q", format, n, l, want, src, out)
		}
	}
	if n != len(first) {
		t.Fatalf("%v: %d links, not %d:\n%q\n%q", format, n, len(first), src, out)
	}
	n = 0
	if again := rewrite(t, format, out, number); again != out {
		t.Fatalf("%v: twice is not once:\n%q\n%q\n%q", format, src, out, again)
	}
}

func unquoted(s string) string { return strings.NewReplacer("%22", `"`, "%27", "'").Replace(s) }

// mistaken matches a bug of the x/net/html tokenizer (v0.62): in a comment within a script, a "<"
// that is followed by neither a letter nor a slash ends the comment.
var mistaken = regexp.MustCompile(`(?is)<script.*<!--.*<([^a-z/]|$)`)

// FuzzTokens checks that the tokenizer of x/net/html finds the same values in the same tags.
func FuzzTokens(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		for _, b := range []byte(src) {
			if b == 0 || b == '\r' || b >= 0x80 { // bytes that the tokenizer repairs, and a mark of UTF-16
				t.Skip()
			}
		}
		if mistaken.MatchString(src) {
			t.Skip()
		}
		var got []string
		w := &walk{in: newInput(strings.NewReader(src))}
		m := newMarkup(w, false)
		w.visit = func(l Link, _, _ int64, _ func(string) string) {
			if (l.Element == "a" || l.Element == "img") && (l.Attr == "href" || l.Attr == "src") {
				got = append(got, l.Element+" "+l.Text)
			}
		}
		w.page = mustParse(t, home)
		w.base = new(url.URL)
		*w.base = *w.page // fragments alone are links too
		m.based = true
		m.read()

		var want []string
		tokens := html.NewTokenizer(strings.NewReader(src))
		foreign := 0
		for {
			kind := tokens.Next()
			if kind == html.ErrorToken {
				if tokens.Err() != io.EOF {
					t.Skip()
				}
				break
			}
			tag := tokens.Token()
			switch {
			case kind == html.EndTagToken && (tag.Data == "svg" || tag.Data == "math"):
				foreign = max(foreign-1, 0)
			case kind != html.StartTagToken && kind != html.SelfClosingTagToken:
			case tag.Data == "svg" || tag.Data == "math", tag.Data == "noscript", tag.Data == "noembed", tag.Data == "noframes", tag.Data == "iframe":
				t.Skip() // a parser gives its tokenizer instructions for these
			case tag.Data == "a" || tag.Data == "img":
				for _, a := range tag.Attr {
					if a.Key != map[string]string{"a": "href", "img": "src"}[tag.Data] {
						continue
					}
					text := strings.TrimFunc(a.Val, func(r rune) bool { return r <= ' ' })
					if _, ok := resolve(w.page, text); ok {
						want = append(want, tag.Data+" "+text)
					}
				}
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%q\nread %q\nwant %q", src, got, want)
		}
	})
}

// FuzzValues checks that a text in quotes decodes as in the tokenizer of x/net/html.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{"a&amp;b&lt", "&notit;&not;&not=&not", "&#65&#x41;&#;&#x;&#0;&#128;", "&semi;&semi", "&;&a;&AMP&fjlig;&NotEqualTilde;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if strings.ContainsAny(raw, "\"\r\x00") {
			t.Skip()
		}
		text, from := unescape(raw)
		tokens := html.NewTokenizer(strings.NewReader(`<a b="` + raw + `">`))
		tokens.Next()
		if _, want, _ := tokens.TagAttr(); text != string(want) {
			t.Fatalf("%q is %q, want %q", raw, text, want)
		}
		if from != nil && (len(from) != len(text)+1 || int(from[len(text)]) != len(raw)) {
			t.Fatalf("%q: places %v of %q", raw, from, text)
		}
		for _, quote := range []byte{'"', '\'', 0} {
			v := value{quote: quote}
			q := strings.Trim(string(quote), "\x00")
			tokens := html.NewTokenizer(strings.NewReader(`<a b=` + q + v.replacement(0, 0, raw) + q + ` c=d>`))
			tokens.Next()
			if _, got, _ := tokens.TagAttr(); string(got) != raw {
				t.Fatalf("%q in %q is %q", raw, q, got)
			}
		}
	})
}

// FuzzSitemap checks that compressed input causes no panic.
func FuzzSitemap(f *testing.F) {
	f.Add([]byte("http://a.example/\n# no\nhttp://b.example/"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte(`<urlset><url><loc>a</loc><lastmod>2026</lastmod></url></urlset>`))
	f.Fuzz(func(t *testing.T, src []byte) {
		for l, err := range ReadSitemap(mustParse(t, home), iotest.HalfReader(strings.NewReader(string(src)))) {
			if err == nil && l.URL == nil {
				t.Error("neither a URL nor an error")
			}
		}
	})
}
