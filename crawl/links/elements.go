package links

import (
	"slices"
	"strings"
)

// A use tells how an attribute of an element contains links.
type use struct {
	form form
	kind Kind
}

// A form is the syntax of the links in an attribute.
type form uint8

const (
	whole   form = iota // one URL
	srcset              // URLs with descriptors
	style               // declarations of CSS
	refresh             // seconds and a URL
	srcdoc              // a page
)

// uses lists the attributes with links by element; "" stands for all elements. For link, form and
// meta, the use also depends on rel, method and http-equiv; see markup.use.
var uses = map[string]map[string]use{
	"": {
		"style":      {style, Requisite},
		"background": {whole, Requisite},
		"cite":       {whole, Mention},
	},
	"a":          {"href": {whole, Page}, "xlink:href": {whole, Page}},
	"area":       {"href": {whole, Page}},
	"base":       {"href": {whole, Mention}},
	"link":       {"href": {whole, Page}, "imagesrcset": {srcset, Requisite}},
	"meta":       {"content": {refresh, Page}},
	"form":       {"action": {whole, Page}},
	"button":     {"formaction": {whole, Mention}},
	"input":      {"src": {whole, Requisite}, "formaction": {whole, Mention}},
	"img":        {"src": {whole, Requisite}, "srcset": {srcset, Requisite}, "lowsrc": {whole, Requisite}, "dynsrc": {whole, Requisite}, "longdesc": {whole, Page}},
	"source":     {"src": {whole, Requisite}, "srcset": {srcset, Requisite}},
	"video":      {"src": {whole, Requisite}, "poster": {whole, Requisite}},
	"audio":      {"src": {whole, Requisite}},
	"bgsound":    {"src": {whole, Requisite}},
	"track":      {"src": {whole, Requisite}},
	"iframe":     {"src": {whole, Requisite}, "srcdoc": {srcdoc, Requisite}, "longdesc": {whole, Page}},
	"frame":      {"src": {whole, Requisite}, "longdesc": {whole, Page}},
	"script":     {"src": {whole, Requisite}, "href": {whole, Requisite}, "xlink:href": {whole, Requisite}}, // href is from SVG
	"embed":      {"src": {whole, Requisite}},
	"object":     {"data": {whole, Requisite}},
	"image":      {"href": {whole, Requisite}, "xlink:href": {whole, Requisite}},
	"use":        {"href": {whole, Requisite}, "xlink:href": {whole, Requisite}},
	"feimage":    {"href": {whole, Requisite}, "xlink:href": {whole, Requisite}},
	"enclosure":  {"url": {whole, Page}}, // in a feed
	"content":    {"src": {whole, Page}, "url": {whole, Page}},
	"thumbnail":  {"url": {whole, Page}},
	stylesheetPI: {"href": {whole, Requisite}},
}

// stylesheetPI is the name of the processing instruction <?xml-stylesheet href="…"?>.
const stylesheetPI = "xml-stylesheet"

// counts has the names of the attributes that are held until the end of their tag. names has them
// and the elements, to avoid allocating strings.
var counts, names = func() (counts map[string]bool, names map[string]string) {
	counts, names = make(map[string]bool), make(map[string]string)
	for _, name := range append([]string{"rel", "method", "http-equiv", "name"}, checks...) {
		counts[name] = true
	}
	for element, attrs := range uses {
		names[element] = element
		for name := range attrs {
			counts[name] = true
		}
	}
	for name := range counts {
		names[name] = name
	}
	for _, name := range strings.Fields(`b body br div dd dl dt em i h1 h2 h3 h4 head html li meta ol option p path pre section
		span strong svg table tbody td th title tr ul alt class colspan height id lang type value width loc lastmod url`) {
		names[name] = name
	}
	return counts, names
}()

// checks are the attributes with which a browser verifies a resource. A file: URL has no origin and
// fails the check of crossorigin, and a style sheet with rewritten links has another hash.
var checks = []string{"integrity", "crossorigin"}

// use returns the use of an attribute of the tag.
func (m *markup) use(name string) (u use, ok bool) {
	if u, ok = uses[m.tag.element][name]; ok {
		return u, ok
	}
	u, ok = uses[""][name]
	return u, ok
}

// links reports the links in the attributes of the tag, in order.
func (m *markup) links(attrs []attr) {
	if len(attrs) == 0 {
		return
	}
	m.w.gather()
	defer m.w.commit()
	l := Link{Element: m.tag.element, Rel: m.text(attrs, "rel"), NoFollow: m.robots}
	for _, a := range attrs {
		u, ok := m.use(a.name)
		if !ok {
			continue
		}
		l.Attr, l.Kind = a.name, u.kind
		switch l.Element {
		case "base":
			if m.based {
				continue
			}
		case "form":
			if method := m.text(attrs, "method"); method != "" && !strings.EqualFold(method, "get") {
				l.Kind = Mention
			}
		case "link":
			if a.name == "href" {
				l.Kind = kindOf(l.Rel, m.xml)
			}
		case "meta":
			if !strings.EqualFold(m.text(attrs, "http-equiv"), "refresh") {
				if strings.EqualFold(m.text(attrs, "name"), "robots") {
					m.robots = m.robots || forbids(m.text(attrs, "content"))
				}
				continue
			}
		}
		if hasWord(l.Rel, "nofollow") {
			l.NoFollow = true
		}
		v := newValue(m.in.slice(a.start, a.end), a.start)
		v.quote = a.quote
		m.attribute(l, &v, u.form)
	}
	for _, a := range attrs {
		if m.w.copied && slices.Contains(checks, a.name) {
			m.w.rename(a.at)
		}
	}
}

// text returns the value of an attribute, decoded and without surrounding white space.
func (m *markup) text(attrs []attr, name string) string {
	for _, a := range attrs {
		if a.name == name {
			text, _ := unescape(string(m.in.slice(a.start, a.end)))
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// attribute reports the links in v. They have the fields of l.
func (m *markup) attribute(l Link, v *value, f form) {
	tell := func(i, j int, text string, escape func(string) string) {
		l.Text = text
		start, end := v.place(i, j)
		m.w.link(l, start, end, func(text string) string { return v.replacement(i, j, escape(text)) })
	}
	part := func(s span, escape func(string) string) {
		i, j := v.trim(s.start, s.end)
		tell(i, j, v.text[i:j], escape)
	}
	switch f {
	case whole:
		part(span{0, len(v.text)}, func(text string) string { return text })
		if l.Element == "base" {
			m.base(v.text)
		}
	case srcset:
		candidates(v.text, func(s span) { part(s, inCandidate) })
	case refresh:
		if s, quote, ok := refreshed(v.text); ok {
			part(s, func(text string) string { return inRefresh(text, quote) })
		}
	case style:
		c := &css{in: newText(v.text)}
		c.found = func(_, text string, start, end int64, escape func(string) string) {
			tell(int(start), int(end), text, escape)
		}
		c.read()
	case srcdoc:
		m.document(v)
	}
}

// base sets the base of the following links to the href of a base element, if that is a valid URL.
func (m *markup) base(href string) {
	m.based = true
	if u, ok := resolve(m.w.page, href); ok {
		u.Fragment = ""
		m.w.base = u
	}
}

// maxDepth limits the nesting of pages in srcdoc. Each of them is decoded as a whole.
const maxDepth = 3

// document reports the links in the srcdoc of an iframe, which is a page of its own with the base
// of the outer page.
func (m *markup) document(v *value) {
	if m.depth == maxDepth {
		return
	}
	outer := m.w
	inner := &walk{in: newText(v.text), page: outer.page, base: outer.base}
	inner.visit = func(in Link, start, end int64, escape func(string) string) {
		i, j := int(start), int(end)
		start, end = v.place(i, j)
		outer.link(in, start, end, func(text string) string { return v.replacement(i, j, escape(text)) })
		inner.copied = inner.copied || outer.copied
	}
	inner.rename = func(at int64) {
		at, _ = v.place(int(at), int(at))
		outer.rename(at)
	}
	doc := newMarkup(inner, false)
	doc.depth, doc.based, doc.robots = m.depth+1, true, m.robots
	doc.read()
}

// kindOf returns the Kind of a link element, or of a Link header field, with rel.
func kindOf(rel string, xml bool) Kind {
	rel = strings.ToLower(rel)
	kind := Mention
	if rel == "" && xml { // Atom: the default is alternate
		kind = Page
	}
	for word := range strings.FieldsSeq(rel) {
		switch word {
		case "stylesheet", "icon", "mask-icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image",
			"preload", "modulepreload", "manifest":
			return Requisite
		case "sitemap":
			return Sitemap
		case "preconnect", "dns-prefetch", "pingback", "webmention", "edituri", "profile", "nofollow":
		default:
			kind = Page
		}
	}
	return kind
}

// forbids reports whether the content of a robots meta element asks robots not to follow links.
func forbids(content string) bool {
	content = strings.ReplaceAll(content, ",", " ")
	return hasWord(content, "nofollow") || hasWord(content, "none")
}

// hasWord reports whether word is one of the words of text.
func hasWord(text, word string) bool {
	for w := range strings.FieldsSeq(text) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
