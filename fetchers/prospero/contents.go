package prospero

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A contents is a file, which the reply has as a single token:
//
//	ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'the whole file'
//
// It is unquoted while it arrives, since it may fill all packets of the reply. Several such lines
// are one file. After the file the server may still report a failure, so that io.EOF is the end of
// the whole reply.
type contents struct {
	reply io.Closer
	lines *lexer
	got   func(line string)

	size   int64  // announced size in bytes; -1 if unknown
	count  int64  // bytes so far
	none   bool   // the server has sent NONE-FOUND
	inside bool   // within a token
	octets bool   // the token is not empty
	tag    string // a byte to return before, or after, the token
	tagged bool   // the token ends in a line end
}

// errNoContents is the error for NONE-FOUND as the answer to a request for contents.
var errNoContents = fmt.Errorf("no contents: %w", fs.ErrNotExist)

// open reads up to the beginning of the file.
func (c *contents) open() error {
	err := c.advance()
	if errors.Is(err, io.EOF) {
		if !c.none {
			return fmt.Errorf("%w: no contents in the reply", fetchers.ErrProtocol)
		}
		return &fetchers.StatusError{Reply: fetchers.Reply{Text: "NONE-FOUND"}, Class: errNoContents}
	}
	return err
}

// advance reads up to the next line with contents.
func (c *contents) advance() error {
	for {
		word, ok, err := c.lines.token()
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		head := []string{word}
		for begins(head) {
			if word, ok, err = c.lines.token(); err != nil || !ok {
				return nonsense("an ATTRIBUTE without a value", err)
			}
			if head = append(head, word); word == "DATA" && isContents(head[:len(head)-1]) {
				c.inside = true
				return nil
			}
			if word == "TAGGED" && isContents(head[:len(head)-1]) {
				if c.tag, ok, err = c.lines.token(); err != nil || !ok {
					return nonsense("contents without a tag", err)
				}
				c.tag += ": "
				c.inside, c.tagged, c.size = true, true, -1
				return nil
			}
		}
		line, err := c.lines.rest(head)
		if err != nil {
			return err
		}
		c.got(strings.Join(line, " "))
		switch {
		case refusal(line) != nil:
			return refusal(line)
		case line[0] == "FORWARDED":
			return fmt.Errorf("%w: forwarded where there should be contents", fetchers.ErrProtocol)
		case line[0] == "NONE-FOUND":
			c.none = true
		}
	}
}

// begins reports whether the tokens may be the beginning of a line with contents.
func begins(head []string) bool {
	return head[0] == "ATTRIBUTE" && len(head) < 6 && (len(head) < 4 || head[3] == "CONTENTS")
}

// isContents reports whether the tokens are the complete text before the value.
func isContents(head []string) bool {
	return len(head) == 4 || len(head) == 5 && (head[4] == "SEQUENCE" || head[4] == "ASCII")
}

// nonsense returns err, or an ErrProtocol with the text what if err is nil or an end.
func nonsense(what string, err error) error {
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("%w: %s", fetchers.ErrProtocol, what)
}

func (c *contents) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil && len(p) > 0 {
		switch {
		case c.tag != "":
			n = copy(p, c.tag)
			c.tag = c.tag[n:]
		case c.inside:
			n, err = c.fill(p)
		default:
			err = c.advance()
		}
	}
	c.count += int64(n)
	switch {
	case c.size >= 0 && c.count > c.size:
		return n, fmt.Errorf("%w: the data is longer than the %d bytes of SIZE", fetchers.ErrProtocol, c.size)
	case err == io.EOF && c.count < c.size:
		return n, fmt.Errorf("%w: got %d of %d bytes", io.ErrUnexpectedEOF, c.count, c.size)
	}
	return n, err
}

// fill reads the available bytes of the token.
func (c *contents) fill(p []byte) (n int, err error) {
	for n < len(p) && (n == 0 || c.lines.in.Buffered() > 0) {
		b, is, err := c.lines.octet()
		switch {
		case err == io.EOF && c.octets:
			c.end() // of a last line without LF
			return n, nil
		case err != nil:
			return n, nonsense("contents without a value", err)
		case is == data:
			p[n] = b
			n++
			c.octets = true
		case is == quote:
			c.octets = true
		case is == eol && !c.octets:
			return n, nonsense("contents without a value", nil)
		case is == eol:
			c.end()
			return n, nil
		case c.octets: // a blank: nothing may follow
			if more, err := c.lines.rest(nil); err != nil || len(more) > 0 {
				return n, nonsense("contents of more than one value", err)
			}
			c.end()
			return n, nil
		}
	}
	return n, nil
}

// end ends a token.
func (c *contents) end() {
	if c.tagged {
		c.tag = "\n"
	}
	c.inside, c.octets, c.tagged = false, false, false
}

// Close ends the transfer.
func (c *contents) Close() error { return c.reply.Close() }
