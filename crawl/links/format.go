package links

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// A Format is the syntax of a resource with links.
type Format uint8

const (
	HTML Format = iota // text/html, as browsers parse it
	XML                // XHTML, SVG, Atom, RSS and sitemaps
	CSS
)

// FormatOf returns the Format of a media type. It is not ok if there is none.
func FormatOf(mediaType string) (f Format, ok bool) {
	switch mediaType {
	case "text/html":
		return HTML, true
	case "application/xhtml+xml", "image/svg+xml", "application/atom+xml", "application/rss+xml", "application/rdf+xml",
		"application/xml", "text/xml":
		return XML, true
	case "text/css":
		return CSS, true
	}
	return 0, false
}

func (f Format) String() string {
	switch f {
	case HTML:
		return "html"
	case XML:
		return "xml"
	case CSS:
		return "css"
	}
	return fmt.Sprintf("Format(%d)", f)
}

// Read yields the links of src, whose URL is base, in order. It skips invalid URLs, fragments
// alone, and data: and javascript: URLs, which contain their own content. An ErrTooLong is about a
// single link, and the sequence continues. Any other error is from src, and ends it.
func (f Format) Read(base *url.URL, src io.Reader) iter.Seq2[Link, error] {
	return sequence(base, src, f.scan)
}

// Rewrite copies src, whose URL is base, to dst. It calls replace with each link that Read would
// yield, except base elements. If replace returns true, its text replaces the text of the link. All
// other bytes stay the same, with two exceptions: the href of the base element becomes empty, and a
// link after it that is not replaced becomes absolute if its meaning would change. A link that is
// too long stays the same.
//
// The text is a reference like Link.Text, relative to the page without its base element. Rewrite
// escapes it. If replace is idempotent, then so is Rewrite.
func (f Format) Rewrite(dst io.Writer, src io.Reader, base *url.URL, replace func(Link) (text string, ok bool)) error {
	w := &walk{in: newInput(src), page: base, base: base}
	w.in.dst = dst
	w.visit = func(l Link, start, end int64, escape func(string) string) {
		text, ok := "", l.Element == "base"
		if !ok {
			text, ok = replace(l)
			w.copied = w.copied || ok && relative(text)
		}
		if !ok {
			text = w.lasting(l)
		}
		if text != l.Text {
			w.edit(start, end, escape(text))
		}
	}
	w.rename = func(at int64) { w.edit(at, at, "data-") }
	f.scan(w)
	w.in.drain()
	w.in.flush(len(w.in.buf))
	if w.in.err == io.EOF {
		return nil
	}
	return w.in.err
}

// relative reports whether a reference has neither a scheme nor a host.
func relative(text string) bool {
	if strings.HasPrefix(text, "//") {
		return false
	}
	scheme, _, ok := strings.Cut(text, ":")
	return !ok || strings.ContainsAny(scheme, "/?#")
}

// lasting returns a text for l that has the same meaning without the base element. It does not
// contain a login from the URL of the page.
func (w *walk) lasting(l Link) string {
	if w.base == w.page {
		return l.Text
	}
	if u, ok := resolve(w.page, l.Text); ok && u.String() == l.URL.String() {
		return l.Text
	}
	u := *l.URL
	if login := w.page.User; login != nil && u.User != nil && *u.User == *login {
		u.User = nil
	}
	return u.String()
}

func (f Format) scan(w *walk) {
	w.decode()
	switch f {
	case CSS:
		c := &css{in: w.in, long: func(start int64) { w.long(Link{Kind: Requisite, Attr: "url"}, start) }}
		c.found = func(attr, text string, start, end int64, escape func(string) string) {
			w.link(Link{Kind: Requisite, Attr: attr, Text: text}, start, end, escape)
		}
		c.read()
	default:
		newMarkup(w, f == XML).read()
	}
}
