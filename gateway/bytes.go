package gateway

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// strangerPolicy is the policy of documents. Each is in an opaque origin: it cannot act on other
// documents, and sends no requests. It has the styles and pictures within itself only.
const strangerPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// bytes answers with the Body of res. It is cut short if the Body is.
func (x *exchange) bytes(res *fetchers.Resource) {
	first, err := beginning(res.Body)
	if err != nil && err != io.EOF {
		x.fail(err)
		return
	}
	h := x.w.Header()
	if x.r.Method == http.MethodHead {
		first = nil
	}
	x.bytesHeader(mediaType(res, first), fileName(res.Name, res.URL))
	setValidator(h, res.Validator)
	if x.proxied {
		setPolicies(h, res)
	}
	status := http.StatusOK
	length := res.Size
	if res.Range.Length > 0 {
		status, length = http.StatusPartialContent, res.Range.Length
		total := "*"
		if res.Size >= 0 {
			total = strconv.FormatInt(res.Size, 10)
		}
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%s", res.Range.Offset, res.Range.Offset+length-1, total))
	}
	if res.Kind != fetchers.Document {
		length = -1
	}
	if length >= 0 {
		h.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	direct := x.direct(res, length)
	x.w.WriteHeader(status)
	if x.r.Method == http.MethodHead {
		return
	}
	x.send(first, res.Body, length, direct)
}

// bytesHeader sets the header of a document, without a media type if that is "".
func (x *exchange) bytesHeader(mediaType, name string) {
	h := x.w.Header()
	if mediaType != "" {
		h.Set("Content-Type", mediaType)
	}
	if !x.proxied {
		h.Set("Content-Security-Policy", strangerPolicy)
	}
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept")
	if name != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": name}))
	}
}

// send sends a document whose beginning was read, and whose Content-Length is length; less than 0
// is none. If the document is cut short, so is the answer. The system moves its bytes to direct, if that is
// not nil.
func (x *exchange) send(first []byte, rest io.Reader, length int64, direct *net.TCPConn) {
	out := x.stream()
	defer out.Close()
	out.to.direct = direct
	whole := &withholder{to: out, left: length}
	_, err := whole.Write(first)
	if err == nil {
		_, err = io.Copy(whole, rest)
	}
	if err == nil {
		err = whole.release()
	}
	if failed := out.Close(); err == nil {
		err = failed
	}
	if err != nil {
		out.control.Flush() // the client gets the bytes so far
		x.cut(out.control)  // and sees that the document is cut
	}
	if direct != nil {
		drain(direct)
	}
}

// maxBeginning is the number of bytes by which the kind of a document is recognised.
const maxBeginning = 512

// beginning returns the first bytes of a body. It does not wait until there are maxBeginning. The
// result is not nil, also for an empty body.
func beginning(body io.Reader) ([]byte, error) {
	p := make([]byte, maxBeginning)
	for range 100 {
		n, err := body.Read(p)
		if n > 0 {
			return p[:n], nil
		}
		if err != nil {
			return p[:0], err
		}
	}
	return p[:0], io.ErrNoProgress
}

// mediaType returns the media type of a document, with its character set. An unknown type is
// guessed from the first bytes, and is never one that a browser runs. The result is "" if the guess
// needs first bytes and first is nil.
func mediaType(res *fetchers.Resource, first []byte) string {
	if res.Kind != fetchers.Document && res.MediaType == "" {
		return "text/plain"
	}
	declared, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err == nil && (res.MediaType == "" || strings.EqualFold(declared, res.MediaType)) {
		if text := mime.FormatMediaType(declared, charsetOnly(params)); text != "" && strings.Contains(declared, "/") {
			return withCharset(text, first)
		}
	}
	if declared, _, err = mime.ParseMediaType(res.MediaType); err == nil && strings.Contains(declared, "/") {
		return withCharset(declared, first)
	}
	if strings.HasPrefix(http.DetectContentType(first), "text/") {
		return withCharset("text/plain", first)
	}
	return "application/octet-stream"
}

func charsetOnly(params map[string]string) map[string]string {
	if charset := params["charset"]; charset != "" {
		return map[string]string{"charset": charset}
	}
	return nil
}

// withCharset adds the character set of a plain text that has none and is UTF-8.
func withCharset(mediaType string, first []byte) string {
	if mediaType == "text/plain" && first == nil {
		return ""
	}
	for range utf8.UTFMax - 1 { // the beginning may end within a character
		if utf8.Valid(first) || len(first) == 0 {
			break
		}
		first = first[:len(first)-1]
	}
	if mediaType == "text/plain" && utf8.Valid(first) {
		return mediaType + "; charset=utf-8"
	}
	return mediaType
}

// fileName returns the name under which a client may store a document: no path, and on one line.
func fileName(suggested string, u *url.URL) string {
	name := suggested
	if name == "" && u != nil {
		name = u.Base()
	}
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || url.Deceptive(0, r) {
			return '_'
		}
		return r
	}, name)
	return shortened(strings.TrimLeft(name, "."), 200)
}

// setConditions sets Range and Have by the fields of a request (RFC 9110, section 13.2.2).
func setConditions(req *fetchers.Request, h http.Header) {
	since, err := http.ParseTime(h.Get("If-Modified-Since"))
	switch tag, _, _ := strings.Cut(h.Get("If-None-Match"), ","); {
	case tag != "" && tag != "*":
		req.Have.ETag = strings.TrimSpace(tag)
		return
	case err == nil:
		req.Have.ModTime = since
		return
	}
	part, ok := parseRange(h.Get("Range"))
	if !ok || req.Describe {
		return // RFC 9110, section 14.2: Range is for GET
	}
	ifRange := h.Get("If-Range")
	date, err := http.ParseTime(ifRange)
	switch {
	case ifRange == "":
	case strings.HasPrefix(ifRange, `"`):
		req.Have.ETag = ifRange
	case err == nil:
		req.Have.ModTime = date
	default:
		return // a weak tag matches nothing: RFC 9110, section 13.1.5
	}
	req.Range = part
}

// parseRange reads the one range of a field Range (RFC 9110, section 14.1.2).
func parseRange(field string) (r fetchers.Range, ok bool) {
	unit, set, _ := strings.Cut(field, "=")
	first, last, ok := strings.Cut(strings.TrimSpace(set), "-")
	if !ok || !strings.EqualFold(unit, "bytes") {
		return r, false
	}
	a, errA := number(first)
	b, errB := number(last)
	switch {
	case first == "" && errB == nil && b > 0:
		return fetchers.Range{Offset: -b}, true
	case errA == nil && last == "":
		return fetchers.Range{Offset: a, Length: fetchers.ToEnd}, true
	case errA == nil && errB == nil && a <= b && b-a < fetchers.ToEnd:
		return fetchers.Range{Offset: a, Length: b - a + 1}, true
	}
	return r, false
}

// number reads digits and nothing else.
func number(text string) (int64, error) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, errors.New("not a number")
	}
	return strconv.ParseInt(text, 10, 64)
}
