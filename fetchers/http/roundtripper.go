package http

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"strconv"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// errNothing means that a RoundTripper has broken its contract.
var errNothing = errors.New("the RoundTripper returned neither a response nor an error")

// sendByRoundTripper sends the request of x by the RoundTripper of f, and completes fields of the response
// that net/http always sets, but other RoundTrippers may not.
func (f *Fetcher) sendByRoundTripper(x *exchange) (*nethttp.Response, error) {
	r, err := x.over(x.context(), func() {})
	if err != nil {
		return nil, err
	}
	x.begin(x.version())
	resp, err := f.RoundTripper.RoundTrip(r)
	switch {
	case err != nil:
		return nil, err
	case resp == nil:
		return nil, errNothing
	}
	resp.Request = r
	if resp.Header == nil {
		resp.Header = make(nethttp.Header)
	}
	resp.Status = cmp.Or(resp.Status, strconv.Itoa(resp.StatusCode)+" "+nethttp.StatusText(resp.StatusCode))
	if resp.ProtoMajor == 0 {
		resp.Proto, resp.ProtoMajor, resp.ProtoMinor = x.version(), 1, 1 // HTTP/1.1 without a length: no end is confirmed
	}
	if resp.Body == nil {
		resp.Body = nethttp.NoBody
	}
	if resp.ContentLength == 0 && resp.Body != nethttp.NoBody {
		resp.ContentLength = lengthIn(resp.Header)
	}
	if r.Method != "HEAD" && (resp.ContentLength > 0 || resp.ContentLength == 0 && resp.Body != nethttp.NoBody) {
		resp.Body = &lengthBody{resp.Body, resp.ContentLength}
	}
	return resp, nil
}

// lengthIn returns the Content-Length of h, or -1.
func lengthIn(h nethttp.Header) int64 {
	length, err := number(h.Get("Content-Length"))
	if err != nil {
		return -1
	}
	return length
}

// causeOf adds the class to err, unless err has one. An error of a RoundTripper without a known
// cause does not become ErrProtocol, because it says nothing about the response.
func (f *Fetcher) causeOf(err error) error {
	classed := cause(err)
	if f.RoundTripper != nil && errors.Is(classed, fetchers.ErrProtocol) {
		return err
	}
	return classed
}

// A lengthBody is a body that must have the length that Content-Length states.
type lengthBody struct {
	io.ReadCloser
	left int64
}

func (s *lengthBody) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if int64(n) > s.left {
		return int(s.left), fmt.Errorf("%w: more than its Content-Length", fetchers.ErrProtocol)
	}
	if s.left -= int64(n); err == io.EOF && s.left > 0 {
		err = fmt.Errorf("%w: %d bytes are missing", io.ErrUnexpectedEOF, s.left)
	}
	return n, err
}
