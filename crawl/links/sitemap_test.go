package links

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

func gzipped(t testing.TB, src io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, src); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return b.Bytes()
}

// entry formats the relevant fields of a link in a sitemap.
func entry(l Link, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	s := l.Kind.String() + " " + l.URL.String()
	if !l.ModTime.IsZero() {
		s += " " + l.ModTime.UTC().Format(time.RFC3339)
	}
	return s
}

func TestSitemap(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"pages", `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc> http://h.example/a?b=1&amp;c=2 </loc><lastmod>2026-01-02</lastmod><changefreq>daily</changefreq></url>
<url><lastmod>2026-01-02T03:04:05+01:00</lastmod><loc><![CDATA[http://h.example/b?c&d]]></loc>
  <xhtml:link rel="alternate" hreflang="de" href="http://h.example/de"/><image:image><image:loc>/i.png</image:loc></image:image></url>
<url><loc>/c</loc><lastmod>yesterday</lastmod></url>
</urlset>`, []string{
			"page http://h.example/a?b=1&c=2 2026-01-02T00:00:00Z", "page http://h.example/de",
			"page http://h.example/b?c&d 2026-01-02T02:04:05Z", "page http://h.example/i.png 2026-01-02T02:04:05Z", "page http://h.example/c"}},
		{"index", `<sitemapindex><sitemap><loc>/1.xml.gz</loc><lastmod>2026-01</lastmod></sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>`, []string{
			"sitemap http://h.example/1.xml.gz 2026-01-01T00:00:00Z", "sitemap http://h.example/2.xml"}},
		{"a prefix of a namespace", `<s:urlset><s:url><s:loc>/a</s:loc></s:url></s:urlset>`, []string{"page http://h.example/a"}},
		{"text", "\ufeffhttp://h.example/a\r\n\r\n  http://h.example/b  \n# http://h.example/no\nhttp://h.example/c", []string{
			"page http://h.example/a", "page http://h.example/b", "page http://h.example/c"}},
		{"broken", `<urlset><url><loc>/a<loc>/b</url><url><loc>/c`, []string{"page http://h.example/a", "page http://h.example/b", "page http://h.example/c"}},
		{"nothing", ``, nil},
		{"entities are not expanded", `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><urlset><url><loc>/x&b;y</loc></url></urlset>`, []string{
			"page http://h.example/x&b;y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := mustParse(t, home)
			for _, src := range []io.Reader{strings.NewReader(c.src), bytes.NewReader(gzipped(t, strings.NewReader(c.src)))} {
				var got []string
				for l, err := range ReadSitemap(base, src) {
					got = append(got, entry(l, err))
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("links\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
				}
			}
		})
	}
}

// TestSitemapPlaces checks that links have a position in a plain sitemap, and none in a compressed
// one.
func TestSitemapPlaces(t *testing.T) {
	base := mustParse(t, home)
	for _, src := range []string{"/a\n /b \n", `<url><loc> /a </loc><loc>/b</loc></url>`} {
		got := lines(t, src, ReadSitemap(base, strings.NewReader(src)))
		if len(got) != 2 || !strings.Contains(got[0], "[/a]") || !strings.Contains(got[1], "[/b]") {
			t.Errorf("links %q", got)
		}
		got = lines(t, src, ReadSitemap(base, bytes.NewReader(gzipped(t, strings.NewReader(src)))))
		if len(got) != 2 || !strings.Contains(got[0], "[nowhere]") {
			t.Errorf("compressed: links %q", got)
		}
	}
}

// TestLargeSitemap reads a sitemap with the maximum number of URLs.
func TestLargeSitemap(t *testing.T) {
	var b strings.Builder
	b.WriteString("<urlset>")
	for i := range 50_000 {
		fmt.Fprintf(&b, "<url><loc>http://h.example/%d</loc><lastmod>2026-01-02</lastmod></url>\n", i)
	}
	b.WriteString("</urlset>")
	n := 0
	for l, err := range ReadSitemap(mustParse(t, home), bytes.NewReader(gzipped(t, strings.NewReader(b.String())))) {
		if err != nil || l.URL.Path != fmt.Sprint("/", n) || l.ModTime.IsZero() {
			t.Fatalf("link %d: %+v, %v", n, l, err)
		}
		n++
	}
	if n != 50_000 {
		t.Errorf("%d links", n)
	}
}

// TestBombs checks that excessive decompressed data is an error, after the links before it.
func TestBombs(t *testing.T) {
	base := mustParse(t, home)
	bomb := gzipped(t, longPage("http://h.example/a\n", "\n", "", 64<<20))
	var got []string
	var last error
	for l, err := range ReadSitemap(base, bytes.NewReader(bomb)) {
		if last = err; err == nil {
			got = append(got, entry(l, err))
		}
	}
	if len(got) != 1 || !errors.Is(last, fetchers.ErrCoding) {
		t.Errorf("links %q, then %v", got, last)
	}

	cut := gzipped(t, strings.NewReader("http://h.example/a\nhttp://h.example/b\n"))
	for _, err := range ReadSitemap(base, bytes.NewReader(cut[:len(cut)-4])) {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("a sitemap that is cut ends with %v", last)
	}
}
