package ftp

import (
	"bufio"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A cut is a part of a file that comes whole: what comes before the part is thrown away. It is for
// files of unknown size. REST proves nothing then, since some servers agree to it and begin at 0.
type cut struct {
	io.Closer           // of the whole
	rest      io.Reader // of the whole, from the part on
	left      int64     // octets of the part; less than 0 up to the end
	err       error     // how it has ended
}

// part returns the part r of body, which is t or reads from it. The Offset of r is not less than 0.
// If there is no byte at the Offset, the error is a RangeError.
func (t *transfer) part(body io.ReadCloser, r fetchers.Range) (*cut, error) {
	first := bufio.NewReader(body)
	c := &cut{Closer: body, rest: first, left: r.Length}
	if r.Open() {
		c.left = -1
	}
	t.held = true // until it is known that there is such a part
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

func (c *cut) Read(p []byte) (n int, err error) {
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
