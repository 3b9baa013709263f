package http

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
)

// A head is the status line and header of an HTTP/1 response. If the server violates the syntax in
// a tolerated way, the head is odd: the connection is closed after the body, so that the bytes
// after it are never taken for another response.
type head struct {
	httpfield.Status
	fields nethttp.Header
	odd    bool
}

// readHead parses a head. It checks the first line before it waits for the next. buffer is reused
// as storage, and returned, possibly enlarged.
func readHead(in *bufio.Reader, buffer []byte) (h head, room []byte, err error) {
	line, err := appendLine(buffer[:0], in)
	if err != nil {
		return h, line, err
	}
	if h.Status, err = httpfield.ParseStatus(string(line)); err != nil {
		return h, line, err
	}
	mixed, crlf := false, endsInCRLF(line)
	block := line[:0]
	for end := 0; ; end = len(block) {
		if block, err = appendLine(block, in); err != nil {
			return h, block, err
		}
		mixed = mixed || endsInCRLF(block) != crlf
		if h.EndsHeader(block[end:]) {
			break
		}
	}
	h.fields, h.odd, err = httpfield.ParseFields(string(block))
	h.odd = h.odd || h.Odd || mixed // some parsers do not end a line at an LF among CRLFs
	return h, block, err
}

func endsInCRLF(line []byte) bool { return bytes.HasSuffix(line, []byte("\r\n")) }

// appendLine appends a line and its line end to b.
func appendLine(b []byte, in *bufio.Reader) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		b = append(b, part...)
		if err != bufio.ErrBufferFull {
			return b, unexpected(err)
		}
	}
}

// response makes the response to x from h. Its body is read from s.
func (h *head) response(s *session, x *exchange) (*nethttp.Response, error) {
	resp := &nethttp.Response{
		Request: x.sent, Status: h.Text, StatusCode: h.Code, Proto: h.Proto, ProtoMajor: h.Major, ProtoMinor: h.Minor,
		Header: h.fields, Body: nethttp.NoBody, ContentLength: -1,
	}
	chunks, length, err := h.framing(x.ignoreLength)
	resp.Close = h.closes(x.http10)
	switch {
	case h.isEmpty(), h.Code == nethttp.StatusNotModified:
		resp.ContentLength = 0
	case err != nil:
		return nil, err
	case x.sent.Method == nethttp.MethodHead:
		resp.ContentLength = length
	case chunks:
		resp.TransferEncoding = []string{"chunked"}
		resp.Body = &chunked{in: s.in}
	case length >= 0:
		if resp.ContentLength = length; length > 0 {
			resp.Body = &sized{s, length}
		}
	default:
		resp.Body, resp.Close = io.NopCloser(s.in), true
	}
	return resp, nil
}

// isEmpty reports whether h never has a body, whatever its fields say (RFC 9112, section 6.3). A
// 304 is not counted here: it may have the fields of another response.
func (h *head) isEmpty() bool { return h.Code/100 == 1 || h.Code == nethttp.StatusNoContent }

// framing returns whether the body is chunked, and its length, or -1 if the length is unknown or
// ignored. A response that states two ends is odd.
func (h *head) framing(ignoreLength bool) (chunks bool, length int64, err error) {
	if chunks, err = h.isChunked(); err != nil {
		h.odd = true
		return false, -1, err
	}
	length, err = h.length()
	if err != nil || chunks && length >= 0 || h.isEmpty() && (chunks || length > 0) {
		h.odd = true
	}
	if ignoreLength {
		return chunks, -1, nil
	}
	return chunks, length, err
}

// closes reports whether the connection ends with the response (RFC 9112, section 9.3). It does if
// the request or the response is HTTP/1.0, unless the server keeps the connection explicitly.
func (h *head) closes(asked10 bool) bool {
	options := h.fields["Connection"]
	switch {
	case h.odd, httpguts.HeaderValuesContainsToken(options, "close"):
		return true
	case h.Minor == 0, asked10:
		return !httpguts.HeaderValuesContainsToken(options, "keep-alive")
	}
	return false
}

// isChunked reports whether the body is chunked, and removes the field Transfer-Encoding. The
// coding identity and an empty element are ignored. No other coding was requested, and none can be
// decoded (RFC 9112, section 7). HTTP/1.0 has no chunks: such a connection is closed after the
// response.
func (h *head) isChunked() (bool, error) {
	fields, ok := h.fields["Transfer-Encoding"]
	if !ok {
		return false, nil
	}
	var codings []string
	for _, coding := range httpfield.List(fields) {
		if !isCoding(coding, "identity") {
			codings = append(codings, coding)
		}
	}
	switch {
	case len(codings) > 1, len(codings) == 1 && !isCoding(codings[0], "chunked"):
		return false, fmt.Errorf("unsupported transfer encoding %.60q", strings.Join(fields, ", "))
	case h.Minor == 0, len(fields) > 1, !isCoding(fields[0], "chunked"):
		h.odd = true
	}
	delete(h.fields, "Transfer-Encoding")
	return len(codings) == 1, nil
}

// isCoding reports whether coding is name, in ASCII. strings.EqualFold alone also accepts the
// Kelvin sign, which has more bytes, for a k.
func isCoding(coding, name string) bool {
	return len(coding) == len(name) && strings.EqualFold(coding, name)
}

// length returns the Content-Length, or -1 if there is none. Repeated values must be equal (RFC
// 9110, section 8.6).
func (h *head) length() (int64, error) {
	fields, ok := h.fields["Content-Length"]
	if !ok {
		return -1, nil
	}
	if len(fields) == 1 {
		if n, err := strconv.ParseUint(fields[0], 10, 63); err == nil { // the usual case, without an allocation
			return int64(n), nil
		}
	}
	lengths := httpfield.List(fields)
	if len(lengths) == 0 {
		return 0, errors.New("an empty Content-Length")
	}
	other := func(length string) bool { return length != lengths[0] }
	if i := slices.IndexFunc(lengths, other); i > 0 {
		return 0, fmt.Errorf("conflicting lengths %.30q and %.30q", lengths[0], lengths[i])
	}
	n, err := strconv.ParseUint(lengths[0], 10, 63)
	if err != nil {
		return 0, fmt.Errorf("the length %.30q is no number", lengths[0])
	}
	h.odd = h.odd || slices.ContainsFunc(fields, other)
	h.fields["Content-Length"] = lengths[:1]
	return int64(n), nil
}
