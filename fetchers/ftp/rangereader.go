package ftp

import (
	"bufio"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A rangeReader is a range of a file that is transferred from its beginning; the bytes before the range are
// discarded. It is for files of unknown size: REST is then not reliable, since some servers accept
// it and begin at 0.
type rangeReader struct {
	io.Closer           // of the whole transfer
	rest      io.Reader // the transfer from the range on
	left      int64     // remaining bytes of the range; negative means to the end
	err       error     // final error
}

// part returns the range r of body, which is t or reads from it. r.Offset must not be negative. If
// there is no byte at the Offset, the error is a RangeError.
func (t *transfer) part(body io.ReadCloser, r fetchers.Range) (*rangeReader, error) {
	first := bufio.NewReader(body)
	c := &rangeReader{Closer: body, rest: first, left: r.Length}
	if r.Open() {
		c.left = -1
	}
	t.held = true // until the existence of the range is known
	n, err := io.CopyN(io.Discard, first, r.Offset)
	if err == nil {
		_, err = first.Peek(1)
	}
	t.held = false
	switch {
	case err == io.EOF:
		return nil, &fetchers.RangeError{Offset: r.Offset, Size: n}
	case err != nil:
		return nil, err
	case t.err == io.EOF:
		t.lease.Done()
	}
	return c, nil
}

func (c *rangeReader) Read(p []byte) (n int, err error) {
	if c.err != nil {
		return 0, c.err
	}
	if c.left >= 0 {
		p = p[:min(int64(len(p)), c.left)]
	}
	n, c.err = c.rest.Read(p)
	if c.left >= 0 {
		if c.left -= int64(n); c.left == 0 && c.err == nil {
			c.Close()
			c.err = io.EOF
		}
	}
	return n, c.err
}
