package links

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/url"
)

const home = "http://h.example/dir/page.html"

func mustParse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// lines returns a line for each link: kind, element, attribute, value as written, and URL.
func lines(t testing.TB, src string, links iter.Seq2[Link, error]) (got []string) {
	t.Helper()
	for l, err := range links {
		if err != nil {
			got = append(got, fmt.Sprintf("%s %s: %v", l.Element, l.Attr, err))
			continue
		}
		written := "nowhere"
		if l.Offset >= 0 {
			written = src[l.Offset : l.Offset+l.Length]
		}
		line := fmt.Sprintf("%s %s.%s [%s] %s", l.Kind, l.Element, l.Attr, written, strings.TrimPrefix(l.URL.String(), "http://h.example"))
		if l.NoFollow {
			line += " nofollow"
		}
		got = append(got, line)
	}
	return got
}

type table []struct {
	name, src string
	want      []string
}

// run reads each case as a whole and byte by byte.
func (cases table) run(t *testing.T, f Format) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			base := mustParse(t, home)
			if got := lines(t, c.src, f.Read(base, strings.NewReader(c.src))); !slices.Equal(got, c.want) {
				t.Errorf("links\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
			if got := lines(t, c.src, f.Read(base, iotest.OneByteReader(strings.NewReader(c.src)))); !slices.Equal(got, c.want) {
				t.Errorf("byte by byte\n\t%s", strings.Join(got, "\n\t"))
			}
			var same bytes.Buffer
			if err := f.Rewrite(&same, strings.NewReader(c.src), base, func(l Link) (string, bool) { return l.Text, true }); err != nil {
				t.Error(err)
			}
			if !strings.Contains(strings.ToLower(c.src), "<base") && same.String() != c.src {
				t.Errorf("rewritten with its own links:\n%s", &same)
			}
		})
	}
}

func TestHTML(t *testing.T) {
	table{
		{"quotes of three kinds", `<a href="a"><a href='b'><a href=c><A HREF = d>`, []string{
			"page a.href [a] /dir/a", "page a.href [b] /dir/b", "page a.href [c] /dir/c", "page a.href [d] /dir/d"}},
		{"white space around a value", "<a href=\" \n a b\t\">", []string{"page a.href [a b] /dir/a%20b"}},
		{"a line break within a value", "<a href='a\n\tb'>", []string{"page a.href [a\n\tb] /dir/ab"}},
		{"character references", `<a href="?a=1&amp;b=2&lt=3&copy=4&notit;&#47;&#x2f;x&eacute;">`, []string{
			"page a.href [?a=1&amp;b=2&lt=3&copy=4&notit;&#47;&#x2f;x&eacute;] /dir/page.html?a=1&b=2&lt=3&copy=4&notit;//x%C3%A9"}},
		{"a semicolon by name", `<a href="a&semi;b&sol;c">`, []string{"page a.href [a&semi;b&sol;c] /dir/a;b/c"}},
		{"bytes of another character set", "<a href='\xe9'>", []string{"page a.href [\xe9] /dir/%E9"}},
		{"a backslash", `<a href="\x\y?\z"><a href="http:\\o.example\x">`, []string{
			`page a.href [\x\y?\z] /x/y?%5Cz`, `page a.href [http:\\o.example\x] http://o.example/x`}},
		{"a bare percent sign", `<a href="100%.html"><a href="a%20b%">`, []string{
			"page a.href [100%.html] /dir/100%25.html", "page a.href [a%20b%] /dir/a%20b%25"}},
		{"no URL", `<a href><a href=><a href=""><a href="http://["><a href="javascript:x()"><img src="data:image/png;base64,AA=="><a href="#top">`, nil},
		{"other schemes", `<a href="mailto:joe@example.com"><a href="gopher://g.example/1x">`, []string{
			"page a.href [mailto:joe@example.com] mailto:joe@example.com", "page a.href [gopher://g.example/1x] gopher://g.example/1x"}},
		{"rel=nofollow", `<a rel="noopener NoFollow" href=a><a href=b>`, []string{"page a.href [a] /dir/a nofollow", "page a.href [b] /dir/b"}},
		{"robots of a meta element", `<a href=a><meta name=ROBOTS content="noindex,nofollow"><a href=b>`, []string{
			"page a.href [a] /dir/a", "page a.href [b] /dir/b nofollow"}},
		{"area and map", `<map><area shape=rect href=a></map>`, []string{"page area.href [a] /dir/a"}},
		{"link by rel", `<link rel=stylesheet href=1><link href=2 rel="shortcut icon"><link rel="alternate" href=3><link rel=next href=4>
			<link rel=preconnect href=//o.example><link rel=dns-prefetch href=//o.example><link href=5><link rel=sitemap href=6><link rel="alternate stylesheet" href=7>
			<link rel=preload as=image imagesrcset="8 1x, 9 2x">`, []string{
			"requisite link.href [1] /dir/1", "requisite link.href [2] /dir/2", "page link.href [3] /dir/3", "page link.href [4] /dir/4",
			"mention link.href [//o.example] http://o.example", "mention link.href [//o.example] http://o.example", "mention link.href [5] /dir/5",
			"sitemap link.href [6] /dir/6", "requisite link.href [7] /dir/7",
			"requisite link.imagesrcset [8] /dir/8", "requisite link.imagesrcset [9] /dir/9"}},
		{"srcset", `<img src=a srcset="b,c 1x, d 2x,e,, data:image/gif;base64,AA 3x,f(,) 4x , g (a,b) 1w, h,">`, []string{
			"requisite img.src [a] /dir/a", "requisite img.srcset [b,c] /dir/b,c", "requisite img.srcset [d] /dir/d", "requisite img.srcset [e] /dir/e",
			"requisite img.srcset [f(,)] /dir/f(,)", "requisite img.srcset [g] /dir/g", "requisite img.srcset [h] /dir/h"}},
		{"media", `<picture><source srcset=a></picture><video src=b poster=c><source src=d><track src=e></video><audio src=f><bgsound src=g>`, []string{
			"requisite source.srcset [a] /dir/a", "requisite video.src [b] /dir/b", "requisite video.poster [c] /dir/c", "requisite source.src [d] /dir/d",
			"requisite track.src [e] /dir/e", "requisite audio.src [f] /dir/f", "requisite bgsound.src [g] /dir/g"}},
		{"frames", `<frameset><frame src=a><noframes><a href=b>b</a></noframes></frameset><iframe src=c><a href=no></iframe><embed src=d><object data=e>`, []string{
			"requisite frame.src [a] /dir/a", "page a.href [b] /dir/b", "requisite iframe.src [c] /dir/c", "requisite embed.src [d] /dir/d", "requisite object.data [e] /dir/e"}},
		{"srcdoc", `<iframe srcdoc="<a href=&quot;x?a&amp;amp;b&quot;><p style='background:url(y)'>">`, []string{
			"page a.href [x?a&amp;amp;b] /dir/x?a&b", "requisite p.style [y] /dir/y"}},
		{"srcdoc in itself", nested(5), []string{"page a.href [a1] /dir/a1", "page a.href [a2] /dir/a2", "page a.href [a3] /dir/a3"}},
		{"form", `<form action=a><form method=GET action=b><form action=c method=post><button formaction=d><input type=image src=e>`, []string{
			"page form.action [a] /dir/a", "page form.action [b] /dir/b", "mention form.action [c] /dir/c", "mention button.formaction [d] /dir/d", "requisite input.src [e] /dir/e"}},
		{"old attributes", `<body background=a><td background=b><img lowsrc=c longdesc=d><q cite=e>`, []string{
			"requisite body.background [a] /dir/a", "requisite td.background [b] /dir/b", "requisite img.lowsrc [c] /dir/c", "page img.longdesc [d] /dir/d", "mention q.cite [e] /dir/e"}},
		{"refresh", `<meta http-equiv=refresh content="5; url=a"><meta content='0;URL = "b c"' http-equiv=Refresh><meta http-equiv=refresh content="1,c"><meta http-equiv=refresh content=9><meta content="0;url=no">`, []string{
			"page meta.content [a] /dir/a", "page meta.content [b c] /dir/b%20c", "page meta.content [c] /dir/c"}},
		{"base", `<a href=a><base target=_top><base href="/sub/x#y"><a href=b><a href="#c"><base href="/no/"><a href=d>`, []string{
			"page a.href [a] /dir/a", "mention base.href [/sub/x#y] /sub/x#y", "page a.href [b] /sub/b", "page a.href [#c] /sub/x#c", "page a.href [d] /sub/d"}},
		{"style", `<p style="background: url(&quot;a&amp;b&quot;), url('c d')"><style>@import "d"; p{background:url(e)}</style><a href=f>`, []string{
			"requisite p.style [a&amp;b] /dir/a&b", "requisite p.style [c d] /dir/c%20d", "requisite style.@import [d] /dir/d", "requisite style.url [e] /dir/e", "page a.href [f] /dir/f"}},
		{"the end of a style sheet in a string", `<style>a{b:url("x</STYLE ><a href=a>`, []string{"requisite style.url [x] /dir/x", "page a.href [a] /dir/a"}},
		{"the end of a style sheet in a comment", `<style>/* url(no) </style><a href=a>`, []string{"page a.href [a] /dir/a"}},
		{"comments", `<!-- <a href=no> --><a href=a><!--><a href=b><!---><a href=c><!-- --!><a href=d><!----!><a href=e><!--!><a href=no>--><!- <a href=f><a href=g>`, []string{
			"page a.href [a] /dir/a", "page a.href [b] /dir/b", "page a.href [c] /dir/c", "page a.href [d] /dir/d", "page a.href [e] /dir/e", "page a.href [g] /dir/g"}},
		{"script", `<script src=a>document.write("<a href=no>")</script><a href=b><script><!-- <script> </script> <a href=no> --></script><a href=c>`, []string{
			"requisite script.src [a] /dir/a", "page a.href [b] /dir/b", "page a.href [c] /dir/c"}},
		{"a sign in a comment in a script", `<script><!-- 1 < 2 <script> </script> <a href=no> --></script><a href=a>`, []string{"page a.href [a] /dir/a"}},
		{"a script in a comment that ends", `<script><!-- x --> "<script>" </script><a href=a><script><!--> </script><a href=b>`, []string{
			"page a.href [a] /dir/a", "page a.href [b] /dir/b"}},
		{"texts without tags", `<title><a href=no></title><textarea><a href=no></TEXTAREA/><xmp><a href=no></xmpx></xmp><a href=a>`, []string{"page a.href [a] /dir/a"}},
		{"noscript and template", `<noscript><img src=a></noscript><template><img src=b></template>`, []string{"requisite img.src [a] /dir/a", "requisite img.src [b] /dir/b"}},
		{"plaintext", `<a href=a><plaintext><a href=no></plaintext><a href=no>`, []string{"page a.href [a] /dir/a"}},
		{"svg", `<svg><style>a{fill:url(#no)}</style><![CDATA[<a href=no>]]><script href=a /><image xlink:href=b /><use href="c#d"/><a xlink:href=e></a></svg><![CDATA[<a href=f><a href=g>`, []string{
			"requisite script.href [a] /dir/a", "requisite image.xlink:href [b] /dir/b", "requisite use.href [c#d] /dir/c#d", "page a.xlink:href [e] /dir/e", "page a.href [g] /dir/g"}},
		{"the first of two attributes counts", `<a href=a href=b>`, []string{"page a.href [a] /dir/a"}},
		{"broken markup", `<<a href=a><a/href=b/><a b='x'href="c"d><a =href=no><a href="d" <b><a "href=no><3 <a href=e></a href=no><a href='f`, []string{
			"page a.href [a] /dir/a", "page a.href [b/] /dir/b/", "page a.href [c] /dir/c", "page a.href [d] /dir/d", "page a.href [e] /dir/e"}},
		{"a tag that is cut", `<a href=a`, nil},
		{"a declaration", `<!DOCTYPE html PUBLIC "x"><?xml version="1.0"?><a href=a>`, []string{"page a.href [a] /dir/a"}},
	}.run(t, HTML)
}

// nested returns pages in nested srcdoc attributes.
func nested(depth int) (page string) {
	for ; depth > 0; depth-- {
		page = fmt.Sprintf(`<iframe srcdoc="%s"></iframe>`, html.EscapeString(fmt.Sprintf("<a href=a%d>", depth)+page))
	}
	return page
}

func TestXML(t *testing.T) {
	table{
		{"xhtml", `<?xml version="1.0"?><html:html><script src="a"/><title/><html:a href="b"/><![CDATA[<a href="no">]]></html:html>`, []string{
			"requisite script.src [a] /dir/a", "page a.href [b] /dir/b"}},
		{"a style sheet by instruction", `<?xml-stylesheet type="text/css" href="a&amp;b"?><svg><style><![CDATA[ a{b:url(c)} ]]></style></svg>`, []string{
			"requisite xml-stylesheet.href [a&amp;b] /dir/a&b", "requisite style.url [c] /dir/c"}},
		{"rss", `<rss><channel><link>http://h.example/</link><item><link><![CDATA[ a&b ]]></link><enclosure url="c"/><media:content url="d"/></item></channel></rss>`, []string{
			"page link. [http://h.example/] /", "page link. [a&b] /dir/a&b", "page enclosure.url [c] /dir/c", "page content.url [d] /dir/d"}},
		{"no feed", `<x><link>no</link><loc>no</loc></x>`, nil},
		{"atom", `<feed><link href="a"/><atom:link rel="self" href="b"/><content src="c"/></feed>`, []string{
			"page link.href [a] /dir/a", "page link.href [b] /dir/b", "page content.src [c] /dir/c"}},
	}.run(t, XML)
}

func TestCSS(t *testing.T) {
	table{
		{"url", `a{b:url(a) url( "b" ) URL('c');d:url( e f)}`, []string{
			"requisite .url [a] /dir/a", "requisite .url [b] /dir/b", "requisite .url [c] /dir/c"}},
		{"import", `@import "a";@import 'b' screen;@IMPORT/**/url(c) layer(x);@import url("d") supports(display: grid);@charset "no";`, []string{
			"requisite .@import [a] /dir/a", "requisite .@import [b] /dir/b", "requisite .@import [c] /dir/c", "requisite .@import [d] /dir/d"}},
		{"comments", `/* url(no) **/a/* "*/{b:url(a)/*/url(no)*/;c:url(/*b)}`, []string{"requisite .url [a] /dir/a", "requisite .url [/*b] /*b"}},
		{"escapes", `a{b:url(a\)b\20 c) url("d\"\
e\66 f\00002f")}`, []string{`requisite .url [a\)b\20 c] /dir/a)b%20c`, "requisite .url [d\\\"\\\ne\\66 f\\00002f] /dir/d%22eff/"}},
		{"strings", `a::before{content:"url(no)\"url(no)" url(a)}b{c:"no
;d:url(b)}`, []string{"requisite .url [a] /dir/a", "requisite .url [b] /dir/b"}},
		{"bad urls", `a{b:url(no"x) url(no(x) url(no no) url() url(#no) url(data:x,y) url(a);c:curl(no)}`, []string{"requisite .url [a] /dir/a"}},
		{"namespace", `@namespace svg url(http://www.w3.org/2000/svg);@namespace "no";a{b:url(a)}`, []string{"requisite .url [a] /dir/a"}},
		{"image-set", `a{b:image-set("a" 1x type("no"), url(b) 2x),"no"}`, []string{"requisite .url [a] /dir/a", "requisite .url [b] /dir/b"}},
		{"an end without parentheses", `a{b:url(a`, []string{"requisite .url [a] /dir/a"}},
		{"an end without quotes", `a{b:url("a`, []string{"requisite .url [a] /dir/a"}},
		{"fonts", `@font-face{src:url("a.woff2")format("woff2"),url(b.eot?#iefix)}`, []string{"requisite .url [a.woff2] /dir/a.woff2", "requisite .url [b.eot?#iefix] /dir/b.eot?#iefix"}},
	}.run(t, CSS)
}

// TestPage reads a page with every construct.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/page.links")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(lines(t, string(page), HTML.Read(mustParse(t, home), bytes.NewReader(page))), "\n") + "\n"
	if got != string(want) {
		t.Errorf("links\n%s\nwant\n%s", got, want)
	}
}

// TestUTF16 checks that a page in UTF-16 is read, and written in UTF-8.
func TestUTF16(t *testing.T) {
	const page = "\ufeff<a href=é>"
	var le, be []byte
	for _, r := range page {
		le = append(le, byte(r), byte(r>>8))
		be = append(be, byte(r>>8), byte(r))
	}
	for _, src := range [][]byte{le, be} {
		base := mustParse(t, home)
		got := lines(t, "", HTML.Read(base, bytes.NewReader(src)))
		if want := []string{"page a.href [nowhere] /dir/%C3%A9"}; !slices.Equal(got, want) {
			t.Errorf("links %q", got)
		}
		var out strings.Builder
		err := HTML.Rewrite(&out, bytes.NewReader(src), base, func(Link) (string, bool) { return "x", true })
		if want := "\ufeff<a href=x>"; err != nil || out.String() != want {
			t.Errorf("rewritten %q, %v", out.String(), err)
		}
	}
}

// TestStop checks that no more links are yielded after a break, and that a source error is
// reported.
func TestStop(t *testing.T) {
	base := mustParse(t, home)
	const page = `<img src=a srcset="b, c"><style>a{b:url(d)}</style><iframe srcdoc="<a href=e><a href=f>"><a href=g><base href=h><a href=i>`
	total := len(lines(t, page, HTML.Read(base, strings.NewReader(page))))
	for most := 1; most <= total; most++ {
		n := 0
		for _, err := range HTML.Read(base, io.MultiReader(strings.NewReader(page), iotest.ErrReader(errors.New("read on")))) {
			if n++; err != nil || n == most {
				break
			}
		}
		if n != most {
			t.Errorf("%d links, want %d", n, most)
		}
	}
	broken := errors.New("broken")
	got := lines(t, page, HTML.Read(base, io.MultiReader(strings.NewReader(page), iotest.ErrReader(broken))))
	if len(got) != total+1 || got[total] != " : broken" {
		t.Errorf("links %q", got)
	}
	if err := HTML.Rewrite(io.Discard, iotest.ErrReader(broken), base, nil); err != broken {
		t.Errorf("Rewrite = %v", err)
	}
	same := func(l Link) (string, bool) { return "other", true }
	for room := range len(page) {
		if err := HTML.Rewrite(&narrow{room}, strings.NewReader(page), base, same); err != io.ErrShortWrite {
			t.Errorf("Rewrite in %d bytes = %v", room, err)
		}
	}
}

// A narrow writer fails after a number of bytes.
type narrow struct{ room int }

func (n *narrow) Write(p []byte) (int, error) {
	if n.room -= len(p); n.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}
