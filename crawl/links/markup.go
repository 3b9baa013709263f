package links

import "bytes"

// A markup reads HTML or XML tag by tag (WHATWG HTML, section 13.2.5).
type markup struct {
	w   *walk
	in  *input
	xml bool

	tag     tag
	relieve func() // makes room in the window for more of the tag
	foreign int    // number of open svg and math elements, in which some rules of XML apply
	robots  bool   // a meta element asks robots not to follow later links
	based   bool   // a base element was read

	depth int // nesting of srcdoc pages around this one

	feed feed
}

func newMarkup(w *walk, xml bool) *markup {
	m := &markup{w: w, in: w.in, xml: xml}
	m.relieve = func() { m.tag.relieve(m) }
	return m
}

func (m *markup) read() {
	for m.in.seek("<") {
		m.markup()
	}
	m.feed.flush(m)
}

// markup reads a tag, a comment or a declaration, which begins with "<".
func (m *markup) markup() {
	p := m.in.peek(len("<![CDATA["))
	switch {
	case len(p) < 2:
		m.in.take(len(p))
	case isLetter(p[1]):
		m.start(len("<"))
	case p[1] == '/':
		m.end()
	case string(p[:min(4, len(p))]) == "<!--":
		m.comment()
	case string(p) == "<![CDATA[" && (m.xml || m.foreign > 0):
		m.in.take(len(p))
		m.in.skipPast("]]>")
	case p[1] == '?' && m.xml && m.in.hasFold("<?xml-stylesheet"):
		m.start(len("<?"))
	case p[1] == '!' || p[1] == '?':
		m.in.skipPast(">")
	default:
		m.in.take(1)
	}
}

// start reads a start tag, reports its links, and skips a raw text after it.
func (m *markup) start(prefix int) {
	if !m.tag.read(m, prefix) {
		return
	}
	empty := m.tag.empty && (m.xml || m.foreign > 0)
	switch name := m.tag.element; {
	case name == "svg" || name == "math":
		if !empty {
			m.foreign++
		}
	case empty:
	case name == "style":
		m.style()
	case name == "script":
		m.script()
	case m.xml:
		m.feed.start(m, name)
	case name == "title" || name == "textarea" || name == "xmp" || name == "iframe":
		m.skipTo("</" + name)
	case name == "plaintext":
		m.in.drain() // raw text to the end
	}
}

// end reads an end tag.
func (m *markup) end() {
	p := m.in.peek(3)
	if len(p) < 3 || !isLetter(p[2]) {
		m.in.skipPast(">")
		return
	}
	m.in.take(2)
	m.tag.closing = true
	if m.tag.read(m, 0) {
		switch name := m.tag.element; name {
		case "svg", "math":
			m.foreign = max(m.foreign-1, 0)
		default:
			if m.xml {
				m.feed.end(m, name)
			}
		}
	}
	m.tag.closing = false
}

// comment skips a comment. "<!-->", "<!--->" and "--!>" end one too.
func (m *markup) comment() {
	m.in.take(len("<!--"))
	dashes, bang, fresh := 0, false, true
	for {
		if dashes == 0 && !bang && !fresh && !m.in.seek("-") {
			return
		}
		c, ok := m.in.octet()
		if !ok {
			return
		}
		m.in.take(1)
		switch {
		case c == '-':
			dashes, bang = dashes+1, false
		case c == '>' && (dashes >= 2 || bang || fresh):
			return
		default:
			dashes, bang, fresh = 0, c == '!' && dashes >= 2, false
		}
	}
}

// skipTo skips a text up to the end tag that begins with end.
func (m *markup) skipTo(end string) {
	for m.in.seek("<") && !endsWith(m.in, end) {
		m.in.take(1)
	}
}

// endsName reports whether c ends the name of a tag.
func endsName(c byte) bool { return isSpace(c) || c == '/' || c == '>' }

// style reads the text of a style element.
func (m *markup) style() {
	l := Link{Kind: Requisite, Element: "style"}
	c := &css{in: m.in, end: "</style"}
	c.found = func(attr, text string, start, end int64, escape func(string) string) {
		l.Attr, l.Text = attr, text
		m.w.link(l, start, end, escape)
	}
	c.long = func(start int64) { m.w.long(l, start) }
	c.read()
}

// script skips the text of a script element. In a comment within it, an end tag may belong to a
// nested script.
func (m *markup) script() {
	const (
		plain = iota
		escaped
		double // in a script within a comment
	)
	state, dashes := plain, 0
	for {
		if state == plain && !m.in.seek("<") {
			return
		}
		c, ok := m.in.octet()
		if !ok {
			return
		}
		if c == '-' {
			dashes++
			m.in.take(1)
			continue
		}
		switch {
		case c == '>' && dashes >= 2:
			state = plain
		case c != '<':
		case endsWith(m.in, "</script"):
			if state != double {
				return
			}
			state = escaped
		case state == plain && bytes.Equal(m.in.peek(4), []byte("<!--")):
			m.in.take(3)
			state, dashes = escaped, 1
			continue // at the second dash
		case state == escaped && endsWith(m.in, "<script"):
			state = double
		}
		dashes = 0
		m.in.take(1)
	}
}
