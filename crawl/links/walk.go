package links

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"slices"

	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/url"
)

// A walk goes through one resource and meets its links.
type walk struct {
	in   *input
	page *url.URL // of the resource
	base *url.URL // where relative links begin

	// visit is given each link, with its place in the input and how a replacement is written there.
	visit func(l Link, start, end int64, escape func(string) string)

	// failed is given what is wrong with a single link. It is nil if that does not matter.
	failed func(Link, error)

	// rename has the attribute whose name is at a place become one that means nothing to a browser. It is called only if
	// copied is true.
	rename func(at int64)
	copied bool // a link of the tag was replaced by a relative one

	edits     []edit // of the tag, for commit
	gathering bool

	nowhere bool // places in the input are none in the resource
	stopped bool // no more links are wanted
}

// An edit is a text in place of what stands from start to end.
type edit struct {
	start, end int64
	text       string
}

// edit writes a text in place of what stands from start to end, now or with those of the same tag.
func (w *walk) edit(start, end int64, text string) {
	if !w.gathering {
		w.in.replace(start, end, text)
		return
	}
	w.edits = append(w.edits, edit{start, end, text})
}

// gather has the edits of a tag wait, because a link may decide about an attribute before it.
func (w *walk) gather() { w.gathering, w.copied = true, false }

// commit writes the edits of a tag in their order.
func (w *walk) commit() {
	slices.SortStableFunc(w.edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	for _, e := range w.edits {
		w.in.replace(e.start, e.end, e.text)
	}
	w.edits, w.gathering = w.edits[:0], false
}

// link tells of l, of which URL and place are still missing. It passes over a text that is no
// URL, and over a fragment alone, which is a place in the same page.
func (w *walk) link(l Link, start, end int64, escape func(string) string) {
	if w.stopped || len(l.Text) > 0 && l.Text[0] == '#' && w.base == w.page {
		return
	}
	u, ok := resolve(w.base, l.Text)
	if !ok {
		return
	}
	l.URL, l.Offset, l.Length = u, start, end-start
	if w.nowhere {
		l.Offset, l.Length = -1, 0
	}
	w.visit(l, start, end, escape)
}

// long tells of a link that is too long.
func (w *walk) long(l Link, start int64) {
	if w.stopped || w.failed == nil {
		return
	}
	l.Offset = start
	if w.nowhere {
		l.Offset = -1
	}
	w.failed(l, ErrTooLong)
}

// stop lets the input end.
func (w *walk) stop() {
	w.stopped = true
	w.in.fail(io.EOF)
}

// sequence returns the links that scan meets in src.
func sequence(base *url.URL, src io.Reader, scan func(*walk)) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		w := &walk{in: newInput(src), page: base, base: base}
		w.visit = func(l Link, _, _ int64, _ func(string) string) {
			if !yield(l, nil) {
				w.stop()
			}
		}
		w.failed = func(l Link, err error) {
			if !yield(l, err) {
				w.stop()
			}
		}
		scan(w)
		if !w.stopped && w.in.err != nil && w.in.err != io.EOF {
			yield(Link{}, w.in.err)
		}
	}
}

// decode has w read UTF-8 if the input begins with a byte order mark of UTF-16.
func (w *walk) decode() {
	charset := ""
	switch mark := w.in.peek(2); {
	case bytes.Equal(mark, []byte{0xFF, 0xFE}):
		charset = "utf-16le"
	case bytes.Equal(mark, []byte{0xFE, 0xFF}):
		charset = "utf-16be"
	default:
		return
	}
	text, _ := message.UTF8(&rest{w.in}, charset)
	in := newInput(text)
	in.dst, w.in.dst = w.in.dst, nil
	w.in, w.nowhere = in, true
}

// A rest reads what is left of an input.
type rest struct{ in *input }

func (r *rest) Read(p []byte) (int, error) {
	if _, ok := r.in.octet(); !ok {
		return 0, r.in.err
	}
	n := copy(p, r.in.buf[r.in.pos:])
	r.in.take(n)
	return n, nil
}
