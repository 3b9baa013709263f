package links

import (
	"strings"
	"testing"
	"testing/iotest"
)

// rewrite returns the rewritten src, which it passes as a whole and byte by byte.
func rewrite(t testing.TB, f Format, src string, replace func(Link) (string, bool)) string {
	t.Helper()
	var whole, slow strings.Builder
	var texts []string
	err := f.Rewrite(&whole, strings.NewReader(src), mustParse(t, home), func(l Link) (string, bool) {
		text, ok := replace(l)
		if !ok {
			text = "\x00"
		}
		texts = append(texts, text)
		return text, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	err = f.Rewrite(&slow, iotest.OneByteReader(strings.NewReader(src)), mustParse(t, home), func(l Link) (text string, ok bool) {
		if len(texts) == 0 {
			return "more links", true
		}
		text, texts = texts[0], texts[1:]
		return text, text != "\x00"
	})
	if err != nil {
		t.Fatal(err)
	}
	if whole.String() != slow.String() {
		t.Fatalf("rewritten %q, byte by byte %q", &whole, &slow)
	}
	return whole.String()
}

// to returns a replace function that returns text for every link.
func to(text string) func(Link) (string, bool) {
	return func(Link) (string, bool) { return text, true }
}

// TestRewrite replaces each link by a text that needs escapes in every context.
func TestRewrite(t *testing.T) {
	for _, c := range []struct {
		name      string
		format    Format
		src, with string
		want      string
	}{
		{"double quotes", HTML, `<a x=1 href="b" y>`, `a&b"c'd e<f>`, `<a x=1 href="a&amp;b&#34;c'd e&lt;f&gt;" y>`},
		{"single quotes", HTML, `<a x=1 href='b' y>`, `a&b"c'd e<f>`, `<a x=1 href='a&amp;b"c&#39;d e&lt;f&gt;' y>`},
		{"no quotes", HTML, `<a x=1 href=b y>`, `a&b"c'd e<f>`, `<a x=1 href=a&amp;b&#34;c&#39;d&#32;e&lt;f&gt; y>`},
		{"nothing without quotes", HTML, `<a href=b y=z>`, ``, `<a href="" y=z>`},
		{"white space stays", HTML, `<a href=" b ">`, `a`, `<a href=" a ">`},
		{"srcset", HTML, `<img srcset="a 1x,b, c 2x">`, `x y,`, `<img srcset="x%20y%2C 1x,x%20y%2C, x%20y%2C 2x">`},
		{"srcset without quotes", HTML, `<img srcset=a,>`, `x y`, `<img srcset=x%20y,>`},
		{"refresh", HTML, `<meta http-equiv=refresh content="1; url='a'">`, `x'y"`, `<meta http-equiv=refresh content="1; url='x%27y&#34;'">`},
		{"refresh without quotes", HTML, `<meta http-equiv=refresh content=1;url=a>`, `'x y`, `<meta http-equiv=refresh content=1;url=%27x&#32;y>`},
		{"url in an attribute", HTML, `<p style="b:url(a);c:url('a');d:url(&quot;a&quot;)">`, `x"'()\ y<`,
			`<p style="b:url(x\&#34;\'\(\)\\\20 y\3c );c:url('x&#34;\'()\\ y\3c ');d:url(&quot;x\&#34;'()\\ y\3c &quot;)">`},
		{"style element", HTML, `<style>@import "a";b{c:url(a)}</style>`, `</style>`, `<style>@import "\3c /style>";b{c:url(\3c /style>)}</style>`},
		{"srcdoc", HTML, `<iframe srcdoc="<a href=&quot;a&quot;>">`, `x&"y`, `<iframe srcdoc="<a href=&quot;x&amp;amp;&amp;#34;y&quot;>">`},
		{"css", CSS, `@import "a";b{c:url(a);d:url( 'a' )}`, "x\"'\n", `@import "x\"'\a ";b{c:url(x\"\'\a );d:url( 'x"\'\a ' )}`},
		{"feed", XML, `<rss><link> a </link><link><![CDATA[a]]></link>`, `x&y<]]>`, `<rss><link> x&amp;y&lt;]]&gt; </link><link><![CDATA[x&y<%5D%5D>]]></link>`},
		{"integrity", HTML, `<script integrity="sha256-x" src=a crossorigin></script><link crossorigin=anonymous href="a" rel=stylesheet INTEGRITY='x' crossorigin><a crossorigin>`, `y`,
			`<script data-integrity="sha256-x" src=y data-crossorigin></script><link data-crossorigin=anonymous href="y" rel=stylesheet data-INTEGRITY='x' data-crossorigin><a crossorigin>`},
		{"integrity of what is elsewhere", HTML, `<script integrity=x src=a crossorigin></script>`, `http://o.example/y`, `<script integrity=x src=http://o.example/y crossorigin></script>`},
		{"integrity in srcdoc", HTML, `<iframe srcdoc="&lt;img src=a crossorigin=&quot;&quot;><img srcset='a' crossorigin>" crossorigin>`, `y`,
			`<iframe srcdoc="&lt;img src=y data-crossorigin=&quot;&quot;><img srcset='y' data-crossorigin>" data-crossorigin>`},
		{"crossorigin in SVG", XML, `<svg><image crossorigin="anonymous" href="a"/></svg>`, `y`, `<svg><image data-crossorigin="anonymous" href="y"/></svg>`},
		{"base", HTML, `<base href="/x/"><a href="a"><a href='#b'>`, `y`, `<base href=""><a href="y"><a href='y'>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := rewrite(t, c.format, c.src, to(c.with))
			if got != c.want {
				t.Errorf("rewritten\n\t%s\nwant\n\t%s", got, c.want)
			}
			if again := rewrite(t, c.format, got, to(c.with)); again != got {
				t.Errorf("rewritten again\n\t%s", again)
			}
		})
	}
}

// TestRewriteWithBase checks that a link that is not replaced keeps its meaning without the base
// element.
func TestRewriteWithBase(t *testing.T) {
	const page = `<a href="one"><base target=t href=http://o.example/sub/><a href="one"><a href="#top"><img src=//o.example/x srcset="/y 1x">` +
		`<a href="http://o.example/z"><p style="b:url(c&amp;d)"><a href="mailto:x@y"><base href=again>`
	const want = `<a href="one"><base target=t href=""><a href="http://o.example/sub/one"><a href="http://o.example/sub/#top"><img src=//o.example/x srcset="http://o.example/y 1x">` +
		`<a href="http://o.example/z"><p style="b:url(http://o.example/sub/c&amp;d)"><a href="mailto:x@y"><base href=again>`
	none := func(l Link) (string, bool) {
		if l.Element == "base" {
			t.Error("replace was asked about a base element")
		}
		return "", false
	}
	got := rewrite(t, HTML, page, none)
	if got != want {
		t.Errorf("rewritten\n\t%s\nwant\n\t%s", got, want)
	}
	if again := rewrite(t, HTML, got, none); again != got {
		t.Errorf("rewritten again\n\t%s", again)
	}
}

// TestRewriteWithoutLogin checks that a login in the URL of a page is not written into it.
func TestRewriteWithoutLogin(t *testing.T) {
	var out strings.Builder
	none := func(l Link) (string, bool) { return "", false }
	page := `<base href="/x/"><a href="y"><a href="ftp://joe:own@h.example/">`
	if err := HTML.Rewrite(&out, strings.NewReader(page), mustParse(t, "http://joe:secret@h.example/"), none); err != nil {
		t.Fatal(err)
	}
	if want := `<base href=""><a href="http://h.example/x/y"><a href="ftp://joe:own@h.example/">`; out.String() != want {
		t.Errorf("rewritten %s", &out)
	}
}

// TestConvert converts a page of a copy: links to fetched resources become file names, others
// absolute URLs.
func TestConvert(t *testing.T) {
	fetched := map[string]string{"http://h.example/dir/a?b": "a@b.html", "http://h.example/dir/a@b.html": "a@b.html"}
	convert := func(l Link) (string, bool) {
		u := *l.URL
		u.Fragment = ""
		if file, ok := fetched[u.String()]; ok {
			return file + l.URL.Fragment, true
		}
		return l.URL.String(), true
	}
	got := rewrite(t, HTML, `<a href="a?b#c"><a href=other>`, convert)
	if want := `<a href="a@b.html#c"><a href=http://h.example/dir/other>`; got != want {
		t.Errorf("rewritten %s", got)
	}
	if again := rewrite(t, HTML, got, convert); again != got {
		t.Errorf("rewritten again %s", again)
	}
}
