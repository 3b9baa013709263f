package links

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

func resource(t testing.TB, u string, kind fetchers.Kind, mediaType, body string) *fetchers.Resource {
	res := &fetchers.Resource{URL: mustParse(t, u), Kind: kind, MediaType: mediaType}
	res.SetBody(io.NopCloser(strings.NewReader(body)))
	return res
}

func TestOf(t *testing.T) {
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	listing := resource(t, "ftp://f.example/pub/", fetchers.Listing, "text/ftp-list", "")
	listing.Parse = func(io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			for _, e := range []fetchers.Entry{
				{URL: mustParse(t, "ftp://f.example/pub/a"), Name: "a", Kind: fetchers.Document, Size: 3, ModTime: day},
				{Name: "words", Kind: fetchers.Text},
				{URL: mustParse(t, "telnet://f.example/"), Name: "login", Kind: fetchers.Session},
				{URL: mustParse(t, "ftp://f.example/pub/d/"), Name: "d", Kind: fetchers.Listing},
			} {
				if !yield(e, nil) {
					return
				}
			}
			yield(fetchers.Entry{}, errors.New("cut"))
		}
	}
	redirect := resource(t, home, fetchers.Redirect, "text/html", "<a href=no>")
	redirect.Location = mustParse(t, "http://o.example/")
	fields := resource(t, home, fetchers.Document, "text/html", "<a href=z>")
	fields.Header = textproto.MIMEHeader{
		"Link": {`<a.css>; rel=stylesheet, <b?c,d;e>; title="x, \"<y>"; rel="next nofollow"; rel=stylesheet`,
			`<no>; rel=next; anchor="#x", </c>;rel=preconnect,<//o.example/>`, `nonsense`, `<cut`},
		"Refresh": {"5; url=/later"},
	}
	for _, c := range []struct {
		name string
		res  *fetchers.Resource
		want []string
	}{
		{"listing", listing, []string{"page ftp://f.example/pub/a 2026-01-02T00:00:00Z", "mention telnet://f.example/", "page ftp://f.example/pub/d/", "error: cut"}},
		{"redirect", redirect, []string{"page http://o.example/"}},
		{"redirect without a target", resource(t, home, fetchers.Redirect, "", ""), nil},
		{"fields", fields, []string{"requisite http://h.example/dir/a.css", "page http://h.example/dir/b?c,d;e", "mention http://h.example/c", "mention http://o.example/",
			"page http://h.example/later", "page http://h.example/dir/z"}},
		{"page", resource(t, home, fetchers.Document, "text/html", "<a href=a>"), []string{"page http://h.example/dir/a"}},
		{"index with a page", resource(t, home, fetchers.Index, "text/html", "<a href=a>"), []string{"page http://h.example/dir/a"}},
		{"style sheet", resource(t, home, fetchers.Document, "text/css", "a{b:url(a)}"), []string{"requisite http://h.example/dir/a"}},
		{"sitemap", resource(t, home, fetchers.Document, "application/xml", "<url><loc>/a</loc></url>"), []string{"page http://h.example/a"}},
		{"compressed sitemap", resource(t, "http://h.example/s.xml.gz", fetchers.Document, "application/gzip", string(gzipped(t, strings.NewReader("<url><loc>/a</loc></url>")))),
			[]string{"page http://h.example/a"}},
		{"list of URLs", resource(t, home, fetchers.Document, "text/uri-list", "# x\r\nhttp://o.example/\r\n"), []string{"page http://o.example/"}},
		{"text", resource(t, home, fetchers.Document, "text/plain", "<a href=no>"), nil},
		{"session", resource(t, "telnet://f.example/", fetchers.Session, "", ""), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for l, err := range Of(c.res) {
				got = append(got, entry(l, err))
				if err == nil && (c.name == "listing") != (l.Entry != nil) {
					t.Errorf("%s has the entry %v", l.URL, l.Entry)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("links\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
		})
	}

	for range Of(listing) {
		break // must not panic
	}
	for range Of(fields) {
		break
	}
	broken := resource(t, home, fetchers.Document, "text/html", "")
	broken.SetBody(io.NopCloser(io.MultiReader(strings.NewReader("<a href=a>"), iotest.ErrReader(io.ErrUnexpectedEOF))))
	var last error
	for _, err := range Of(broken) {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("a body that is cut ends with %v", last)
	}
}

// TestResolve checks the repairs of browsers.
func TestResolve(t *testing.T) {
	for _, c := range []struct{ base, text, want string }{
		{home, "a\x01b", "http://h.example/dir/a%01b"},
		{home, "\x00 a \x1f", "http://h.example/dir/a"},
		{home, "http:%", ""},
		{"gopher://g.example/1dir/x", `a\b`, "gopher://g.example/1dir/a%5Cb"},
		{home, `HTTP:\\O.example`, "http://o.example"},
		{home, `gopher:\\g`, ``},
		{"", `http:\\o.example\a`, "http://o.example/a"},
		{"", `a\b`, ""},
		{"urn:isbn:1", "a", ""},
	} {
		var base *url.URL
		if c.base != "" {
			base = mustParse(t, c.base)
		}
		u, ok := resolve(base, c.text)
		if got := u.String(); got != c.want || ok != (c.want != "") {
			t.Errorf("resolve(%q, %q) = %q, %v", c.base, c.text, got, ok)
		}
	}
	if s := fmt.Sprint(Page, Requisite, Sitemap, Mention, Kind(9), HTML, XML, CSS, Format(9)); s != "page requisite sitemap mention Kind(9) html xml css Format(9)" {
		t.Error(s)
	}
}
