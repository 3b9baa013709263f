package s3

import (
	"context"
	"errors"
	"fmt"
	"maps"
	nethttp "net/http"
	"net/textproto"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An exchange is a Request with its HTTP requests.
type exchange struct {
	fetcher *Fetcher
	req     *fetchers.Request
	bucket  string
	account Account
	moved   bool // the region was corrected once
	reset   bool // the clock was corrected once
}

// A question is one HTTP request.
type question struct {
	key      string
	query    string // escaped and sorted
	describe bool   // HEAD
	part     fetchers.Range
	have     fetchers.Validator
}

// do sends the request, and repeats it if the server names another region or time. A refusal is
// returned as an error, or with Request.NoFail as the Resource. Errors of the Body name the s3 URL.
func (x *exchange) do(ctx context.Context, ask question) (*fetchers.Resource, error) {
	for {
		at, err := x.place()
		if err != nil {
			return nil, fetchers.NewError("fetch", x.req.URL, err)
		}
		res, refused, err := x.send(ctx, ask, at)
		if err != nil || refused == nil {
			return res, err
		}
		if x.again(ctx, at, refused) {
			res.Close()
			continue
		}
		return x.refusal(ask, res, refused)
	}
}

// send sends one request. A refusal is returned with its answer, which is open.
func (x *exchange) send(ctx context.Context, ask question, at place) (*fetchers.Resource, *refused, error) {
	req, err := x.request(ask, at)
	if err != nil {
		return nil, nil, fetchers.NewError("fetch", x.req.URL, err)
	}
	res, err := fetchers.Fetch(ctx, x.fetcher.HTTP, req)
	if err != nil {
		return nil, nil, about(x.req.URL, err)
	}
	res.URL = x.req.URL
	switch {
	case res.Upgrade:
		res.Close()
		return nil, nil, fetchers.NewError("fetch", x.req.URL, fmt.Errorf("%w: the endpoint requires https, and its URL is http", fetchers.ErrRedirect))
	case res.Refusal == nil && res.Kind != fetchers.Redirect:
		return res, nil, nil
	}
	r, err := readRefusal(res)
	if err == nil && ask.describe && (res.Reply.Code == 400 || res.Reply.Code == 403) {
		r = x.reason(ctx, ask, at, r)
	}
	if err != nil {
		res.Close()
		return nil, nil, about(x.req.URL, err)
	}
	return res, r, nil
}

// reason returns the explanation of a refused HEAD, whose answer has no content. It requests the
// first byte; if that succeeds, it returns found.
func (x *exchange) reason(ctx context.Context, ask question, at place, found *refused) *refused {
	ask.describe, ask.part = false, fetchers.Range{Length: 1}
	res, r, err := x.send(ctx, ask, at)
	if err != nil {
		return found
	}
	defer res.Close()
	if r == nil || r.Code != found.Code {
		return found
	}
	return r
}

// request returns the HTTP request.
func (x *exchange) request(ask question, at place) (*fetchers.Request, error) {
	u, err := x.locate(at.region, ask.key, ask.query)
	if err != nil {
		return nil, err
	}
	r := *x.req
	r.URL, r.Login, r.Describe, r.List = u, nil, ask.describe, false
	r.Range, r.Have = ask.part, ask.have
	r.NoFail, r.NoFollow = true, true // the XML of a refusal has more information than its status
	r.Header = maps.Clone(r.Header)
	if r.Header == nil {
		r.Header = make(textproto.MIMEHeader)
	}
	delete(r.Header, "Host")
	r.Header["Cookie"] = []string{""} // no cookies, even if the user has some for that host
	if x.account.Credentials == (Credentials{}) {
		return &r, nil
	}
	x.sign(&r, at)
	return &r, nil
}

// sign adds the signature to a request.
func (x *exchange) sign(r *fetchers.Request, at place) {
	s := signer{Credentials: x.account.Credentials, region: at.region, service: "s3", at: time.Now().Add(at.skew)}
	r.Header.Set("X-Amz-Date", s.date())
	r.Header.Set("X-Amz-Content-Sha256", noContent)
	if x.account.SessionToken != "" {
		r.Header.Set("X-Amz-Security-Token", x.account.SessionToken)
	}
	fields := map[string]string{"host": hostOf(r.URL)}
	for name, values := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") {
			fields[name] = strings.Join(values, ",")
		}
	}
	method := "GET"
	if r.Describe {
		method = "HEAD"
	}
	r.Header.Set("Authorization", s.authorization(method, r.URL.Path, strings.TrimPrefix(r.URL.Query, "?"), fields))
}

// hostOf returns the Host field of a request for u.
func hostOf(u *url.URL) string {
	if u.Port != 0 {
		return u.Addr()
	}
	if strings.Contains(u.Host, ":") {
		return "[" + u.Host + "]"
	}
	return u.Host
}

// again applies a correction of the region or of the clock from a refusal, each once, and reports
// whether to repeat the request.
func (x *exchange) again(ctx context.Context, at place, r *refused) bool {
	trace := fetchers.ContextTrace(ctx)
	switch {
	case r.movedTo() != "" && r.movedTo() != at.region && !x.moved:
		x.moved, at.region = true, r.movedTo()
		trace.Note("the bucket is in the region " + at.region)
	case r.code == "RequestTimeTooSkewed" && !x.reset:
		date, err := nethttp.ParseTime(r.Header.Get("Date"))
		if err != nil {
			return false
		}
		x.reset, at.skew = true, time.Until(date)
		trace.Note("the clock of the server is ahead by " + at.skew.Round(time.Second).String())
	default:
		return false
	}
	x.fetcher.known.set(x.bucket, at)
	return true
}

// about returns err as an error about u instead of the HTTP URL.
func about(u *url.URL, err error) error {
	op := "fetch"
	if e := new(fetchers.Error); errors.As(err, &e) {
		op, err = e.Op, e.Err
	}
	return fetchers.NewError(op, u, err)
}
