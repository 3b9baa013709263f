package http

import (
	"cmp"
	"context"
	"fmt"
	nethttp "net/http"
	"net/textproto"
	neturl "net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// request makes the request that net/http sends. It carries its login with it.
func (f *Fetcher) request(ctx context.Context, method string, req *fetchers.Request, what url.HTTP) (*nethttp.Request, error) {
	ctx = withLogin(ctx, f.login(req, fetchers.ContextTrace(ctx)))
	r, err := nethttp.NewRequestWithContext(ctx, method, "", nil)
	if err != nil {
		return nil, err
	}
	if r.URL, err = target(req.URL, what); err != nil {
		return nil, err
	}
	r.Host = r.URL.Host

	h := r.Header
	h.Set("User-Agent", "fetch")
	if f.UserAgent != "" {
		h.Set("User-Agent", f.UserAgent)
	}
	h.Set("Accept", "*/*")
	h.Set("Accept-Encoding", "identity")
	if mayCompress(req) {
		h.Set("Accept-Encoding", acceptEncoding)
	}
	switch {
	case req.Range.Length < 0:
		return nil, fmt.Errorf("%w: of a length less than 0", fetchers.ErrRange)
	case req.Range != (fetchers.Range{}):
		setCondition(h, req.Have, "If-Range", "If-Range")
		if req.Have.IsZero() || h.Get("If-Range") != "" { // else nothing would keep a part of something else away
			h.Set("Range", rangeField(req.Range))
		}
	default:
		setCondition(h, req.Have, "If-None-Match", "If-Modified-Since")
	}
	setFields(r, nethttp.Header(req.Header))
	return f.route(r, req)
}

// setFields sets the caller's own fields. An empty one leaves out what would be
// sent otherwise; net/http does so by itself for User-Agent, which it would send
// if it were not there at all.
func setFields(r *nethttp.Request, fields nethttp.Header) {
	for key, values := range fields {
		key = textproto.CanonicalMIMEHeaderKey(key)
		empty := strings.Join(values, "") == ""
		switch {
		case key == "Host":
			r.Host = cmp.Or(strings.Join(values, ""), r.Host)
		case empty && key == "Cookie":
			r.Header[key] = nil // none, whatever is in the Jar
		case empty && key != "User-Agent":
			r.Header.Del(key)
		default:
			r.Header[key] = values
		}
	}
}

// target puts a URL into the form of net/url in such a way that path and query
// are sent as they were written, and the user is not sent at all.
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
		host += ":" + strconv.Itoa(int(what.Port))
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

// rangeField writes a Range field (RFC 9110, section 14.1.2).
func rangeField(r fetchers.Range) string {
	if r.Offset < 0 {
		return fmt.Sprintf("bytes=%d", r.Offset)
	}
	if last := r.Offset + r.Length - 1; r.Length > 0 && last >= 0 { // else it is beyond any end
		return fmt.Sprintf("bytes=%d-%d", r.Offset, last)
	}
	return fmt.Sprintf("bytes=%d-", r.Offset)
}

// setCondition makes the request depend on the caller's copy, by its entity tag
// if it has one. A weak tag cannot vouch for a part (RFC 9110, section 13.1.5).
func setCondition(h nethttp.Header, have fetchers.Validator, byTag, byTime string) {
	switch {
	case have.ETag != "" && !(byTag == "If-Range" && strings.HasPrefix(have.ETag, "W/")):
		h.Set(byTag, have.ETag)
	case !have.ModTime.IsZero():
		h.Set(byTime, have.ModTime.UTC().Format(nethttp.TimeFormat))
	}
}

// retryAfter reads a Retry-After field, seconds or a date (RFC 9110, section
// 10.2.3). A wait too long for a Duration is cut to the longest there is.
func retryAfter(h nethttp.Header) time.Duration {
	s := strings.TrimSpace(h.Get("Retry-After"))
	if s == "" {
		return 0
	}
	if strings.Trim(s, "0123456789") == "" {
		d, err := time.ParseDuration(s + "s")
		if err != nil {
			return 1<<63 - 1
		}
		return d
	}
	if t, err := nethttp.ParseTime(s); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}
