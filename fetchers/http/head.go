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

// A head is the status line and the header of an answer of HTTP/1. A server may write a part of
// it as no server should: then it is odd, and its connection is closed behind the body, so that
// what follows is never taken for another answer.
type head struct {
	httpfield.Status
	fields nethttp.Header
	odd    bool
}

// readHead reads a head. The first line is judged before more is waited for. buffer is room for
// the octets.
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
	h.odd = h.odd || h.Odd || mixed // an LF among CR LF is no end for each reader
	return h, block, err
}

func endsInCRLF(line []byte) bool { return bytes.HasSuffix(line, []byte("\r\n")) }

// appendLine appends a line with its end to b.
func appendLine(b []byte, in *bufio.Reader) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		b = append(b, part...)
		if err != bufio.ErrBufferFull {
			return b, unexpected(err)
		}
	}
}

// response makes the answer to x of h, whose body follows in s.
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

// isEmpty reports whether h never has a body, nor the fields of one, whatever it says (RFC 9112,
// section 6.3). A 304 may have the fields of another answer.
func (h *head) isEmpty() bool { return h.Code/100 == 1 || h.Code == nethttp.StatusNoContent }

// framing returns whether the body is in chunks, and its length, or -1 if that is not told or
// passed over. An answer that tells two ends is odd.
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

// closes reports whether the connection ends with the answer (RFC 9112, section 9.3). One
// side of HTTP/1.0 is enough, unless the server says that it keeps the connection.
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

// isChunked reports whether the body is in chunks, and takes the field that says so away. The
// coding identity and an empty one are none. No request asks for any other (RFC 9112, section
// 7), so that a body in one cannot be read. HTTP/1.0 has no chunks: its connection is closed
// behind them.
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

// isCoding reports whether coding is a name in ASCII. EqualFold alone takes the sign of the
// kelvin, which has more octets, for a k.
func isCoding(coding, name string) bool {
	return len(coding) == len(name) && strings.EqualFold(coding, name)
}

// length returns the Content-Length, or -1 if there is none. It may be told twice, but has to
// be the same (RFC 9110, section 8.6).
func (h *head) length() (int64, error) {
	fields, ok := h.fields["Content-Length"]
	if !ok {
		return -1, nil
	}
	if len(fields) == 1 {
		if n, err := strconv.ParseUint(fields[0], 10, 63); err == nil { // as a rule, and then nothing is allocated
			return int64(n), nil
		}
	}
	lengths := httpfield.List(fields)
	if len(lengths) == 0 {
		return 0, errors.New("an empty Content-Length")
	}
	other := func(length string) bool { return length != lengths[0] }
	if i := slices.IndexFunc(lengths, other); i > 0 {
		return 0, fmt.Errorf("it has the lengths %.30q and %.30q", lengths[0], lengths[i])
	}
	n, err := strconv.ParseUint(lengths[0], 10, 63)
	if err != nil {
		return 0, fmt.Errorf("the length %.30q is no number", lengths[0])
	}
	h.odd = h.odd || slices.ContainsFunc(fields, other)
	h.fields["Content-Length"] = lengths[:1]
	return int64(n), nil
}
