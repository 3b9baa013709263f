package links

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// longPage returns a page of head, size bytes of repetitions of body, and tail.
func longPage(head, body, tail string, size int64) io.Reader {
	return io.MultiReader(strings.NewReader(head), io.LimitReader(&repeat{text: body}, size), strings.NewReader(tail))
}

type repeat struct {
	text string
	pos  int
}

func (r *repeat) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], r.text[r.pos:])
		r.pos = (r.pos + c) % len(r.text)
		n += c
	}
	return n, nil
}

// TestLong checks that the links after 12 MiB of a single construct are found, and that those bytes
// are not held.
func TestLong(t *testing.T) {
	const (
		size  = 12 << 20
		most  = 10 << 20 // heap growth, most of it for the garbage collector
		small = 3 * maxWindow
	)
	base := mustParse(t, home)
	for _, c := range []struct {
		name, head, body, tail string
		format                 Format
		want                   string
	}{
		{"text", "<p>", "word ", "<a href=a>", HTML, "a"},
		{"comment", "<!--", " - ", "--><a href=a>", HTML, "a"},
		{"script", "<script>", "if (a < b) ", "</script><a href=a>", HTML, "a"},
		{"a comment in a script", "<script><!--", "a < b -- ", "--></script><a href=a>", HTML, "a"},
		{"title", "<title>", "< ", "</title><a href=a>", HTML, "a"},
		{"image in a data URL", "<img src='data:image/png;base64,", "AAAA", "' srcset=b><a href=a>", HTML, "b a"},
		{"value that counts", "<a rel=nofollow href='", "AAAA", "'><a href=a>", HTML, "too long for a link at 22, a"},
		{"value that does not count", "<a href=b data-x='", "A>A ", "' ping=x><a href=a>", HTML, "b a"},
		{"value without quotes", "<a href=", "AAAA", " x><a href=a>", HTML, "too long for a link at 8, a"},
		{"name of an attribute", "<a href=b ", "AAAA", "=c><a href=a>", HTML, "b a"},
		{"name of an element", "<a", "AAAA", "><a href=a>", HTML, "a"},
		{"white space in a tag", "<a href=b ", " \n ", "><a href=a>", HTML, "b a"},
		{"attributes", "<a href=b ", "x=y ", "><a href=a>", HTML, "b a"},
		{"end tag", "</p ", "x='y' ", "><a href=a>", HTML, "a"},
		{"declaration", "<!x ", "y", "><a href=a>", HTML, "a"},
		{"CDATA", "<svg><![CDATA[", "]] <", "]]></svg><a href=a>", HTML, "a"},
		{"style sheet", "<style>", "a { color: red } ", "b { c: url(b) } </style><a href=a>", HTML, "b a"},
		{"style attribute", "<p style='", "a: b;", "'><a href=a>", HTML, "too long for a link at 10, a"},
		{"CSS string", `a{b:"`, `c`, `"; d: url(a)}`, CSS, "a"},
		{"CSS data URL", `a{b:url(data:x,`, `c`, `); d: url(a)}`, CSS, "a"},
		{"CSS URL", `a{b:url("`, `c`, `"); d: url(a)}`, CSS, "too long for a link at 9, a"},
		{"CSS comment", `/*`, `* `, `*/d{e: url(a)}`, CSS, "a"},
		{"CSS name", `a`, `b`, `{e: url(a)}`, CSS, "a"},
		{"location", `<url><loc>`, `b`, `</loc></url><url><loc>a</loc></url>`, XML, "too long for a link at 10, a"},
		{"location in CDATA", `<url><loc><![CDATA[`, `]]b`, `]]></loc></url><url><loc>a</loc></url>`, XML, "too long for a link at 19, a"},
		{"an entry", `<url>`, `<loc>http://o.example/</loc>`, `</url>`, XML, "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			grown := growth(func() {
				for l, err := range c.format.Read(base, longPage(c.head, c.body, c.tail, size)) {
					switch {
					case err != nil:
						got = append(got, fmt.Sprintf("%v at %d,", err, l.Offset))
					case c.want != "…":
						got = append(got, l.Text)
					}
				}
			})
			if text := strings.Join(got, " "); text != c.want && c.want != "…" {
				t.Errorf("links %.200q, want %q", text, c.want)
			}
			if grown > most {
				t.Errorf("%d bytes are held", grown)
			}
			n := new(counting)
			if err := c.format.Rewrite(n, longPage(c.head, c.body, c.tail, small), base, func(Link) (string, bool) { return "", false }); err != nil {
				t.Error(err)
			}
			if want := int64(len(c.head)+len(c.tail)) + small; n.n != want {
				t.Errorf("%d bytes are written, want %d", n.n, want)
			}
		})
	}
	t.Run("lines of a text", func(t *testing.T) {
		var got []string
		grown := growth(func() {
			for l, err := range ReadSitemap(base, longPage("b\n", "x", "\na\n", size)) {
				got = append(got, l.Text, fmt.Sprint(err))
			}
		})
		if text := strings.Join(got, " "); text != "b <nil>  too long for a link a <nil>" || grown > most {
			t.Errorf("links %.200q, and %d bytes", text, grown)
		}
	})
}

type counting struct{ n int64 }

func (c *counting) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

// growth returns the growth of the heap during f, including garbage.
func growth(f func()) int64 {
	var before, after runtime.MemStats
	debug.FreeOSMemory()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.HeapSys-after.HeapReleased) - int64(before.HeapSys-before.HeapReleased)
}

// TestHuge checks that 50 MB of a text or of an attribute need only the memory of a window.
func TestHuge(t *testing.T) {
	for _, page := range [][2]string{{"<p>", "<a href=a>"}, {"<img src='data:", "'><a href=a>"}} {
		n := 0
		grown := growth(func() {
			for range HTML.Read(mustParse(t, home), longPage(page[0], "some words ", page[1], 50<<20)) {
				n++
			}
		})
		if n != 1 || grown > 6<<20 {
			t.Errorf("%s has %d links, and %d bytes are held", page[0], n, grown)
		}
	}
}

// BenchmarkPage reads a page with every construct repeatedly.
func BenchmarkPage(b *testing.B) {
	benchmark(b, func(f Format, r io.Reader) {
		for range f.Read(mustParse(b, home), r) {
		}
	})
}

func BenchmarkRewrite(b *testing.B) {
	benchmark(b, func(f Format, r io.Reader) {
		f.Rewrite(io.Discard, r, mustParse(b, home), func(l Link) (string, bool) { return "file", true })
	})
}

func benchmark(b *testing.B, f func(Format, io.Reader)) {
	page := strings.Repeat(`<div class="row"><p>Some words of a text, <a class=x href="page.html?a&amp;b">a link</a> and more.</p><img alt="" src="img/a.png"></div>`+"\n", 60)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		f(HTML, strings.NewReader(page))
	}
}
