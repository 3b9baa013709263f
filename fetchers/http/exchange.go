package http

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	nethttp "net/http"
	"net/http/httptrace"
	"net/textproto"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// maxInterim is how many 1xx responses may precede the final response. Servers send one or two.
const maxInterim = 16

// An exchange is a request and its response, with the route to the server and the login. The
// request is sent again to answer a challenge, or over another connection if a kept one has ended.
type exchange struct {
	request      *nethttp.Request // the request without a login
	with         server
	hop          *hop           // the proxy; nil without one
	login        *login         // for the server; nil without one
	named        fetchers.Namer // the Namer of the URL
	multiplex    bool           // Request.Multiplex
	trace        fetchers.Tracer
	target       string // the request target in the request line
	ignoreLength bool   // Fetcher.IgnoreLength
	http10       bool   // Fetcher.HTTP10

	sent    *nethttp.Request // the request that was sent last
	interim atomic.Int32     // number of 1xx responses to sent
	streams int              // Resource.Streams
	conn    *transport.Conn  // the connection of the response
	slot    func()           // releases a fallback slot; nil without one
}

// context returns the context of x, which also governs the body of the response.
func (x *exchange) context() context.Context { return x.request.Context() }

// do sends the request of x, and again if the server or proxy demands a login. The response may be
// a refusal.
func (f *Fetcher) do(x *exchange) (*nethttp.Response, error) {
	for {
		resp, err := f.send(x)
		switch {
		case errors.Is(err, errChallenged):
		case err != nil:
			return nil, err
		case x.login.takeChallenge(resp) || x.hop.takeChallenge(resp):
			discard(resp.Body)
		default:
			return resp, nil
		}
	}
}

// send sends the request of x once, with the logins and cookies known at this time.
func (f *Fetcher) send(x *exchange) (*nethttp.Response, error) {
	x.sign(f)
	if err := sendable(x.sent, x.target); err != nil {
		return nil, err
	}
	resp, err := f.roundTrip(x)
	ended := x.context().Err()
	if err == nil {
		if err = cmp.Or(f.checkVersion(x, resp), checkLength(resp), ended); err != nil {
			resp.Body.Close()
		}
	}
	if err != nil {
		return nil, failure(x.context(), cmp.Or(ended, f.causeOf(err)))
	}
	if f.Jar != nil && x.named != fetchers.ByStranger { // a stranger's URL must not change the user's cookies
		f.Jar.learn(resp, f.protects(resp.Request, x.hop))
	}
	f.HSTS.learn(resp)
	if resp.Body != nethttp.NoBody {
		resp.Body = &message{ReadCloser: resp.Body, resp: resp, most: f.MaxDecoded, cause: f.causeOf}
	}
	traceResponse(resp)
	return resp, nil
}

// sign makes the next request to send from request, the logins and the cookies.
func (x *exchange) sign(f *Fetcher) {
	x.sent, x.slot, x.with.as = x.request, nil, x.accounts()
	x.interim.Store(0)
	added := make(nethttp.Header)
	x.login.sign(added, x.sent.Method, x.sent.URL.RequestURI())
	x.hop.sign(added, x.sent, x.target)
	if f.Jar != nil && x.named != fetchers.ByStranger {
		f.Jar.present(added, x.sent, f.protects(x.sent, x.hop))
	}
	if len(added) > 0 {
		x.sent = x.sent.WithContext(x.context())
		x.sent.Header = x.sent.Header.Clone()
		maps.Copy(x.sent.Header, added)
	}
}

// checkVersion returns an error if the version of a response differs from that of its connection,
// because the version decides where the message ends.
func (f *Fetcher) checkVersion(x *exchange, resp *nethttp.Response) error {
	if f.RoundTripper != nil {
		return nil // its connections are unknown here
	}
	spoken := 1
	if resp.TLS != nil && resp.TLS.NegotiatedProtocol == http2 || resp.TLS == nil && !f.oneAtATime(x) {
		spoken = 2
	}
	if resp.ProtoMajor != spoken {
		return fmt.Errorf("%w: %s, on a connection of HTTP/%d", fetchers.ErrProtocol, resp.Proto, spoken)
	}
	return nil
}

// checkLength returns an error if an HTTP/2 response has two Content-Length values that differ;
// net/http ignores both. RFC 9110, section 8.6 allows repetition only of the same value.
func checkLength(resp *nethttp.Response) error {
	lengths := resp.Header["Content-Length"]
	if resp.ProtoMajor == 1 {
		return nil // checked when the head was parsed
	}
	for _, length := range lengths {
		if length != lengths[0] {
			return fmt.Errorf("%w: conflicting lengths %.30q and %.30q", fetchers.ErrProtocol, lengths[0], length)
		}
	}
	return nil
}

// over returns the request for net/http to send: with ctx, with hooks that report to x and call
// sent once the header was written, and with a body that starts at its beginning even if it was
// read before.
func (x *exchange) over(ctx context.Context, sent func()) (*nethttp.Request, error) {
	r := x.sent.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaderField:     x.wroteField,
		WroteHeaders:         sent,
		GotFirstResponseByte: x.trace.GotFirstResponseByte,
		Got1xxResponse:       x.gotInterim,
	}))
	if r.GetBody == nil {
		return r, nil
	}
	var err error
	r.Body, err = r.GetBody()
	return r, err
}

// version returns the HTTP/1 version of the request.
func (x *exchange) version() string {
	if x.http10 {
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

// begin reports the request line to the Trace.
func (x *exchange) begin(version string) {
	if x.trace.Lines() {
		x.trace.Sent(x.sent.Method + " " + x.shown() + " " + version)
	}
}

// wroteField reports a header field to the Trace. HTTP/2 pseudo-header fields are left out: begin
// has reported them as the request line.
func (x *exchange) wroteField(key string, values []string) {
	if strings.HasPrefix(key, ":") || !x.trace.Lines() {
		return
	}
	for _, v := range values {
		x.trace.Sent(key + ": " + MaskedSent(key, v))
	}
}

func (x *exchange) gotInterim(code int, _ textproto.MIMEHeader) error {
	x.trace.Note("interim response: " + strconv.Itoa(code) + " " + nethttp.StatusText(code))
	if x.interim.Add(1) > maxInterim {
		return fmt.Errorf("%w: more than %d interim responses", fetchers.ErrProtocol, maxInterim)
	}
	return nil
}
