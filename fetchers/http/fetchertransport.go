package http

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	nethttp "net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
	"github.com/seed1ea3422f/fetch/url"
)

// A FetcherTransport makes a Fetcher a RoundTripper of net/http. For example, an http.Client
// fetches ftp URLs if its Transport has
//
//	transport.RegisterProtocol("ftp", &http.FetcherTransport{Fetcher: f})
//
// A request is GET or HEAD, without a body. Range, If-Range, If-None-Match and If-Modified-Since
// become the Range and Have of a Request. A single byte range is requested. Several ranges are
// ignored, as RFC 9110, section 14.2 allows, and so is a range beside If-None-Match or
// If-Modified-Since. All header fields, except those of a connection, are sent to http and https
// servers. Other protocols receive no field that may be a secret, such as Authorization and Cookie;
// the user and password of the URL are their login. If an http.Client was redirected to another
// origin, the Namer of the URL is ByServer: no client certificate is presented, a Keychain sees the
// Namer, and a local file is an ErrRedirect.
//
// The response of an http or https server is returned with its own status. For other protocols the
// response is
//
//	200     a Document, a Listing, or an Index with a Body
//	206     the range that was requested, with Content-Range
//	304     Unchanged, or not modified since the time of If-Modified-Since
//	307     a Redirect
//	403     fs.ErrPermission, ErrLogin
//	404     fs.ErrNotExist
//	412     modified since the time of If-Unmodified-Since, or any If-Match but "*"
//	416     ErrRange; with the size in Content-Range if the error is a RangeError
//	502     another refusal by the server (StatusError)
//	503     the same, if it is ErrTemporary; with Retry-After if the server said how long
//
// The body of an error response is the text of the error. Of the Header of the Resource, the
// response has the fields that describe the Body, such as Content-Encoding and Repr-Digest. A
// Session and an Index without a Body are ErrNotRetrievable. RoundTrip returns all other failures,
// such as that of a connection, as the error of the Fetcher; its class is for errors.Is. The caller
// closes the Body of the response. The context of the request governs it.
type FetcherTransport struct {
	// Fetcher fetches the URLs. If it is a *fetchers.Client, its Retry and Keychain are used, but
	// redirections are not followed.
	Fetcher fetchers.Fetcher

	// Syntax parses the URLs of requests. If nil, that of url.Parse is used, which does not know
	// the ports of schemes that other modules add.
	Syntax *url.Syntax
}

// RoundTrip fetches the URL of r, and closes the body of r.
func (t *FetcherTransport) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	req, err := t.request(r)
	if err != nil {
		return nil, err
	}
	res, err := fetchers.Fetch(r.Context(), t.Fetcher, req)
	if err == nil && !isWeb(req.URL) && res.Range != (fetchers.Range{}) && res.Size < 0 {
		// Without the size, no Content-Range can be written. Have was a condition of the range.
		res.Close()
		req.Range, req.Have = fetchers.Range{}, fetchers.Validator{}
		res, err = fetchers.Fetch(r.Context(), t.Fetcher, req)
	}
	if err != nil {
		return refused(r, req, err)
	}
	resp, err := respond(r, req, res)
	if err != nil || resp.Body == nethttp.NoBody {
		res.Close()
	}
	return resp, err
}

// CloseIdleConnections closes the idle connections of the Fetcher. An http.Client calls it if t is
// its Transport. An http.Transport that t is registered with does not call it.
func (t *FetcherTransport) CloseIdleConnections() {
	if f, ok := t.Fetcher.(fetchers.IdleCloser); ok {
		f.CloseIdle()
	}
}

func isWeb(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// request converts r to a Request.
func (t *FetcherTransport) request(r *nethttp.Request) (*fetchers.Request, error) {
	u, err := t.Syntax.FromNet(r.URL)
	if err != nil {
		return nil, &fetchers.Error{Op: "parse", Err: err}
	}
	method := cmp.Or(r.Method, "GET")
	switch {
	case method != "GET" && method != "HEAD":
		return nil, fetchers.NewError("fetch", u, fmt.Errorf("%w: by the method %.20q; only GET and HEAD fetch", fetchers.ErrNotRetrievable, method))
	case r.Body != nil && r.Body != nethttp.NoBody, r.ContentLength != 0:
		return nil, fetchers.NewError("fetch", u, fmt.Errorf("%w: the request has a body", fetchers.ErrNotRetrievable))
	}
	named := namerOf(r, u)
	if named != fetchers.ByUser && url.Local(u.Scheme) {
		return nil, fetchers.NewError("fetch", u, fmt.Errorf("%w: from another origin to a local file", fetchers.ErrRedirect))
	}
	req := &fetchers.Request{URL: u, Named: named, Describe: method == "HEAD", NoFail: true, NoFollow: true}
	header := endToEnd(r.Header)
	header.Del("Host") // net/http sets these from r itself
	header.Del("Content-Length")
	setConditions(req, header)
	req.Header = textproto.MIMEHeader(header)
	if !isWeb(u) {
		req.Header, req.ModTime = req.FromStranger().Header, true
	} else if r.Host != "" && r.Host != r.URL.Host {
		req.Header.Set("Host", r.Host)
	}
	return req, nil
}

// namerOf returns the Namer of u, the URL of r. It is ByServer if an http.Client was redirected to
// u from another origin than that of its first request.
func namerOf(r *nethttp.Request, u *url.URL) fetchers.Namer {
	first := r
	for first.Response != nil && first.Response.Request != nil {
		first = first.Response.Request
	}
	if first == r {
		return fetchers.ByUser
	}
	if origin, err := u.Syntax().FromNet(first.URL); err == nil && u.SameOrigin(origin) {
		return fetchers.ByUser
	}
	return fetchers.ByServer
}

// setConditions sets Range and Have from the conditional fields of a request (RFC 9110, section
// 13.2.2), and deletes from h the fields that a Fetcher writes itself.
func setConditions(req *fetchers.Request, h nethttp.Header) {
	asked, ifRange := h.Get("Range"), h.Get("If-Range")
	h.Del("Range")
	h.Del("If-Range")
	since, err := nethttp.ParseTime(h.Get("If-Modified-Since"))
	switch tags := httpfield.List(h.Values("If-None-Match")); {
	case len(tags) > 0:
		req.Have.ETag = tags[0] // h still has all of them
		return
	case err == nil:
		req.Have.ModTime = since
		return
	}
	part, ok := parseRange(asked)
	if !ok || req.Describe {
		return // RFC 9110, section 14.2: Range is for GET
	}
	date, err := nethttp.ParseTime(ifRange)
	switch {
	case ifRange == "":
	case strings.HasPrefix(ifRange, `"`):
		req.Have.ETag = ifRange
	case err == nil:
		req.Have.ModTime = date
	default:
		return // a weak tag, or none, matches nothing: RFC 9110, section 13.1.5
	}
	req.Range = part
}

// parseRange parses a Range field with a single range (RFC 9110, section 14.1.2).
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

// hops are the fields for a single connection (RFC 9110, section 7.6.1), or for a proxy.
var hops = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Proxy-Authorization", "Proxy-Authenticate", "Expect",
}

// endToEnd returns a copy of h without the fields for a single connection. The keys of the copy are
// canonical, even if a program has set others in h.
func endToEnd(h nethttp.Header) nethttp.Header {
	all := make(nethttp.Header, len(h))
	for name, values := range h {
		name = textproto.CanonicalMIMEHeaderKey(name)
		all[name] = append(all[name], values...)
	}
	for _, name := range slices.Concat(hops, httpfield.List(all.Values("Connection"))) {
		all.Del(name)
	}
	return all
}

// respond converts res to a response.
func respond(r *nethttp.Request, req *fetchers.Request, res *fetchers.Resource) (*nethttp.Response, error) {
	resp := newResponse(r, nethttp.StatusOK, endToEnd(nethttp.Header(res.Header)))
	resp.Body, resp.ContentLength = res.Body, max(res.Size-res.Range.Offset, -1)
	if res.Range.Length > 0 {
		resp.ContentLength = res.Range.Length
	}
	switch own := isWeb(req.URL) && res.Reply.Code != 0; {
	case own:
		resp.StatusCode, resp.Status = res.Reply.Code, strconv.Itoa(res.Reply.Code)+" "+res.Reply.Text
	case res.Kind == fetchers.Session, res.Kind == fetchers.Index && res.MediaType == "":
		return nil, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w: %s", fetchers.ErrNotRetrievable, res.Kind))
	default:
		resp.Header = descriptive(res.Header)
		describe(resp, req, res)
	}
	switch code := resp.StatusCode; {
	case code == nethttp.StatusNotModified, code == nethttp.StatusNoContent:
		resp.ContentLength = 0
		resp.Body = nethttp.NoBody
	case r.Method == "HEAD":
		resp.Body = nethttp.NoBody
	}
	if resp.ContentLength >= 0 && resp.StatusCode != nethttp.StatusNotModified && resp.StatusCode != nethttp.StatusNoContent {
		resp.Header.Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10))
	} else {
		resp.Header.Del("Content-Length")
	}
	return resp, nil
}

// descriptive returns the fields of h that describe a body. Messages of other protocols may contain
// any field, such as Set-Cookie in a news article, that an HTTP client must not obey.
func descriptive(h textproto.MIMEHeader) nethttp.Header {
	kept := make(nethttp.Header)
	for _, name := range []string{"Content-Digest", "Content-Disposition", "Content-Encoding", "Content-Language", "Repr-Digest"} {
		if values := h[name]; values != nil {
			kept[name] = slices.Clone(values)
		}
	}
	return kept
}

// describe sets the status and header of resp for a Resource of a protocol other than HTTP.
func describe(resp *nethttp.Response, req *fetchers.Request, res *fetchers.Resource) {
	set := func(name, value string) {
		if value != "" {
			resp.Header.Set(name, value)
		}
	}
	code, modified := nethttp.StatusOK, res.Validator.ModTime.Truncate(time.Second)
	if !modified.IsZero() {
		set("Last-Modified", modified.UTC().Format(nethttp.TimeFormat))
	}
	set("ETag", res.Validator.ETag)
	known := !modified.IsZero()
	before, err := nethttp.ParseTime(resp.Request.Header.Get("If-Unmodified-Since"))
	switch match := resp.Request.Header.Get("If-Match"); {
	case match != "" && match != "*", match == "" && err == nil && known && modified.After(before):
		code = nethttp.StatusPreconditionFailed
		resp.Body, resp.ContentLength = nethttp.NoBody, 0
	case res.Kind == fetchers.Unchanged, known && req.Range == (fetchers.Range{}) && !req.Have.ModTime.IsZero() && !modified.After(req.Have.ModTime):
		code = nethttp.StatusNotModified
	case res.Kind == fetchers.Redirect && res.Location != nil:
		code = nethttp.StatusTemporaryRedirect
		set("Location", locationFor(req.URL, res.Location))
		resp.Body, resp.ContentLength = nethttp.NoBody, 0
	case res.Range != (fetchers.Range{}):
		code = nethttp.StatusPartialContent
		set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", res.Range.Offset, res.Range.Offset+res.Range.Length-1, res.Size))
	}
	if code < 300 {
		set("Content-Type", res.MediaType)
	}
	resp.StatusCode, resp.Status = code, statusLine(code)
}

// locationFor returns to as the Location of a response for from. It contains no user; a relative
// Location keeps that of from.
func locationFor(from, to *url.URL) string {
	if from.SameOrigin(to) && strings.HasPrefix(to.Path, "/") && !strings.HasPrefix(to.Path, "//") {
		return to.Path + to.Query
	}
	open := *to
	open.User = nil
	return open.String()
}

// refused converts err to a response if a server has refused, and otherwise returns err.
func refused(r *nethttp.Request, req *fetchers.Request, err error) (*nethttp.Response, error) {
	code := answerStatus(err)
	if code == 0 {
		return nil, err
	}
	resp := newResponse(r, code, nethttp.Header{"Content-Type": {"text/plain; charset=utf-8"}})
	var (
		end    *fetchers.RangeError
		status *fetchers.StatusError
	)
	if errors.As(err, &end) {
		resp.Header.Set("Content-Range", fmt.Sprintf("bytes */%d", end.Size))
	}
	if errors.As(err, &status) && status.Wait > 0 {
		resp.Header.Set("Retry-After", strconv.FormatInt(int64((status.Wait+time.Second-1)/time.Second), 10))
	}
	text := err.Error() + "\n"
	resp.ContentLength = int64(len(text))
	resp.Header.Set("Content-Length", strconv.Itoa(len(text)))
	if !req.Describe {
		resp.Body = io.NopCloser(strings.NewReader(text))
	}
	return resp, nil
}

// answerStatus returns the status that corresponds to err, or 0 if err is no refusal.
func answerStatus(err error) int {
	var status *fetchers.StatusError
	answered := errors.As(err, &status)
	switch {
	case errors.Is(err, fetchers.ErrProxy), errors.Is(err, fetchers.ErrChanged), operation(err) == "connect":
		return 0
	case errors.Is(err, fetchers.ErrRange):
		return nethttp.StatusRequestedRangeNotSatisfiable
	case errors.Is(err, fs.ErrNotExist):
		return nethttp.StatusNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fetchers.ErrLogin):
		return nethttp.StatusForbidden
	case answered && errors.Is(err, fetchers.ErrTemporary):
		return nethttp.StatusServiceUnavailable
	case answered:
		return nethttp.StatusBadGateway
	}
	return 0
}

// newResponse returns a response to r without a body.
func newResponse(r *nethttp.Request, code int, h nethttp.Header) *nethttp.Response {
	return &nethttp.Response{
		StatusCode: code, Status: statusLine(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: nethttp.NoBody, Request: r,
	}
}

func statusLine(code int) string { return strconv.Itoa(code) + " " + nethttp.StatusText(code) }
