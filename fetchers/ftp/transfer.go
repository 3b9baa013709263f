package ftp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A transfer is what comes over a data connection. That the connection is closed
// says nothing: the server may have failed, or have refused to send anything. So
// the transfer ends in io.EOF only after the final reply, and if the size that
// SIZE told has come.
type transfer struct {
	s     *session
	lease *lease
	in    stream
	data  io.Closer       // the connection under in
	bare  *transport.Conn // that is it, if nothing is between
	res   *fetchers.Resource
	size  int64 // how much will come; -1 if unknown
	hint  int64 // how much the server thinks will come, at least
	want  int64 // how much of it is wanted; 0 is all
	exact bool  // the server was told where the part ends
	got   int64
	err   error // how it has ended
	held  bool  // the session is needed after the end
	doubt doubt // if nothing comes
}

// expect tells t what the caller was promised.
func (t *transfer) expect(res *fetchers.Resource) {
	t.res, res.Reply = res, t.s.ctl.last
	if res.Size >= 0 {
		t.size = res.Size - res.Range.Offset
		switch {
		case t.exact:
			t.size = res.Range.Length
		case res.Range.Length < t.size:
			t.want = res.Range.Length
		}
	}
}

func (t *transfer) Read(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	if t.want > 0 {
		if t.got == t.want {
			t.err = t.leave()
			return 0, t.err
		}
		p = p[:min(int64(len(p)), t.want-t.got)]
	}
	n, err := t.in.Read(p)
	t.got += int64(n)
	if errors.Is(err, transport.ErrNoNotify) && t.got == t.size {
		err = io.EOF // SIZE confirms what TLS does not
	}
	switch { // too much comes first: the last octets may come with io.EOF, as in TLS 1.2
	case t.size >= 0 && t.got > t.size && t.res.Range.Offset > 0:
		t.err = fmt.Errorf("%w: the server sends more than is left after byte %d", fetchers.ErrRange, t.res.Range.Offset)
	case t.size >= 0 && t.got > t.size:
		t.err = fmt.Errorf("%w: the data is longer than the %d bytes of SIZE", fetchers.ErrProtocol, t.size)
	case err == io.EOF:
		t.err = t.finish()
	case err != nil:
		t.err = t.explain(err)
	}
	return n, t.err
}

var _ fetchers.Lender = (*transfer)(nil)

// Lend has use take what comes over a bare data connection.
func (t *transfer) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if t.bare == nil || t.err != nil {
		return 0
	}
	if t.size >= 0 {
		most = min(most, t.size-t.got)
	}
	if t.want > 0 {
		most = min(most, t.want-t.got)
	}
	n := t.bare.Lend(most, use)
	t.got += n
	return n
}

// maxBeyond is how much is read after a part of a file to see where the file ends.
const maxBeyond = 1 << 20

// leave ends a transfer of which the rest is not wanted. There is no good way to
// say so. That the part began where it should is proven by the end of the file
// only: some servers agree to REST and begin at 0. To compare some of it with what is
// there of the file would prove nothing, since files repeat themselves, as disk images
// do.
func (t *transfer) leave() error {
	if t.res.Range.Offset == 0 {
		t.Close()
		return io.EOF
	}
	t.want = 0
	rest := make([]byte, 32<<10)
	for {
		if _, err := t.Read(rest); err != nil {
			return err
		}
	}
}

// finish reads the final reply, and returns io.EOF if all is well.
func (t *transfer) finish() error {
	err := t.in.Close()
	t.res.Reply = t.s.ctl.last
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	case t.got < t.size:
		err = fmt.Errorf("%w: got %d of %d bytes", io.ErrUnexpectedEOF, t.got, t.size)
	case t.size < 0 && t.got < t.hint:
		err = fmt.Errorf("%w: got %d bytes, and %d were announced", io.ErrUnexpectedEOF, t.got, t.hint)
	}
	if err != nil {
		t.s.learns()
	} else if t.got == 0 && t.doubt.name != "" {
		err = t.doubt.settle(t)
	}
	if err != nil {
		t.Close()
		return err
	}
	t.doubt.release()
	if !t.held {
		t.lease.Done()
	}
	return io.EOF
}

// lastWord is how long a server may take to say why a data connection failed.
const lastWord = time.Second

// explain adds the server's words, if it has any, to why a data connection
// failed. That a server wants to see a session of TLS again is told in no other
// way.
func (t *transfer) explain(err error) error {
	ctx := t.s.ctx
	if ctx.Err() == nil && !errors.Is(err, fetchers.ErrStalled) && !t.lease.Over() {
		limited, cancel := context.WithTimeout(ctx, lastWord)
		defer cancel()
		t.s.ctl.Bind(limited)
		var refused *fetchers.StatusError
		if errors.As(t.in.Close(), &refused) {
			t.res.Reply = refused.Reply
			t.s.learns()
			if !errors.Is(err, refused) {
				err = fmt.Errorf("%w: %w", err, refused)
			}
		}
	}
	t.Close()
	return err
}

// Close abandons the transfer. What a server answers to that differs from one to
// the next, and some never do, so both connections are closed. It may be called
// while Read waits. Once all has come it does nothing.
func (t *transfer) Close() error {
	over := t.lease.Over()
	t.doubt.release()
	err := t.lease.Close() // first, since Read may wait for the server's words with the data connection locked
	if !over {
		t.data.Close()
	}
	return err
}

var announced = regexp.MustCompile(`\(([0-9]+) bytes\)`)

// announce returns the number of bytes that the first reply to RETR speaks of, or
// 0. It may be the size of the file or of what is left of it, so it is good for
// no more than a doubt.
func announce(text string) int64 {
	if m := announced.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		return n
	}
	return 0
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
