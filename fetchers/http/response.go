package http

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	nethttp "net/http"
	"net/textproto"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// resource converts a response to req to a Resource, or to the error that it means.
func resource(req *fetchers.Request, resp *nethttp.Response) (*fetchers.Resource, error) {
	res := &fetchers.Resource{
		URL:    req.URL,
		Kind:   fetchers.Document,
		Reply:  reply(resp),
		Name:   firstName(resp.Header["Content-Disposition"]),
		Size:   resp.ContentLength,
		Header: textproto.MIMEHeader(resp.Header),
	}
	mediaType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	res.MediaType = strings.ToLower(strings.TrimSpace(mediaType))
	res.Validator.ETag = resp.Header.Get("ETag")
	res.Validator.ModTime, _ = nethttp.ParseTime(resp.Header.Get("Last-Modified"))
	res.Validator.Vague = res.Validator.ETag == "" && isVague(resp.Header, res.Validator.ModTime)

	switch code := resp.StatusCode; {
	case code == nethttp.StatusRequestedRangeNotSatisfiable:
		size, told := sizeOfRefused(req, resp)
		if told && size == 0 && req.Range.Offset < 0 { // the last bytes of an empty resource
			discard(resp.Body)
			res.Size = 0
			res.SetBody(nil)
			return res, nil
		}
		res.Refusal = refusal(resp)
		switch {
		case req.NoFail:
		case told:
			return nil, rangeError(req, res, size)
		default:
			return nil, res.Refusal
		}
	case code >= 400:
		res.Refusal = refusal(resp)
		if !req.NoFail {
			return nil, res.Refusal
		}
	case code == nethttp.StatusMultipleChoices: // the Body lists the alternatives; the caller chooses
	case code/100 == 3:
		err := readRedirect(req, resp, res)
		leads := strings.Join(resp.Header.Values("Location"), "") != ""
		if req.NoFail && !req.Describe && res.Kind != fetchers.Unchanged && (req.NoFollow || !leads) {
			res.Kind, res.Refusal = fetchers.Document, refusal(resp)
			break
		}
		if err != nil && !(req.NoFollow && res.Kind == fetchers.Redirect) {
			return nil, err
		}
		res.Size = -1
		discard(resp.Body) // the next request usually goes to the same server
		res.SetBody(nil)
		return res, nil
	case code == nethttp.StatusPartialContent:
		if err := checkPartial(req, resp, res); err != nil {
			return nil, err
		}
	case code/100 != 2:
		return nil, fmt.Errorf("%w: %d %s", fetchers.ErrProtocol, res.Reply.Code, res.Reply.Text)
	}
	return res, setBody(req, resp, res)
}

// isVague reports whether a document was modified in the same second in which the server answered:
// it may be modified again without a change of its time (RFC 9110, section 8.8.2.2). A response
// without a Date counts as sent now.
func isVague(h nethttp.Header, modified time.Time) bool {
	date, err := nethttp.ParseTime(h.Get("Date"))
	if err != nil {
		date = time.Now()
	}
	return date.Sub(modified) < time.Second
}

// setBody makes the body of resp the body of res.
func setBody(req *fetchers.Request, resp *nethttp.Response, res *fetchers.Resource) error {
	codings := codingsOf(resp)
	if req.Describe {
		if len(codings) > 0 && mayCompress(req) {
			res.Size = -1
		}
		resp.Body.Close() // the GET that replaces a HEAD
		res.SetBody(nil)
		return nil
	}
	body := resp.Body
	coded, ok := body.(*message) // servers also send Content-Encoding without a body
	switch {
	case !ok || len(codings) == 0:
	case mayCompress(req):
		var err error
		if body, err = coded.decode(codings); err != nil {
			return err
		}
		res.Size = -1
	default:
		trace := fetchers.ContextTrace(resp.Request.Context())
		tell := trace.Warn
		if len(codings) == 1 && slices.Contains(suffixes[codings[0]], path.Ext(req.URL.Path)) {
			tell = trace.Note // servers send Content-Encoding for a.tar.gz, which must stay compressed
		}
		tell("the body is still in " + namesOf(codings) + ", which was not requested")
	}
	if refresh := resp.Header.Get("Refresh"); refresh != "" {
		fetchers.ContextTrace(resp.Request.Context()).Note("the page has a Refresh, which is not followed: " + Masked("Refresh", refresh))
	}
	if res.Range.Length > 0 && resp.ContentLength < 0 {
		body = &exactBody{body, res.Range.Length}
	}
	partOfUnknown := res.Range.Length > 0 && res.Size < 0 && req.Range.Open() // more bytes may follow this range
	if untilClose(resp) && res.Range.Length == 0 || partOfUnknown {
		res.Confirmed = func() bool { return false }
	}
	res.SetBody(body)
	return nil
}

// An exactBody is a body that must have the length of its Content-Range, for messages whose framing
// does not ensure that.
type exactBody struct {
	io.ReadCloser
	left int64
}

func (e *exactBody) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if int64(n) > e.left {
		return int(e.left), fmt.Errorf("%w: 206 with more than its Content-Range", fetchers.ErrProtocol)
	}
	if e.left -= int64(n); err == io.EOF && e.left > 0 {
		err = fmt.Errorf("%w: %d bytes of the range are missing", io.ErrUnexpectedEOF, e.left)
	}
	return n, err
}

// readRedirect interprets a 3xx response. A redirection without a valid Location sets Kind to Redirect
// and returns an error.
func readRedirect(req *fetchers.Request, resp *nethttp.Response, res *fetchers.Resource) error {
	switch resp.StatusCode {
	case 301, 302, 303, 307, 308:
		res.Kind = fetchers.Redirect
		locations := slices.Clone(resp.Header.Values("Location"))
		if len(slices.Compact(locations)) != 1 || locations[0] == "" {
			return fmt.Errorf("%w: %d %s without a single Location", fetchers.ErrProtocol, res.Reply.Code, res.Reply.Text)
		}
		to, err := idn.Resolve(req.URL, oneAuthority(strings.TrimSpace(locations[0])))
		if err != nil {
			return fmt.Errorf("%w: Location: %v", fetchers.ErrProtocol, err)
		}
		res.Location = to
		return nil
	case 304:
		if !req.Have.IsZero() && req.Range == (fetchers.Range{}) {
			res.Kind = fetchers.Unchanged
			return nil
		}
	}
	return fmt.Errorf("%w: %d %s", fetchers.ErrProtocol, res.Reply.Code, res.Reply.Text)
}

// oneAuthority replaces three slashes before the host of a Location by two, as browsers and curl
// do: some servers write http:///host.
func oneAuthority(location string) string {
	scheme, rest, found := strings.Cut(location, "///")
	web := scheme == "" || strings.EqualFold(scheme, "http:") || strings.EqualFold(scheme, "https:")
	if !found || !web || strings.HasPrefix(rest, "/") {
		return location
	}
	return scheme + "//" + rest
}

// checkPartial checks that a 206 has exactly the requested range, or as much of it as exists (RFC 9110,
// section 14.4).
func checkPartial(req *fetchers.Request, resp *nethttp.Response, res *fetchers.Resource) error {
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
	var none error // set if the requested range has no byte
	switch {
	case size >= 0:
		wanted, none = wanted.In(size)
	case wanted.Open():
		wanted.Length = 0
	}
	switch {
	case !ok:
		return wrong(fmt.Sprintf("with Content-Range %q", field))
	case resp.ContentLength >= 0 && resp.ContentLength != got.Length:
		return wrong(fmt.Sprintf("with %d bytes for Content-Range %q", resp.ContentLength, field))
	case none != nil, got.Offset != wanted.Offset, wanted.Length > 0 && got.Length != wanted.Length:
		return wrong(fmt.Sprintf("of another range: %q", field))
	}
	if isOther(req.Have, res.Validator) {
		return fmt.Errorf("%w: 206 of another version", fetchers.ErrChanged)
	}
	res.Range, res.Size = got, size
	return nil
}

// isOther reports whether two validators are certainly of different versions. Times count only if a
// tag is missing: replicas of a server agree on the tag of a document more often than on its time.
func isOther(have, got fetchers.Validator) bool {
	if have.ETag != "" && got.ETag != "" {
		return have.ETag != got.ETag
	}
	return !have.ModTime.IsZero() && !got.ModTime.IsZero() && have.ModTime.Unix() != got.ModTime.Unix()
}

// sizeOfRefused returns the size of the resource in a 416 (RFC 9110, section 15.5.17). It returns
// false if there is none, or if the requested range contains bytes of a resource of that size.
func sizeOfRefused(req *fetchers.Request, resp *nethttp.Response) (size int64, told bool) {
	unit, total, _ := strings.Cut(resp.Header.Get("Content-Range"), " ")
	digits, starred := strings.CutPrefix(total, "*/")
	size, err := number(digits)
	if !strings.EqualFold(unit, "bytes") || !starred || err != nil || req.Range == (fetchers.Range{}) {
		return 0, false
	}
	served, err := req.Range.In(size)
	return size, err != nil || served.Length == 0
}

// rangeError returns the error for a range that begins at or after the end of a resource of the given
// size. It is an ErrChanged too if the partial file is certainly of another version, for example
// because it is longer than the resource.
func rangeError(req *fetchers.Request, res *fetchers.Resource, size int64) error {
	err := error(&fetchers.RangeError{Offset: req.Range.Offset, Size: size, Err: res.Refusal})
	if isOther(req.Have, res.Validator) || !req.Have.IsZero() && req.Range.Offset > size {
		return fmt.Errorf("%w: of another version: %w", fetchers.ErrChanged, err)
	}
	return err
}

// contentRange parses "bytes first-last/size". The size may be "*", which is returned as -1.
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

// number parses a decimal number without sign or space.
func number(s string) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err
}

func reply(resp *nethttp.Response) fetchers.Reply {
	_, text, _ := strings.Cut(resp.Status, " ")
	return fetchers.Reply{Proto: resp.Proto, Code: resp.StatusCode, Text: text}
}

// refusal returns the error for a response with a status of 400 or above.
func refusal(resp *nethttp.Response) *fetchers.StatusError {
	e := &fetchers.StatusError{
		Reply: reply(resp), Class: classOf(resp.StatusCode), Wait: httpfield.RetryAfter(resp.Header), Header: textproto.MIMEHeader(resp.Header),
	}
	if resp.StatusCode == nethttp.StatusUnauthorized {
		e.Realm = realm(resp)
	}
	return e
}

// classOf returns the class of a refusal, or nil. A 511 comes from a captive portal, not from the
// server (RFC 6585, section 6). It must not be ErrLogin, because a Client would then send the
// password for the server.
func classOf(status int) error {
	switch status {
	case 401:
		return fetchers.ErrLogin
	case 402, 403, 451, 511:
		return fs.ErrPermission
	case 404, 410:
		return fs.ErrNotExist
	case 405, 501, 505:
		return errors.ErrUnsupported
	case 429, 503:
		return fetchers.Temporary(fetchers.ErrBusy)
	case 416:
		return fetchers.ErrRange
	}
	if mayPass(status) {
		return fetchers.ErrTemporary
	}
	return nil
}
