package gopher

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// An answer is what a server sends to one request, after which it closes.
type answer struct {
	conn  *transport.Conn
	in    *bufio.Reader
	trace fetchers.Tracer

	// What the status line of Gopher+ says, if there is one.
	plus   bool
	failed bool
	length int64 // of the body; or byDot, or byClose

	confirmed atomic.Bool // the end of the body is what the server announced
}

// Lengths in a status line that are none (Gopher+, section 2.3).
const (
	byDot   = -1 // the body ends with a line that is a dot
	byClose = -2 // it ends with the connection
)

// maxAhead is how much of an answer is looked at before it is decided what it is.
// A status line is much shorter; the longest errors are menus of a few lines.
const maxAhead = 4 << 10

func newAnswer(conn *transport.Conn) *answer {
	return &answer{conn: conn, in: bufio.NewReaderSize(&source{r: conn}, maxAhead), trace: conn.Trace(), length: byClose}
}

// Close closes the connection without a word, also one in TLS: it must not wait.
func (a *answer) Close() error { return a.conn.Close() }

// lend has use take what comes over the bare connection.
func (a *answer) lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if a.in.Buffered() > 0 {
		return 0
	}
	return a.conn.Lend(most, use)
}

// A source fails again in the same way once it has failed. What comes after the
// reset of a connection looks like an orderly end.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	n, s.err = s.r.Read(p)
	return n, s.err
}

var statusLine = regexp.MustCompile(`^([+-])(-1|-2|[0-9]+)\r?\n`)

// maxStatus is how long a status line can be; the largest length that is one has 19
// digits.
const maxStatus = 32

// begin waits for the answer, and takes off the status line if Gopher+ was asked
// for and there is one. Anything else belongs to the body of a plain answer, which
// may begin with "+" or "-" too.
func (a *answer) begin(plus bool) error {
	head, err := a.ahead(func(head []byte) bool {
		return !plus || head[0] != '+' && head[0] != '-' || len(head) >= maxStatus || bytes.IndexByte(head, '\n') >= 0
	})
	if err != nil && err != io.EOF {
		return err
	}
	if !plus {
		return nil
	}
	m := statusLine.FindSubmatch(head)
	if m == nil {
		return nil
	}
	if a.length, err = strconv.ParseInt(string(m[2]), 10, 64); err != nil {
		return fmt.Errorf("%w: a length of %s", fetchers.ErrProtocol, m[2])
	}
	a.plus, a.failed = true, m[1][0] == '-'
	a.trace.Got(string(bytes.TrimRight(m[0], "\r\n")))
	_, err = a.in.Discard(len(m[0]))
	return err
}

// ahead returns the beginning of what comes next, which is not read by that: as
// much as is there when enough says so, or maxAhead, or all that comes before an
// error.
func (a *answer) ahead(enough func(head []byte) bool) ([]byte, error) {
	var err error
	for {
		head, _ := a.in.Peek(a.in.Buffered())
		if err != nil || len(head) == maxAhead || len(head) > 0 && enough(head) {
			return head, err
		}
		_, err = a.in.Peek(len(head) + 1)
	}
}

// begins reports whether the next octets are these.
func (a *answer) begins(with string) bool {
	head, _ := a.ahead(func(head []byte) bool {
		return len(head) >= len(with) || !bytes.HasPrefix([]byte(with), head)
	})
	return bytes.HasPrefix(head, []byte(with))
}
