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
	skip, left    int64 // octets before the part, and of the part; left is less than 0 up to the end
	err           error // how it has ended
}

// newCut returns the part of whole that r says, whose Offset is not less than 0.
func newCut(whole io.ReadCloser, r fetchers.Range) *cut {
	c := &cut{ReadCloser: whole, skip: r.Offset, left: r.Length}
	if r.Length == 0 {
		c.left = -1
	}
	return c
}

func (c *cut) Read(p []byte) (n int, err error) {
	if c.err == nil && c.skip > 0 {
		c.err = c.begin()
	}
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

// begin reads what comes before the part.
func (c *cut) begin() error {
	n, err := io.CopyN(io.Discard, c.ReadCloser, c.skip)
	if err == io.EOF {
		return fmt.Errorf("%w: it begins at %d, and there are %d bytes", fetchers.ErrRange, c.skip, n)
	}
	c.skip -= n
	return err
}
