package links

import (
	"bytes"
	"io"
)

const (
	// firstWindow is how many octets of a resource are held at first.
	firstWindow = 16 << 10

	// maxWindow is how many are held at most, and so the limit of a tag, and of a URL in a style
	// sheet. Images in data URLs make tags of some hundred thousand octets.
	maxWindow = 1 << 20
)

// An input is a window that moves along what is read, and perhaps copied to dst.
type input struct {
	src io.Reader
	err error // ended the reading of src

	buf  []byte
	off  int64 // the place of buf[0]
	pos  int   // of the next octet in buf
	hold int   // buf[hold:] has to stay; -1 if all before pos may go

	// full is called if the window is full of octets that have to stay. If it lets none of them go,
	// the input seems to end.
	full func()

	dst    io.Writer // nil if nothing is copied
	copied int       // buf[:copied] has been written to dst, or replaced
}

func newInput(src io.Reader) *input { return &input{src: src, hold: -1} }

// newText returns an input of text.
func newText(text string) *input { return &input{buf: []byte(text), err: io.EOF, hold: -1} }

// at returns the place of the next octet.
func (in *input) at() int64 { return in.off + int64(in.pos) }

// slice returns the octets from one place to another, which are both in the window.
func (in *input) slice(start, end int64) []byte { return in.buf[start-in.off : end-in.off] }

// more reads further octets into the window, and reports whether there are any.
func (in *input) more() bool {
	if in.err != nil {
		return false
	}
	in.advance()
	if len(in.buf) == cap(in.buf) {
		if len(in.buf) >= maxWindow && in.full != nil {
			in.full()
			in.advance()
		}
		switch {
		case len(in.buf) < cap(in.buf):
		case len(in.buf) >= maxWindow:
			return false
		default:
			in.buf = append(make([]byte, 0, max(firstWindow, 2*cap(in.buf))), in.buf...)
		}
	}
	n := 0
	for tries := 0; n == 0 && in.err == nil; tries++ {
		if tries == 100 {
			in.err = io.ErrNoProgress
			break
		}
		n, in.err = in.src.Read(in.buf[len(in.buf):cap(in.buf)])
		in.buf = in.buf[:len(in.buf)+n]
	}
	return n > 0
}

// advance moves the window behind what need not stay.
func (in *input) advance() {
	n := in.pos
	if in.hold >= 0 {
		n = in.hold
	}
	if n == 0 {
		return
	}
	in.flush(n)
	in.buf = in.buf[:copy(in.buf, in.buf[n:])]
	in.off += int64(n)
	in.pos -= n
	in.copied = max(in.copied-n, 0)
	if in.hold >= 0 {
		in.hold = 0
	}
}

// flush copies buf[:n] to dst.
func (in *input) flush(n int) {
	if in.dst == nil || n <= in.copied {
		return
	}
	if _, err := in.dst.Write(in.buf[in.copied:n]); err != nil {
		in.fail(err)
	}
	in.copied = n
}

// replace writes text to dst, in place of the octets from start to end. What is replaced comes
// in order.
func (in *input) replace(start, end int64, text string) {
	in.flush(int(start - in.off))
	in.copied = int(end - in.off)
	if in.dst == nil { // writing has failed
		return
	}
	if _, err := io.WriteString(in.dst, text); err != nil {
		in.fail(err)
	}
}

// fail ends the input with err.
func (in *input) fail(err error) {
	if in.err == nil || in.err == io.EOF {
		in.err = err
	}
	in.pos = len(in.buf)
	in.dst = nil
}

// release lets all go that is held.
func (in *input) release() { in.hold, in.full = -1, nil }

// octet returns the next octet without taking it.
func (in *input) octet() (c byte, ok bool) {
	if in.pos == len(in.buf) && !in.more() {
		return 0, false
	}
	return in.buf[in.pos], true
}

// peek returns the next n octets without taking them, or fewer at the end.
func (in *input) peek(n int) []byte {
	for len(in.buf)-in.pos < n && in.more() {
	}
	return in.buf[in.pos:min(in.pos+n, len(in.buf))]
}

// take skips n octets that have been seen.
func (in *input) take(n int) { in.pos = min(in.pos+n, len(in.buf)) }

// seek skips what stands before the next octet of any, and reports whether there is one.
func (in *input) seek(any string) bool {
	for {
		i := -1
		if len(any) == 1 {
			i = bytes.IndexByte(in.buf[in.pos:], any[0])
		} else {
			i = bytes.IndexAny(in.buf[in.pos:], any)
		}
		if i >= 0 {
			in.pos += i
			return true
		}
		in.pos = len(in.buf)
		if !in.more() {
			return false
		}
	}
}

// skipPast skips what stands before text, and text itself.
func (in *input) skipPast(text string) {
	for in.seek(text[:1]) {
		if string(in.peek(len(text))) == text {
			in.take(len(text))
			return
		}
		in.take(1)
	}
}

// skipSpace skips white space.
func (in *input) skipSpace() {
	for c, ok := in.octet(); ok && isSpace(c); c, ok = in.octet() {
		in.pos++
	}
}

// hasFold reports whether text, in lower case and any case, is next.
func (in *input) hasFold(text string) bool {
	return len(text) > 0 && bytes.EqualFold(in.peek(len(text)), []byte(text))
}

// drain skips all that is left.
func (in *input) drain() {
	for in.pos = len(in.buf); in.more(); in.pos = len(in.buf) {
	}
}
