package http

import (
	"errors"
	"fmt"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A heard records the first read error. A line parser takes a truncated line for a whole one
// and drops the error.
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

// broken returns the read error of the connection in place of err, which came from parsing a
// truncated line. If the connection has ended, err is an io.ErrUnexpectedEOF.
func (h *heard) broken(err error) error {
	switch {
	case h.failed == nil, errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case h.ended():
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return h.failed
}

// isEnd reports whether err is the end of a connection, in order or not.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fetchers.ErrTemporary)
}
