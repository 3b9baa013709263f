package http

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	nethttp "net/http"
	"net/textproto"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/tunnel"
	"github.com/seed1ea3422f/fetch/url"
)

// exchange makes the exchange for req.
func (f *Fetcher) exchange(ctx context.Context, method string, req *fetchers.Request, what url.HTTP) (*exchange, error) {
	to, err := target(req.URL, what)
	if err != nil {
		return nil, err
	}
	codings := "identity"
	if mayCompress(req) {
		codings = acceptEncoding
	}
	r, err := nethttp.NewRequestWithContext(ctx, method, "", nil)
	if err != nil {
		return nil, err
	}
	r.URL, r.Host = to, to.Host
	h, values := r.Header, []string{cmp.Or(f.UserAgent, "fetch"), "*/*", codings} // one array for three fields
	h["User-Agent"], h["Accept"], h["Accept-Encoding"] = values[0:1:1], values[1:2:2], values[2:3:3]
	switch {
	case req.Range.Length < 0:
		return nil, fmt.Errorf("%w: negative length", fetchers.ErrRange)
	case req.Range != (fetchers.Range{}):
		setCondition(h, req.Have, "If-Range", "If-Range")
		if req.Have.IsZero() || h.Get("If-Range") != "" { // else the response could be a range of another version
			h.Set("Range", rangeField(req.Range))
		}
	default:
		setCondition(h, req.Have, "If-None-Match", "If-Modified-Since")
	}
	if f.IgnoreLength && f.RoundTripper == nil {
		h.Set("Connection", "close") // else the end of a body may come late
	}
	if err := setFields(r, nethttp.Header(req.Header)); err != nil {
		return nil, err
	}
	r.Host = zoneless(r.Host)
	hop, err := f.route(r, req)
	if err != nil {
		return nil, err
	}
	line := hop.target(r)
	if f.RequestTarget != "" && (req.URL.Scheme == "http" || req.URL.Scheme == "https") {
		line, r.URL.Opaque = f.RequestTarget, f.RequestTarget
		if hop != nil {
			hop.shown = url.Redact(f.RequestTarget)
		}
	}
	trace := fetchers.ContextTrace(ctx)
	return &exchange{
		request: r, with: serverOf(r, hop, req.Named), hop: hop, login: f.login(req, trace), target: line,
		named: req.Named, multiplex: req.Multiplex, trace: trace, ignoreLength: f.IgnoreLength && f.RoundTripper == nil, http10: f.HTTP10 && f.RoundTripper == nil,
	}, nil
}

// Blank is the value of a field in Request.Header that is sent without a value. A field with an
// empty value is not sent, even if the Fetcher would set it. User-Agent is never sent empty.
const Blank = " "

// setFields sets the caller's fields. An empty field removes one that the Fetcher has set. An empty
// User-Agent is kept, since net/http sends its own if the field is absent. Several Host fields are
// an error.
func setFields(r *nethttp.Request, fields nethttp.Header) error {
	for key, values := range fields {
		key = textproto.CanonicalMIMEHeaderKey(key)
		empty := strings.Join(values, "") == ""
		switch {
		case key == "Host" && len(values) > 1:
			return fmt.Errorf("%w: %w", errUnsendable, errHosts)
		case key == "Host":
			r.Host = cmp.Or(strings.Join(values, ""), r.Host)
		case empty && key == "Cookie":
			r.Header[key] = nil // send no cookies, not even of the Jar
		case empty && key != "User-Agent":
			r.Header.Del(key)
		case slices.Contains(values, Blank):
			r.Header[key] = slices.Clone(values)
			for i, v := range values {
				r.Header[key][i] = strings.TrimPrefix(v, Blank)
			}
		default:
			r.Header[key] = values
		}
	}
	return nil
}

// target converts a URL to net/url. Path and query are sent as they are written; the user is not
// sent.
func target(u *url.URL, what url.HTTP) (*neturl.URL, error) {
	path, query, ask := strings.Cut(what.Target, "?")
	decoded, err := neturl.PathUnescape(path)
	if err != nil {
		return nil, err
	}
	host := what.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if what.Port != 0 {
		var room [5]byte
		host += ":" + string(strconv.AppendUint(room[:0], uint64(what.Port), 10))
	}
	return &neturl.URL{
		Scheme:     u.Scheme,
		Host:       host,
		Path:       decoded,
		RawPath:    path,
		RawQuery:   query,
		ForceQuery: ask && query == "",
	}, nil
}

// errUnsendable means that a request was not sent because servers could misinterpret it.
var errUnsendable = tunnel.ErrUnsendable

// errHosts means that different servers could use different hosts.
var errHosts = errors.New("several header fields Host, where a request has one")

// sendable returns an error if target, Host or a field of a request contains a byte that would end
// a line or is not allowed there.
func sendable(r *nethttp.Request, target string) error {
	switch {
	case strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == 0x7f }):
		return fmt.Errorf("%w: its target has a byte that is not allowed", errUnsendable)
	case !httpguts.ValidHostHeader(r.Host):
		return fmt.Errorf("%w: its Host has a byte that is not allowed", errUnsendable)
	}
	if err := CheckFields(r.Header); err != nil {
		return fmt.Errorf("%w: %w", errUnsendable, err)
	}
	return nil
}

// CheckFields returns an error if one of the header fields is not allowed in a request (RFC 9110,
// section 5). The error does not contain the value, which may be a secret.
func CheckFields(fields map[string][]string) error {
	for name, values := range fields {
		if name == "Host" && len(values) > 1 {
			return errHosts
		}
		if framing[name] && strings.Join(values, "") != "" {
			return fmt.Errorf("%s defines the end of a request and cannot be set", name)
		}
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("%q is no name of a header field", name)
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) || name == "Host" && !httpguts.ValidHostHeader(v) {
				return fmt.Errorf("the header field %s has a byte that is not allowed", name)
			}
		}
	}
	return nil
}

// framing are the fields that define where a message ends (RFC 9112, section 6).
var framing = map[string]bool{"Content-Length": true, "Transfer-Encoding": true, "Trailer": true}

// write writes the request in the format of HTTP/1 (RFC 9112, sections 3, 5 and 6), and reports
// each field to the Trace. The body is read from GetBody, so that it is the same for each attempt.
func (x *exchange) write(w *bufio.Writer) error {
	r := x.sent
	write := func(name string, values ...string) {
		x.wroteField(name, values)
		for _, v := range values {
			w.WriteString(name)
			w.WriteByte(':')
			if v != "" {
				w.WriteByte(' ')
				w.WriteString(v)
			}
			w.WriteString("\r\n")
		}
	}
	w.WriteString(r.Method)
	w.WriteByte(' ')
	w.WriteString(x.target)
	w.WriteString(" " + x.version() + "\r\n")
	write("Host", r.Host)
	if agent := r.Header.Get("User-Agent"); agent != "" {
		write("User-Agent", agent)
	}
	if r.ContentLength > 0 {
		write("Content-Length", strconv.FormatInt(r.ContentLength, 10))
	}
	var room [16]string // usually enough, which avoids an allocation
	names := slices.AppendSeq(room[:0], maps.Keys(r.Header))
	slices.Sort(names)
	for _, name := range names {
		if name != "Host" && name != "User-Agent" {
			write(name, r.Header[name]...)
		}
	}
	w.WriteString("\r\n")
	if r.ContentLength > 0 {
		content, err := r.GetBody()
		if err != nil {
			return err
		}
		if _, err := io.CopyN(w, content, r.ContentLength); err != nil {
			return err
		}
	}
	return w.Flush()
}

// zoneless returns host without the zone of an IPv6 address, which has no meaning for the server
// (RFC 6874, section 4).
func zoneless(host string) string {
	if address, rest, zoned := strings.Cut(host, "%"); zoned {
		_, port, _ := strings.Cut(rest, "]")
		return address + "]" + port
	}
	return host
}

// rangeField formats a Range field (RFC 9110, section 14.1.2).
func rangeField(r fetchers.Range) string {
	if r.Offset < 0 {
		return fmt.Sprintf("bytes=%d", r.Offset)
	}
	if !r.Open() {
		return fmt.Sprintf("bytes=%d-%d", r.Offset, r.Offset+r.Length-1)
	}
	return fmt.Sprintf("bytes=%d-", r.Offset)
}

// setCondition makes the request conditional on have, by its entity tag if it has one. A weak tag
// cannot validate a range (RFC 9110, section 13.1.5).
func setCondition(h nethttp.Header, have fetchers.Validator, byTag, byTime string) {
	switch {
	case have.ETag != "" && !(byTag == "If-Range" && strings.HasPrefix(have.ETag, "W/")):
		h.Set(byTag, have.ETag)
	case !have.ModTime.IsZero():
		h.Set(byTime, have.ModTime.UTC().Format(nethttp.TimeFormat))
	}
}
