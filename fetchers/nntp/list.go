package nntp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxLine is the maximum length of a line of a listing, in bytes. A line of an overview contains
// whole header fields; References may be long.
const maxLine = 256 << 10

// A parse parses the entries of a Body.
type parse = func(body io.Reader) iter.Seq2[fetchers.Entry, error]

// parser returns a parse in which each line is an entry.
func parser(entry func(line string) fetchers.Entry) parse {
	return func(body io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			lines := scan(body, maxLine)
			for lines.Scan() {
				if !yield(entry(lines.Text()), nil) {
					return
				}
			}
			if err := lineError(lines.Err()); err != nil {
				yield(fetchers.Entry{}, err)
			}
		}
	}
}

// scan returns a Scanner of lines of at most most bytes. An incomplete line before an error is
// dropped.
func scan(r io.Reader, most int) *bufio.Scanner {
	src := &source{Reader: r}
	lines := bufio.NewScanner(src)
	lines.Buffer(make([]byte, min(4096, most)), most)
	lines.Split(src.split)
	return lines
}

// A source is a listing that is split into lines.
type source struct {
	io.Reader
	ended bool // the end was reached, without an error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.ended = err == io.EOF
	return n, err
}

// split is a bufio.SplitFunc.
func (s *source) split(data []byte, _ bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, bytes.TrimSuffix(data[:i], []byte("\r")), nil
	}
	if !s.ended || len(data) == 0 {
		return 0, nil, nil
	}
	return len(data), data, nil
}

// lineError converts the error of a Scanner.
func lineError(err error) error {
	if err == bufio.ErrTooLong {
		return fmt.Errorf("%w: a line that is too long", fetchers.ErrProtocol)
	}
	return err
}

func unparsed(line string) fetchers.Entry {
	return fetchers.Entry{Name: line, Kind: fetchers.Unparsed, Size: -1}
}
