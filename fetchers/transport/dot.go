package transport

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// A DotReader reads a multi-line data block (RFC 3977, section 3.1.1): lines that end in CR LF, up
// to a line with a single dot. It removes the dot that was added to lines that begin with one, and
// changes nothing else. It ends in io.EOF after the final dot, and in io.ErrUnexpectedEOF if the
// connection ends before.
//
// Only CR LF ends a line: a bare LF is part of the line, so that no content can imitate the end. A
// line may have any length. Read returns its bytes as they arrive, so that a Limiter detects a slow
// line.
type DotReader struct {
	in   *bufio.Reader
	rest []byte // bytes in the buffer of in that Read returns next
	last [2]byte
	err  error
}

// NewDotReader returns a DotReader of the next block.
func NewDotReader(in *bufio.Reader) *DotReader {
	return &DotReader{in: in, last: lineEnd}
}

// Read reads the content of the block.
func (d *DotReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(d.rest) == 0 {
			if d.err != nil || n > 0 && d.in.Buffered() < len(blockEnd) { // next may wait
				break
			}
			d.next()
			continue
		}
		m := copy(p[n:], d.rest)
		n, d.rest = n+m, d.rest[m:]
	}
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, d.err
}

// Empty reports whether the block is empty. It must be called before the first Read.
func (d *DotReader) Empty() bool {
	for len(d.rest) == 0 && d.err == nil {
		d.next()
	}
	return len(d.rest) == 0 && d.err == io.EOF
}

// next takes the buffered bytes, up to the next line that begins with a dot. It waits only if there
// are none, or for the rest of a line that may be the end.
func (d *DotReader) next() {
	if d.last == lineEnd && d.dot() {
		return
	}
	if _, err := d.in.Peek(1); err != nil {
		d.fail(err)
		return
	}
	piece, _ := d.in.Peek(d.in.Buffered())
	if d.last[1] == '\r' && piece[0] == '\n' {
		piece = piece[:1]
	} else if i := bytes.Index(piece, []byte("\r\n.")); i >= 0 {
		piece = piece[:i+len(lineEnd)]
	}
	if n := len(piece); n > 1 {
		d.last = [2]byte(piece[n-2:])
	} else {
		d.last = [2]byte{d.last[1], piece[0]}
	}
	d.rest = piece
	d.in.Discard(len(piece)) // piece is valid until the next read
}

var lineEnd = [2]byte{'\r', '\n'}

const blockEnd = ".\r\n"

// dot removes a dot at the beginning of a line. It reports whether the block has ended, with this
// dot or by an error.
func (d *DotReader) dot() bool {
	for n := 1; n <= len(blockEnd); n++ {
		head, err := d.in.Peek(n)
		switch {
		case len(head) < n:
			d.fail(err)
			return true
		case head[n-1] == blockEnd[n-1]:
		case n == 1:
			return false
		default:
			d.in.Discard(1)
			d.last = [2]byte{}
			return false
		}
	}
	d.in.Discard(len(blockEnd))
	d.err = io.EOF
	return true
}

func (d *DotReader) fail(err error) {
	d.err = err
	if err == io.EOF {
		d.err = fmt.Errorf("%w: no dot at the end", io.ErrUnexpectedEOF)
	}
}
