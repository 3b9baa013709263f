package ftp

import (
	"fmt"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A cut is a part of a file that comes whole: what comes before the part is thrown away. It is for
// files of unknown size. REST proves nothing then, since some servers agree to it and begin at 0.
type cut struct {
	io.ReadCloser       // of the whole
	left          int64 // octets of the part; less than 0 up to the end
	err           error // how it has ended
}

// part returns the part r of body, which is t or reads from it. The Offset of r is not less than 0.
func (t *transfer) part(body io.ReadCloser, r fetchers.Range) (*cut, error) {
	c := &cut{ReadCloser: body, left: r.Length}
	if r.Length == 0 {
		c.left = -1
	}
	t.held = true // until it is known that there is such a part
	n, err := io.CopyN(io.Discard, body, r.Offset)
	t.held = false
	switch {
	case err == io.EOF:
		return nil, fmt.Errorf("%w: it begins at %d, and there are %d bytes", fetchers.ErrRange, r.Offset, n)
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
	n, c.err = c.ReadCloser.Read(p)
	if c.left >= 0 {
		if c.left -= int64(n); c.left == 0 && c.err == nil {
			c.ReadCloser.Close()
			c.err = io.EOF
		}
	}
	return n, c.err
}
