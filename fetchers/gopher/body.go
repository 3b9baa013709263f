package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// body returns a reader of the rest of the answer, which is a Listing or a Document. Its end is
// where the status line says, or the end of the connection; a text may have a final dot.
func (a *answer) body(kind fetchers.Kind, text bool) io.ReadCloser {
	switch {
	case a.plus && a.length >= 0:
		return &counted{answer: a, left: a.length}
	case kind == fetchers.Listing:
		return &menuBody{answer: a, lineStart: true}
	case a.plus && a.length == byDot, !a.plus && text:
		return &textBody{answer: a, lineStart: true}
	}
	return &openBody{a}
}

// finish returns the error at the end of a body: err, or nil for a regular end. A missing dot
// proves a cut only if the status line has announced it: some common servers never send one.
func (a *answer) finish(err error, dot bool) error {
	switch {
	case dot && errors.Is(err, fetchers.ErrStalled):
		a.trace.Note("the server keeps the connection open after the end")
	case dot && errors.Is(err, transport.ErrNoNotify): // the dot confirms the end without close_notify
	case err != io.EOF:
		return err
	case !dot && a.plus && a.length == byDot:
		return fmt.Errorf("%w: the final dot is missing", io.ErrUnexpectedEOF)
	}
	if dot {
		a.confirmed.Store(true)
	}
	return io.EOF
}

var _, _ fetchers.Lender = (*openBody)(nil), (*counted)(nil)

// An openBody ends with the connection, which confirms nothing.
type openBody struct{ *answer }

func (b *openBody) Read(p []byte) (int, error) { return b.in.Read(p) }

// Lend passes bytes to use.
func (b *openBody) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	return b.lend(most, use)
}

// A counted body has the length of the status line. Bytes after it are ignored: some servers send a
// dot.
type counted struct {
	*answer
	left int64
}

func (b *counted) Read(p []byte) (int, error) {
	if b.left == 0 {
		b.confirmed.Store(true)
		return 0, io.EOF
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	switch {
	case b.left == 0:
		err = nil // the connection may end together with the last bytes
	case err == io.EOF:
		err = fmt.Errorf("%w: %d of %d bytes are missing", io.ErrUnexpectedEOF, b.left, b.length)
	}
	return n, err
}

// Lend passes bytes to use.
func (b *counted) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	n := b.lend(min(most, b.left), use)
	b.left -= n
	return n
}

// A textBody ends with the connection. A last line of a single dot is not part of it; an earlier
// dot is, since most servers send text unmodified. For the same reason no dot at the beginning of a
// line is removed, although RFC 1436 says that the server doubles it: no server does.
type textBody struct {
	*answer
	lineStart bool   // the next byte begins a line
	held      []byte // the last bytes, which may be the final dot
	ready     []byte // bytes to return
	err       error
}

func (b *textBody) Read(p []byte) (n int, err error) {
	for n == 0 && len(p) > 0 {
		switch {
		case len(b.ready) > 0:
			n = copy(p, b.ready)
			b.ready = b.ready[n:]
			return n, nil
		case b.err != nil:
			return 0, b.err
		case len(b.held) > 0:
			var more [512]byte
			n, err := b.in.Read(more[:])
			b.ready = b.hold(append(b.held, more[:n]...), err)
		default:
			n, err = b.in.Read(p)
			n = len(b.hold(p[:n], err))
		}
	}
	return n, nil
}

// hold returns the received bytes except a final dot, or its beginning, which it holds. An error
// err ends the body.
func (b *textBody) hold(come []byte, err error) []byte {
	text := come[:len(come)-finalDot(come, b.lineStart)]
	b.held = append([]byte(nil), come[len(text):]...)
	if len(text) > 0 {
		b.lineStart = text[len(text)-1] == '\n'
	}
	if err != nil {
		b.err = b.finish(err, len(b.held) > 0)
	}
	return text
}

// finalDot returns the length of a last line in text that is a single dot, with or without its line
// end. lineStart tells whether text begins a line.
func finalDot(text []byte, lineStart bool) int {
	for _, dot := range []string{".", ".\r", ".\n", ".\r\n"} {
		before, ok := bytes.CutSuffix(text, []byte(dot))
		if ok && (len(before) > 0 && before[len(before)-1] == '\n' || len(before) == 0 && lineStart) {
			return len(dot)
		}
	}
	return 0
}

// A menuBody ends at the first line of a single dot, which cannot occur in a menu or in attributes,
// or with the connection.
type menuBody struct {
	*answer
	lineStart bool
	ready     []byte
	err       error
}

func (b *menuBody) Read(p []byte) (int, error) {
	for len(b.ready) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		piece, err := b.in.ReadSlice('\n')
		dot := b.lineStart && len(piece) > 0 && finalDot(piece, true) == len(piece)
		switch {
		case dot && (err == nil || err == io.EOF):
			b.err = b.finish(io.EOF, true)
			continue
		case err == bufio.ErrBufferFull: // a long line is passed on in parts
		case err != nil:
			b.err = b.finish(err, false)
		}
		b.lineStart = err == nil
		b.ready = piece
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}
