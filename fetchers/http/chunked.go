package http

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

const (
	maxAhead    = 4096     // bytes in which to look for the size of the next chunk
	maxTrailer  = 16 << 10 // bytes of a trailer, which is discarded
	maxExcess   = 16 << 10 // bytes of size lines and line ends beyond those that chunks need
	usualExcess = 16       // bytes of a size line and the end of a chunk
)

// A chunked is a body with chunked transfer coding (RFC 9112, section 7.1). It ends after the empty
// line that follows the last chunk and the trailer. A bare LF is accepted as a line end; since
// other parsers reject it, the body is then odd, and its connection is not used again.
type chunked struct {
	in     *bufio.Reader
	left   int64 // remaining bytes of the chunk
	begun  bool  // whether the end of a chunk must be read before the next size
	odd    bool
	excess int64 // bytes of lines, less an allowance for data
	err    error
}

// Read reads all chunks that are buffered. It waits only if it has no bytes to return.
func (c *chunked) Read(p []byte) (n int, err error) {
	for c.err == nil && n < len(p) {
		if c.left == 0 {
			if n > 0 && !c.nextIsHere() {
				break
			}
			c.err = c.next()
			continue
		}
		if n > 0 && c.in.Buffered() == 0 {
			break
		}
		var more int
		more, c.err = c.in.Read(p[n : n+int(min(int64(len(p)-n), c.left))])
		c.err = unexpected(c.err)
		n += more
		c.left -= int64(more)
		if c.left > 0 {
			break
		}
	}
	return n, c.err
}

// Close does nothing: the session closes the connection if the body was not read to its end.
func (c *chunked) Close() error { return nil }

// nextIsHere reports whether the size of the next chunk is buffered.
func (c *chunked) nextIsHere() bool {
	lines, _ := c.in.Peek(min(c.in.Buffered(), maxAhead))
	_, size, ok := bytes.Cut(lines, []byte("\n"))
	return ok && bytes.IndexByte(size, '\n') > 0 && size[0] != '0'
}

// next reads up to the data of the next chunk. It returns io.EOF after the last chunk.
func (c *chunked) next() error {
	if c.begun {
		if end, err := c.line(); err != nil || len(end) > 0 {
			return orMalformed(err, "a chunk is longer than its size")
		}
	}
	line, err := c.line()
	if err != nil {
		return err
	}
	size, _, _ := bytes.Cut(line, []byte(";"))
	if c.left, err = chunkSize(bytes.TrimRight(size, " \t")); err != nil {
		return err
	}
	c.begun = true
	c.excess = max(0, c.excess+int64(len(line))-usualExcess-min(c.left, math.MaxInt64/4)*2)
	switch {
	case c.excess > maxExcess:
		return errors.New("the chunks have more bytes of lines than of data")
	case c.left == 0:
		return c.trailer()
	}
	return nil
}

// chunkSize parses the size of a chunk, in hexadecimal digits.
func chunkSize(digits []byte) (int64, error) {
	var size uint64
	for _, c := range digits {
		digit := strings.IndexByte("0123456789abcdef", lower(c))
		if digit < 0 {
			return 0, noSize(digits)
		}
		size = size<<4 | uint64(digit)
	}
	if len(digits) == 0 || len(digits) > 16 || size > math.MaxInt64 {
		return 0, noSize(digits)
	}
	return int64(size), nil
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'F' {
		return c | 0x20
	}
	return c
}

func noSize(digits []byte) error { return fmt.Errorf("%.30q is no size of a chunk", digits) }

// trailer discards the fields after the last chunk, and the empty line. It returns io.EOF.
func (c *chunked) trailer() error {
	for n := 0; n <= maxTrailer; {
		line, err := c.line()
		switch {
		case err != nil:
			return err
		case len(line) == 0:
			return io.EOF
		case !bytes.Contains(line, []byte(":")) && (n == 0 || line[0] != ' ' && line[0] != '\t'):
			return fmt.Errorf("malformed trailer: %.60q", line)
		}
		n += len(line) + 2
	}
	return fmt.Errorf("a trailer of more than %d bytes", maxTrailer)
}

// line returns a line without its line end. The line is valid until the next read.
func (c *chunked) line() ([]byte, error) {
	octets, err := c.in.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return nil, errors.New("a line between chunks is too long")
	case err != nil:
		return nil, unexpected(err)
	}
	text, ok := bytes.CutSuffix(octets[:len(octets)-1], []byte("\r"))
	c.odd = c.odd || !ok
	if bytes.IndexByte(text, '\r') >= 0 {
		return nil, errors.New("a CR in a line between chunks")
	}
	return text, nil
}

// orMalformed returns err, or, if err is nil, an error about malformed chunks.
func orMalformed(err error, words string) error {
	if err != nil {
		return err
	}
	return errors.New("malformed chunks: " + words)
}
