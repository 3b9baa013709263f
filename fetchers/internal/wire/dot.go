package wire

import (
	"bufio"
	"fmt"
	"io"
)

// A DotReader reads a multi-line data block (RFC 3977, section 3.1.1): lines that
// end in CR LF, up to one that is a single dot. The dot that was put before lines
// that begin with one is taken away, and nothing else is changed. It ends in io.EOF
// after the dot, and in io.ErrUnexpectedEOF if the connection ends before that.
//
// Only CR LF ends a line: an LF alone is part of it, so that no content can pass
// for the end. A line may be of any length, of which no more is held than the
// buffer of the connection.
type DotReader struct {
	in   *bufio.Reader
	rest []byte // what is in the buffer of in, and for the caller
	last [2]byte
	err  error
}

// NewDotReader returns a DotReader of the block that comes next.
func NewDotReader(in *bufio.Reader) *DotReader {
	return &DotReader{in: in, last: [2]byte{'\r', '\n'}}
}

// Read reads what is in the block.
func (d *DotReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(d.rest) == 0 {
			if d.err != nil || n > 0 && d.in.Buffered() == 0 {
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

// Empty reports whether there is nothing in the block, of which nothing has been
// read. If so it is at its end.
func (d *DotReader) Empty() bool {
	for len(d.rest) == 0 && d.err == nil {
		d.next()
	}
	return len(d.rest) == 0 && d.err == io.EOF
}

// next takes a line off the connection, or a piece of a long one.
func (d *DotReader) next() {
	piece, err := d.in.ReadSlice('\n')
	if begins := d.last == [2]byte{'\r', '\n'}; begins && len(piece) > 0 && piece[0] == '.' {
		if string(piece) == ".\r\n" {
			d.err = io.EOF
			return
		}
		d.last = [2]byte{}
		if piece = piece[1:]; err == io.EOF && string(piece) == "\r" {
			piece = nil // of the end
		}
	}
	if n := len(piece); n > 1 {
		d.last = [2]byte(piece[n-2:])
	} else if n == 1 {
		d.last = [2]byte{d.last[1], piece[0]}
	}
	d.rest = piece
	switch {
	case err == io.EOF:
		d.err = fmt.Errorf("%w: no dot at the end", io.ErrUnexpectedEOF)
	case err != nil && err != bufio.ErrBufferFull:
		d.err = err
	}
}
