package links

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// A Format is what links are written in.
type Format uint8

const (
	HTML Format = iota // of text/html, as browsers read it
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

// Read yields the links of src, whose URL is base, in their order. It passes over what is
// no URL, over data: and javascript: URLs, which hold what they stand for, and over
// fragments alone. An ErrTooLong is about one link, and the sequence goes on. Any other error is
// that of src, and ends it.
func (f Format) Read(base *url.URL, src io.Reader) iter.Seq2[Link, error] {
	return sequence(base, src, f.scan)
}

// Rewrite copies src, whose URL is base, to dst. It calls replace with each link that Read
// would yield, but for base elements, and writes the text that replace returns in place of
// the link's, if replace says so. All other octets stay as they are, with two exceptions: the
// base element becomes empty, and a link behind it that is not replaced is written in full if
// it would lead elsewhere now. A link that is too long stays as it is.
//
// The text is a reference like Link.Text, and relative to the page without its base element.
// Rewrite escapes it. If what replace makes of its own texts is the same again, then so is
// what Rewrite makes of its own output.
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

// lasting returns the text of l that leads to the same URL without the base element. It has no
// login that only the URL of the page has.
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
