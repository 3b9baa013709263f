package http

import (
	"errors"
	"fmt"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A recorder is a Reader that records its first error. A parser of lines may drop this error, and take
// a truncated line for a complete one.
type recorder struct {
	io.Reader
	failed error
}

func (h *recorder) Read(p []byte) (int, error) {
	if h.failed != nil {
		return 0, h.failed
	}
	n, err := h.Reader.Read(p)
	h.failed = err
	return n, err
}

// ended reports whether the server has ended the connection, or its TLS.
func (h *recorder) ended() bool {
	return errors.Is(h.failed, io.EOF) || errors.Is(h.failed, io.ErrUnexpectedEOF)
}

// broken returns the read error of the connection in place of err, which resulted from a truncated
// line. If the connection has ended, the result is an io.ErrUnexpectedEOF.
func (h *recorder) broken(err error) error {
	switch {
	case h.failed == nil, errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case h.ended():
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return h.failed
}

// isEnd reports whether err is the end of a connection, orderly or not.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fetchers.ErrTemporary)
}
