package links

import (
	"bytes"
	"io"
)

const (
	// firstWindow is the initial size of the window in bytes.
	firstWindow = 16 << 10

	// maxWindow is the maximum size of the window, and so the limit for a tag, and for a URL in a
	// style sheet. Images in data URLs make tags of some hundred thousand bytes.
	maxWindow = 1 << 20
)

// An input is a window that moves over a source. It may copy the source to dst.
type input struct {
	src io.Reader
	err error // the error that ended src

	buf  []byte
	off  int64 // position of buf[0] in src
	pos  int   // index of the next byte in buf
	hold int   // buf[hold:] has to stay; -1 if all bytes before pos may go

	// full is called when the window is full of held bytes. If it releases none of them, the input
	// seems to end.
	full func()

	dst    io.Writer // nil if the source is not copied
	copied int       // buf[:copied] has been written to dst, or replaced
}

func newInput(src io.Reader) *input { return &input{src: src, hold: -1} }

// newText returns an input that reads text.
func newText(text string) *input { return &input{buf: []byte(text), err: io.EOF, hold: -1} }

// at returns the position of the next byte.
func (in *input) at() int64 { return in.off + int64(in.pos) }

// slice returns the bytes between two positions, which are both in the window.
func (in *input) slice(start, end int64) []byte { return in.buf[start-in.off : end-in.off] }

// more reads further bytes into the window, and reports whether there are any.
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

// advance moves the window past the bytes that are not held.
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

// replace writes text to dst, in place of the bytes from start to end. Calls are in order of
// position.
func (in *input) replace(start, end int64, text string) {
	in.flush(int(start - in.off))
	in.copied = int(end - in.off)
	if in.dst == nil { // a write has failed
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

// release releases all held bytes.
func (in *input) release() { in.hold, in.full = -1, nil }

// octet returns the next byte without taking it.
func (in *input) octet() (c byte, ok bool) {
	if in.pos == len(in.buf) && !in.more() {
		return 0, false
	}
	return in.buf[in.pos], true
}

// peek returns the next n bytes without taking them, or fewer at the end.
func (in *input) peek(n int) []byte {
	for len(in.buf)-in.pos < n && in.more() {
	}
	return in.buf[in.pos:min(in.pos+n, len(in.buf))]
}

// take skips n bytes that are in the window.
func (in *input) take(n int) { in.pos = min(in.pos+n, len(in.buf)) }

// seek skips to the next byte of any, and reports whether there is one.
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

// skipPast skips to the end of the next text.
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

// hasFold reports whether text, in lower case, comes next in any case.
func (in *input) hasFold(text string) bool {
	return len(text) > 0 && bytes.EqualFold(in.peek(len(text)), []byte(text))
}

// drain skips all remaining bytes.
func (in *input) drain() {
	for in.pos = len(in.buf); in.more(); in.pos = len(in.buf) {
	}
}
