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

// A message is the body of a response as net/http reads it. It gives the classes
// of fetchers to what can go wrong.
type message struct {
	io.ReadCloser
	resp *nethttp.Response
	most int64 // Fetcher.MaxDecoded

	cause func(error) error // gives an error the class that it lacks
}

func (m *message) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if err == nil {
		return n, nil
	}
	switch {
	case err == io.EOF && m.resp.Request.Context().Err() != nil:
		// The server noticed that we had gone before we were gone, and made
		// an end of it.
		return n, m.resp.Request.Context().Err()
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF), err == nethttp.ErrBodyReadAfterClose:
		return n, err
	case errors.As(err, new(tls.RecordHeaderError)): // whatever it is, TLS was there before
		return n, err
	case m.resp.ProtoMajor == 2 && !isClassed(err): // a stream that was reset
		return n, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return n, m.cause(err)
}

var _ fetchers.Lender = (*message)(nil)

// Lend has use take what comes, if it is the body of a turn.
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

// maxDiscard is how much of an answer that nobody wants is read so that its
// connection can be used again. A new one costs about as much.
const (
	maxDiscard     = 16 << 10
	maxDiscardTime = time.Second
)

// discard reads the rest of a body if it is short and comes at once, and closes it.
func discard(body io.ReadCloser) { drain(io.Discard, body) }

// drain is discard, but writes what it reads to w.
func drain(w io.Writer, body io.ReadCloser) {
	late := time.AfterFunc(maxDiscardTime, func() { body.Close() })
	defer late.Stop()
	io.CopyN(w, body, maxDiscard)
	body.Close()
}
