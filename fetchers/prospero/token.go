package prospero

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxLine limits a line in bytes, except for the contents of a file. The servers of 1994 accept
// names of about a thousand bytes, and a line has two of them and a text for people.
const maxLine = 64 << 10

// A sign is the role of a byte in a message.
type sign uint8

const (
	data  sign = iota // part of a token
	quote             // begins or ends a quoted part of a token; '' is an empty token
	blank             // separates tokens
	eol               // separates lines
)

// A lexer splits a message into tokens. A quoted part may begin and end anywhere in a token. In it
// every byte is literal, also blanks and line ends, except that two quotes mean one.
type lexer struct {
	in     *bufio.Reader
	quoted bool
}

func newLexer(r io.Reader) *lexer { return &lexer{in: bufio.NewReader(r)} }

// octet reads the next byte, which belongs to the token if its sign is data. It returns io.EOF at
// the end of the message, unless that is inside quotes.
func (l *lexer) octet() (byte, sign, error) {
	c, err := l.in.ReadByte()
	switch {
	case err == io.EOF && l.quoted:
		return 0, 0, fmt.Errorf("%w: the message ends inside a quoted token", fetchers.ErrProtocol)
	case err != nil:
		return 0, 0, err
	case c == '\'' && l.quoted:
		next, err := l.in.Peek(1)
		if err == nil && next[0] == '\'' {
			l.in.Discard(1)
			return c, data, nil
		}
		if err != nil && err != io.EOF {
			return 0, 0, err
		}
		l.quoted = false
		return c, quote, nil
	case c == '\'':
		l.quoted = true
		return c, quote, nil
	case l.quoted:
		return c, data, nil
	case c == ' ' || c == '\t':
		return c, blank, nil
	case c == '\n':
		return c, eol, nil
	case c == '\r':
		// No server ends lines like this, but it is unambiguous.
		if next, err := l.in.Peek(1); err == nil && next[0] == '\n' {
			c, err = l.in.ReadByte()
			return c, eol, err
		}
	}
	return c, data, nil
}

var errLine = fmt.Errorf("%w: a line of more than %d bytes", fetchers.ErrProtocol, maxLine)

// token reads the next token of the line. It reports false at the end of the line. The end of the
// message also ends a line; the call after that returns io.EOF.
func (l *lexer) token() (token string, ok bool, err error) {
	var b strings.Builder
	for {
		c, is, err := l.octet()
		switch {
		case err == io.EOF && ok:
			return b.String(), true, nil
		case err != nil:
			return "", false, err
		case is == data && b.Len() == maxLine:
			return "", false, errLine
		case is == data:
			b.WriteByte(c)
			ok = true
		case is == quote:
			ok = true
		case is == blank && ok:
			return b.String(), true, nil
		case is == eol && ok:
			return b.String(), true, l.in.UnreadByte()
		case is == eol:
			return "", false, nil
		}
	}
}

// rest reads the rest of a line that begins with tokens.
func (l *lexer) rest(tokens []string) ([]string, error) {
	size := 0
	for {
		t, ok, err := l.token()
		switch {
		case errors.Is(err, io.EOF), err == nil && !ok:
			return tokens, nil
		case err != nil:
			return nil, err
		}
		if size += 1 + len(t); size > maxLine {
			return nil, errLine
		}
		tokens = append(tokens, t)
	}
}

// line reads the next line that is not blank. Some servers write a blank line after an ID
// attribute.
func (l *lexer) line() ([]string, error) {
	for {
		first, ok, err := l.token()
		if err != nil {
			return nil, err
		}
		if ok {
			return l.rest([]string{first})
		}
	}
}

// quoted returns a token as written in a message. It does not quote characters such as a slash,
// which servers quote without need.
func quoted(token string) string {
	if token != "" && !strings.ContainsAny(token, " \t\n\v\f\r'+,") {
		return token
	}
	return "'" + strings.ReplaceAll(token, "'", "''") + "'"
}
