package ftp

import (
	"bufio"
	"fmt"
	"io"

	"github.com/jlaffaye/ftp"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A transfer is what comes over a data connection. That the connection is closed
// says nothing: the server may have failed, or have refused to send anything. So
// the transfer ends in io.EOF only after the final reply, and if the size that
// SIZE told has come.
type transfer struct {
	s    *session
	resp *ftp.Response
	res  *fetchers.Resource
	size int64 // how much will come; -1 if unknown
	part int64 // how much of it is wanted; 0 is all
	got  int64
}

// expect tells t what the caller was promised.
func (t *transfer) expect(res *fetchers.Resource) {
	t.res, res.Reply = res, t.s.ctl.last
	if res.Size >= 0 {
		t.size = res.Size - res.Range.Offset
		if res.Range.Length < t.size {
			t.part = res.Range.Length
		}
	}
}

func (t *transfer) Read(p []byte) (int, error) {
	if t.part > 0 {
		if t.got == t.part {
			t.Close() // the rest is not wanted, and there is no good way to say so
			return 0, io.EOF
		}
		p = p[:min(int64(len(p)), t.part-t.got)]
	}
	n, err := t.resp.Read(p)
	t.got += int64(n)
	switch {
	case err == io.EOF:
		return n, t.finish()
	case err != nil:
		return n, err
	case t.res.Range.Offset > 0 && t.got > t.size:
		return n, fmt.Errorf("%w: the server sends more than is left after byte %d", fetchers.ErrRange, t.res.Range.Offset)
	}
	return n, nil
}

// finish reads the final reply, and returns io.EOF if all is well.
func (t *transfer) finish() error {
	err := t.s.do(t.resp.Close)
	t.res.Reply = t.s.ctl.last
	if err != nil {
		t.s.drop()
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	t.s.quit()
	if t.got < t.size {
		return fmt.Errorf("%w: got %d of %d bytes", io.ErrUnexpectedEOF, t.got, t.size)
	}
	return io.EOF
}

// Close abandons the transfer. What a server answers to that differs from one to
// the next, and some never do, so both connections are closed.
func (t *transfer) Close() error {
	t.s.data.Close()
	t.s.drop()
	return nil
}

// lineEnds turns the CR LF of a transfer in TYPE A into LF. A CR without an LF
// stays.
type lineEnds struct {
	io.Closer
	r *bufio.Reader
}

func newLineEnds(src io.ReadCloser) *lineEnds {
	return &lineEnds{Closer: src, r: bufio.NewReaderSize(src, 64<<10)}
}

func (l *lineEnds) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c, err := l.r.ReadByte()
		if err != nil {
			return n, err
		}
		if c == '\r' {
			if next, err := l.r.Peek(1); err == nil && next[0] == '\n' {
				continue
			}
		}
		p[n] = c
		n++
		if l.r.Buffered() == 0 {
			break
		}
	}
	return n, nil
}
