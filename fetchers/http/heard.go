package http

import (
	"errors"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A heard remembers why nothing more could be read. Whoever reads lines takes the half of
// one for a line, and loses the error behind it.
type heard struct {
	io.Reader
	failed error
}

func (h *heard) Read(p []byte) (int, error) {
	if h.failed != nil {
		return 0, h.failed
	}
	n, err := h.Reader.Read(p)
	h.failed = err
	return n, err
}

// ended reports whether the server has ended the connection, or TLS on it.
func (h *heard) ended() bool {
	return errors.Is(h.failed, io.EOF) || errors.Is(h.failed, io.ErrUnexpectedEOF)
}

// broken returns why nothing more was heard, if that is no end, in place of err, which is of
// who made something of the half of a line.
func (h *heard) broken(err error) error {
	if h.failed == nil || h.ended() {
		return err
	}
	return h.failed
}

// isEnd reports whether err is the end of a connection, in order or not.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fetchers.ErrTemporary)
}
