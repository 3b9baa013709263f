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

// An answer is the response of a server to one request, after which it closes the connection.
type answer struct {
	conn  *transport.Conn
	in    *bufio.Reader
	trace fetchers.Tracer

	// From the Gopher+ status line, if there is one.
	plus   bool
	failed bool
	length int64 // of the body, in bytes; or byDot, or byClose

	confirmed atomic.Bool // the body ended as the server announced
}

// Special lengths in a status line (Gopher+, section 2.3).
const (
	byDot   = -1 // the body ends with a line of a single dot
	byClose = -2 // the body ends with the connection
)

// maxAhead limits the bytes that are examined to classify an answer. A status line is much shorter;
// the longest errors are menus of a few lines.
const maxAhead = 4 << 10

func newAnswer(conn *transport.Conn) *answer {
	return &answer{conn: conn, in: bufio.NewReaderSize(&source{r: conn}, maxAhead), trace: conn.Trace(), length: byClose}
}

// Close closes the connection at once, in TLS without close_notify, since it must not wait.
func (a *answer) Close() error { return a.conn.Close() }

// lend passes bytes of a plain connection to use.
func (a *answer) lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if a.in.Buffered() > 0 {
		return 0
	}
	return a.conn.Lend(most, use)
}

// A source repeats its first error. Otherwise the reset of a connection would look like a regular
// end at the next Read.
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

// maxStatus is the maximum length of a status line; a length has at most 19 digits.
const maxStatus = 32

// begin waits for the answer. After a Gopher+ request it reads the status line, if there is one.
// Any other text belongs to the body of a plain answer, which may also begin with "+" or "-".
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

// ahead returns the beginning of the remaining answer without consuming it: the available bytes
// when enough returns true, or maxAhead bytes, or all bytes before an error.
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

// begins reports whether the remaining answer begins with the string.
func (a *answer) begins(with string) bool {
	head, _ := a.ahead(func(head []byte) bool {
		return len(head) >= len(with) || !bytes.HasPrefix([]byte(with), head)
	})
	return bytes.HasPrefix(head, []byte(with))
}
