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

// A walk reads one resource and reports its links.
type walk struct {
	in   *input
	page *url.URL // URL of the resource
	base *url.URL // base of relative links

	// visit receives each link, its position in the input, and a function that escapes a
	// replacement.
	visit func(l Link, start, end int64, escape func(string) string)

	// failed receives the error of a single link. It may be nil.
	failed func(Link, error)

	// rename renames the attribute at a position, so that browsers ignore it. It is called only if
	// copied is true.
	rename func(at int64)
	copied bool // a link of the tag was replaced by a relative one

	edits     []edit // edits of the tag, for commit
	gathering bool

	nowhere bool // positions in the input do not match the resource
	stopped bool // the caller wants no more links
}

// An edit is a replacement for the bytes from start to end.
type edit struct {
	start, end int64
	text       string
}

// edit replaces the bytes from start to end, at once or with the other edits of the tag.
func (w *walk) edit(start, end int64, text string) {
	if !w.gathering {
		w.in.replace(start, end, text)
		return
	}
	w.edits = append(w.edits, edit{start, end, text})
}

// gather collects the edits of a tag, because a link may affect an earlier attribute.
func (w *walk) gather() { w.gathering, w.copied = true, false }

// commit writes the edits of a tag in order.
func (w *walk) commit() {
	slices.SortStableFunc(w.edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	for _, e := range w.edits {
		w.in.replace(e.start, e.end, e.text)
	}
	w.edits, w.gathering = w.edits[:0], false
}

// link reports l after adding its URL and position. It skips an invalid URL, and a fragment alone,
// which refers to the same page.
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

// long reports a link that is too long.
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

// stop ends the input.
func (w *walk) stop() {
	w.stopped = true
	w.in.fail(io.EOF)
}

// sequence returns the links that scan reports for src.
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

// decode converts the input to UTF-8 if it begins with a UTF-16 byte order mark.
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

// A rest reads the remaining bytes of an input.
type rest struct{ in *input }

func (r *rest) Read(p []byte) (int, error) {
	if _, ok := r.in.octet(); !ok {
		return 0, r.in.err
	}
	n := copy(p, r.in.buf[r.in.pos:])
	r.in.take(n)
	return n, nil
}
