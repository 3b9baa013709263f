package links

import (
	"strings"
	"time"
)

// A feed reads the elements of XML whose text is a URL: <loc> of a sitemap (sitemaps.org) and
// <link> of RSS. The <lastmod> of a sitemap belongs to the <loc> of the same entry.
type feed struct {
	rss     bool // within <rss>, or <rdf:RDF> of RSS 1.0
	entry   bool // within <url> or <sitemap>
	index   bool // within <sitemap>
	changed time.Time
	locs    []pending // of the entry
}

// A pending is a link that waits for the time of its entry.
type pending struct {
	link       Link
	start, end int64
	escape     func(string) string
}

// maxPending limits the links of an entry. A page in a sitemap has at most 1,000 images.
const maxPending = 2000

// start reads the text of an element.
func (f *feed) start(m *markup, name string) {
	switch name {
	case "url", "sitemap":
		f.flush(m)
		f.entry, f.index = true, name == "sitemap"
	case "rss", "rdf":
		f.rss = true
	case "link":
		if f.rss {
			f.link(m, name)
		}
	case "loc":
		if f.entry {
			f.link(m, name)
		}
	case "lastmod":
		if v, ok := f.text(m); ok {
			f.changed = parseTime(strings.TrimSpace(v.text))
		}
	}
}

// link reads a URL. The URL of an entry is reported at the end of the entry. If it may be replaced,
// it is reported at once, while it is in the window.
func (f *feed) link(m *markup, name string) {
	v, ok := f.text(m)
	i, j := v.trim(0, len(v.text))
	if !ok || i == j {
		return
	}
	l := Link{Element: name, Text: v.text[i:j]}
	if f.index {
		l.Kind = Sitemap
	}
	start, end := v.place(i, j)
	escape := func(text string) string { return v.replacement(i, j, text) }
	if !f.entry || m.in.dst != nil || len(f.locs) == maxPending {
		m.w.link(l, start, end, escape)
		return
	}
	f.locs = append(f.locs, pending{l, start, end, escape})
}

func (f *feed) end(m *markup, name string) {
	if name == "url" || name == "sitemap" {
		f.flush(m)
	}
}

// flush reports the links of an entry.
func (f *feed) flush(m *markup) {
	for _, p := range f.locs {
		p.link.ModTime = f.changed
		m.w.link(p.link, p.start, p.end, p.escape)
	}
	*f = feed{rss: f.rss, locs: f.locs[:0]}
}

// text reads the text up to the next tag. It may be in CDATA. It is not ok if the text is too long.
func (f *feed) text(m *markup) (v value, ok bool) {
	in := m.in
	in.skipSpace()
	cdata := string(in.peek(len("<![CDATA["))) == "<![CDATA["
	if cdata {
		in.take(len("<![CDATA["))
	}
	in.hold = in.pos
	start, long := in.at(), false
	in.full = func() {
		if !long {
			m.w.long(Link{Element: m.tag.element}, start)
		}
		long = true
		in.hold = in.pos
	}
	if cdata {
		for in.seek("]") && string(in.peek(len("]]>"))) != "]]>" {
			in.take(1)
		}
	} else {
		in.seek("<")
	}
	if !long {
		raw := in.slice(start, in.at())
		if cdata {
			v = value{text: string(raw), start: start, cdata: true}
		} else {
			v = newValue(raw, start)
			v.quote = '"'
		}
	}
	in.release()
	return v, !long
}

// parseTime parses the time formats of sitemaps (W3C Datetime). It returns the zero time for
// others.
func parseTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}
