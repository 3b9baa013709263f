package links

import (
	"bytes"
	"slices"
	"strings"
)

// A tag is a start tag or an end tag that is being read.
type tag struct {
	element string // the name, in lower case, without a prefix in XML; "" if it is too long
	closing bool   // an end tag, whose attributes are ignored
	empty   bool   // the tag ends in "/>"

	attrs []attr // relevant attributes, each once; of a long tag those that are still held

	// start is the position of the value that is being read, and -1 between values.
	start int64
	long  bool // the value is too long to hold
	name  string
}

// An attr is an attribute whose value is in the window.
type attr struct {
	name       string
	at         int64 // of the name
	start, end int64 // of the value, without quotes
	quote      byte  // around the value, or 0
}

// read reads a tag, after prefix bytes, and reports its links to m. It returns false if the input
// ends before the tag does.
func (t *tag) read(m *markup, prefix int) bool {
	in := m.in
	t.attrs, t.start, t.empty = t.attrs[:0], -1, false
	in.hold = in.pos
	in.take(prefix)
	in.full = m.relieve
	defer in.release()

	t.element = t.word(in, "/>", m.xml)
	for {
		c, ok := in.octet()
		switch {
		case !ok:
			return false
		case c == '>':
			m.links(t.attrs)
			in.take(1)
			return true
		case c == '/':
			in.take(1)
			c, _ = in.octet()
			t.empty = c == '>'
		case isSpace(c):
			in.take(1)
		default:
			t.attribute(m)
		}
	}
}

// attribute reads an attribute, and holds it if it is relevant.
func (t *tag) attribute(m *markup) {
	in := m.in
	at := in.at()
	first, _ := in.octet()
	if first == '=' { // part of the name
		in.take(1)
	}
	name := t.word(in, "/>=", false)
	if first == '=' {
		name = ""
	}
	t.name, t.long = name, false
	a := attr{name: name, at: at, start: in.at(), end: in.at()}
	in.skipSpace()
	if c, _ := in.octet(); c == '=' {
		in.take(1)
		in.skipSpace()
		t.value(in, &a)
	}
	if !t.long && !t.closing && counts[a.name] && (!t.has(a.name) || slices.Contains(checks, a.name)) {
		t.attrs = append(t.attrs, a)
	}
}

// value reads the value of an attribute.
func (t *tag) value(in *input, a *attr) {
	ends := " \t\n\r\f>"
	if c, _ := in.octet(); c == '"' || c == '\'' {
		a.quote, ends = c, string(c)
		in.take(1)
	}
	t.start, a.start = in.at(), in.at()
	found := in.seek(ends)
	t.start, a.end = -1, in.at()
	if found && a.quote != 0 {
		in.take(1)
	}
}

func (t *tag) has(name string) bool {
	for _, a := range t.attrs {
		if a.name == name {
			return true
		}
	}
	return false
}

// word reads a name up to white space or a byte of ends, and returns it in lower case. If bare is
// true, it removes a namespace prefix.
func (t *tag) word(in *input, ends string, bare bool) string {
	var word [maxName]byte
	n := 0
	for c, ok := in.octet(); ok && !isSpace(c) && strings.IndexByte(ends, c) < 0; c, ok = in.octet() {
		if n < len(word) {
			if word[n] = c; 'A' <= c && c <= 'Z' {
				word[n] |= 0x20
			}
		}
		n++
		in.take(1)
	}
	if n > len(word) {
		return ""
	}
	w := word[:n]
	if bare {
		w = w[bytes.LastIndexByte(w, ':')+1:]
	}
	if known, ok := names[string(w)]; ok { // avoids an allocation
		return known
	}
	return string(w)
}

// relieve makes room in a window that is full of a tag. It releases the complete attributes first,
// and then the value that is being read, which is too long.
func (t *tag) relieve(m *markup) {
	in := m.in
	if len(t.attrs) > 0 {
		m.links(t.attrs)
		t.attrs = t.attrs[:0]
	}
	if t.start > in.off+int64(in.hold) {
		in.hold = int(t.start - in.off)
		return
	}
	if t.start >= 0 && !t.long {
		t.long = true
		begin := strings.TrimLeft(string(in.buf[in.hold:][:maxName]), " \t\r\n\f")
		if use, ok := m.use(t.name); ok && !t.closing && !(use.form == whole && holdsItself(begin)) {
			m.w.long(Link{Kind: use.kind, Element: t.element, Attr: t.name}, t.start)
		}
	}
	in.hold = in.pos
	if t.start >= 0 {
		t.start = in.at()
	}
}
