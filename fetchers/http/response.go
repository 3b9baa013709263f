package http

import (
	"errors"
	"fmt"
	"io/fs"
	nethttp "net/http"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// resource says what a response to req is, if it is not a refusal.
func resource(req *fetchers.Request, resp *nethttp.Response) (*fetchers.Resource, error) {
	res := &fetchers.Resource{
		URL:    req.URL,
		Kind:   fetchers.Document,
		Reply:  reply(resp),
		Size:   resp.ContentLength,
		Header: textproto.MIMEHeader(resp.Header),
	}
	mediaType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	res.MediaType = strings.ToLower(strings.TrimSpace(mediaType))
	res.Validator.ETag = resp.Header.Get("ETag")
	res.Validator.ModTime, _ = nethttp.ParseTime(resp.Header.Get("Last-Modified"))

	switch resp.StatusCode / 100 {
	case 2:
	case 3:
		if err := elsewhere(req, resp, res); err != nil {
			return nil, err
		}
		resp.Body.Close()
		res.SetBody(nil)
		return res, nil
	default:
		return nil, fmt.Errorf("%w: %d %s", fetchers.ErrProtocol, res.Reply.Code, res.Reply.Text)
	}
	if resp.StatusCode == nethttp.StatusPartialContent {
		if err := partial(req, resp, res); err != nil {
			return nil, err
		}
	}
	if req.Describe {
		resp.Body.Close() // of a GET in place of HEAD it is not read
		res.SetBody(nil)
		return res, nil
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		fetchers.ContextTrace(resp.Request.Context()).Note("the body is still in the coding " + coding + ", which was not asked for")
	}
	if resp.ContentLength < 0 && resp.ProtoMajor == 1 && len(resp.TransferEncoding) == 0 {
		res.Confirmed = func() bool { return false } // it ends with the connection
	}
	res.SetBody(resp.Body)
	return res, nil
}

// elsewhere reads a response of 3xx.
func elsewhere(req *fetchers.Request, resp *nethttp.Response, res *fetchers.Resource) error {
	switch resp.StatusCode {
	case 301, 302, 303, 307, 308:
		locations := resp.Header.Values("Location")
		if len(locations) != 1 || locations[0] == "" {
			return fmt.Errorf("%w: %d %s without one Location", fetchers.ErrProtocol, res.Reply.Code, res.Reply.Text)
		}
		to, err := req.URL.Resolve(strings.TrimSpace(locations[0]))
		if err != nil {
			return fmt.Errorf("%w: Location: %v", fetchers.ErrProtocol, err)
		}
		res.Kind, res.Location, res.Size = fetchers.Redirect, to, -1
		return nil
	case 304:
		if !req.Have.IsZero() {
			res.Kind, res.Size = fetchers.Unchanged, -1
			return nil
		}
	}
	return fmt.Errorf("%w: %d %s", fetchers.ErrProtocol, res.Reply.Code, res.Reply.Text)
}

// partial checks a 206 to the byte: it has to be the range that was asked for,
// or as much of it as there is (RFC 9110, section 14.4).
func partial(req *fetchers.Request, resp *nethttp.Response, res *fetchers.Resource) error {
	wrong := func(why string) error { return fmt.Errorf("%w: 206 %s", fetchers.ErrProtocol, why) }
	if req.Range == (fetchers.Range{}) {
		return wrong("to a request for the whole")
	}
	if strings.HasPrefix(res.MediaType, "multipart/byteranges") {
		return wrong("in several parts")
	}
	field := resp.Header.Get("Content-Range")
	first, last, size, ok := contentRange(field)
	got, wanted := fetchers.Range{Offset: first, Length: last - first + 1}, req.Range
	if size >= 0 {
		wanted, _ = wanted.In(size)
	}
	switch {
	case !ok:
		return wrong(fmt.Sprintf("with Content-Range %q", field))
	case resp.ContentLength >= 0 && resp.ContentLength != got.Length:
		return wrong(fmt.Sprintf("with %d bytes for Content-Range %q", resp.ContentLength, field))
	case got.Offset != wanted.Offset, wanted.Length > 0 && got.Length != wanted.Length:
		return wrong(fmt.Sprintf("of another range: %q", field))
	}
	if tag := res.Validator.ETag; req.Have.ETag != "" && tag != "" && tag != req.Have.ETag {
		return wrong("of another version")
	}
	res.Range, res.Size = got, size
	return nil
}

// contentRange reads "bytes first-last/size", where size may be "*", which is -1.
func contentRange(s string) (first, last, size int64, ok bool) {
	unit, rest, _ := strings.Cut(s, " ")
	span, total, ok1 := strings.Cut(rest, "/")
	a, b, ok2 := strings.Cut(span, "-")
	if !strings.EqualFold(unit, "bytes") || !ok1 || !ok2 {
		return 0, 0, 0, false
	}
	first, err1 := number(a)
	last, err2 := number(b)
	size, err3 := int64(-1), error(nil)
	if total != "*" {
		size, err3 = number(total)
	}
	if errors.Join(err1, err2, err3) != nil || last < first || size >= 0 && last >= size {
		return 0, 0, 0, false
	}
	return first, last, size, true
}

// number reads digits and nothing else.
func number(s string) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err
}

func reply(resp *nethttp.Response) fetchers.Reply {
	_, text, _ := strings.Cut(resp.Status, " ")
	return fetchers.Reply{Code: resp.StatusCode, Text: text}
}

// refusal returns the error that a response is, or nil if it is none.
func refusal(resp *nethttp.Response) error {
	if resp.StatusCode < 400 {
		return nil
	}
	return &fetchers.StatusError{Reply: reply(resp), Class: classOf(resp.StatusCode), Wait: retryAfter(resp.Header)}
}

func classOf(status int) error {
	switch status {
	case 401:
		return fetchers.ErrLogin
	case 403:
		return fs.ErrPermission
	case 404, 410:
		return fs.ErrNotExist
	case 408, 425, 429, 500, 502, 503, 504:
		return fetchers.ErrTemporary
	case 416:
		return fetchers.ErrRange
	}
	return nil
}
