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

// A transfer is the data of a data connection. The end of the connection proves nothing: the server
// may have failed, or have refused to send anything. Therefore the transfer ends in io.EOF only
// after the final reply, and if it has the size of SIZE.
type transfer struct {
	s     *session
	lease *lease
	in    stream
	data  io.Closer       // connection below in
	bare  *transport.Conn // the same, if nothing wraps it
	res   *fetchers.Resource
	size  int64 // expected bytes; -1 if unknown
	hint  int64 // minimum of bytes by the first reply to RETR
	want  int64 // bytes that the caller wants; 0 means all
	exact bool  // the server knows the end of the range
	got   int64
	err   error // final error
	held  bool  // the session is needed after the end
	doubt doubt // applies if no data arrives
}

// expect sets the expected size from res.
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
		err = io.EOF // SIZE confirms the end in place of TLS
	}
	switch { // the excess is checked first, since the last bytes may come with io.EOF, as in TLS 1.2
	case t.size >= 0 && t.got > t.size && t.res.Range.Offset > 0:
		t.err = fmt.Errorf("%w: the server sends more bytes than remain after byte %d", fetchers.ErrRange, t.res.Range.Offset)
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

// Lend passes to use the bytes of a data connection that nothing wraps.
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

// maxBeyond is how many bytes are read after a range to reach the end of the file.
const maxBeyond = 1 << 20

// leave ends a transfer whose rest is not wanted. FTP has no good command for that. Only the end of
// the file proves that the range began at its offset: some servers accept REST and begin at 0. A
// comparison with existing bytes of the file would prove nothing, since files such as disk images
// repeat themselves.
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

// finish reads the final reply, and returns io.EOF if the transfer was complete.
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

// lastWord is how long to wait for the reply that explains a failed data connection.
const lastWord = time.Second

// explain adds the server's reply, if there is one, to the error of a data connection. Only this
// reply reveals that a server requires TLS session resumption.
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

// Close ends the transfer. Servers answer that in different ways, and some never do, so both
// connections are closed. It may be called during a Read. After the end it does nothing.
func (t *transfer) Close() error {
	over := t.lease.Over()
	t.doubt.release()
	err := t.lease.Close() // first, since Read may wait for the server's reply and hold the lock of the data connection
	if !over {
		t.data.Close()
	}
	return err
}

var announced = regexp.MustCompile(`\(([0-9]+) bytes\)`)

// announce returns the number of bytes in the first reply to RETR, or 0. It may be the size of the
// file or of the rest, so that it only raises a doubt.
func announce(text string) int64 {
	if m := announced.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		return n
	}
	return 0
}

// lineEnds converts the CR LF of a transfer in TYPE A to LF. A CR without an LF is kept.
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
