package http

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A message is the body of a response. It adds the class to read errors.
type message struct {
	io.ReadCloser
	resp *nethttp.Response
	most int64 // Fetcher.MaxDecoded

	cause func(error) error // adds a class to an error that has none
}

func (m *message) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if err == nil {
		return n, nil
	}
	switch {
	case err == io.EOF && m.resp.Request.Context().Err() != nil:
		// The server saw the cancellation first, and ended the body.
		return n, m.resp.Request.Context().Err()
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF), err == nethttp.ErrBodyReadAfterClose:
		return n, err
	case errors.As(err, new(tls.RecordHeaderError)): // TLS was established before, so the peer is no server without TLS
		return n, err
	case m.resp.ProtoMajor == 2 && !isClassed(err): // the stream was reset
		return n, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return n, m.cause(err)
}

var _ fetchers.Lender = (*message)(nil)

// Lend passes received bytes to use, if the body is a turn.
func (m *message) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	if t, ok := m.ReadCloser.(*turn); ok {
		return t.Lend(most, use)
	}
	return 0
}

// untilClose reports whether the body of a response ends with its connection.
func untilClose(resp *nethttp.Response) bool {
	return resp.ProtoMajor == 1 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0
}

// maxDiscard is how much of an unwanted body is read so that its connection can be used again. A
// new connection costs about as much.
const (
	maxDiscard     = 16 << 10
	maxDiscardTime = time.Second
)

// discard reads the rest of a body, within maxDiscard and maxDiscardTime, and closes the body.
func discard(body io.ReadCloser) { drain(io.Discard, body) }

// drain is discard, but writes the bytes to w.
func drain(w io.Writer, body io.ReadCloser) {
	late := time.AfterFunc(maxDiscardTime, func() { body.Close() })
	defer late.Stop()
	io.CopyN(w, body, maxDiscard)
	body.Close()
}
