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

// maxInterim is how many responses of 1xx may come before the answer. One or two
// are usual.
const maxInterim = 16

// An exchange is a request and its answer, with the way that leads to the server and the
// login for it. The request is sent again for a login that is asked for, and over another
// connection if a kept one has ended.
type exchange struct {
	request      *nethttp.Request // as it is sent without a login
	with         server
	hop          *hop           // the proxy; nil without one
	login        *login         // for the server; nil without one
	named        fetchers.Namer // who named the URL
	multiplex    bool           // Request.Multiplex
	trace        fetchers.Tracer
	target       string // as it stands in the first line
	ignoreLength bool   // Fetcher.IgnoreLength
	http10       bool   // Fetcher.HTTP10

	sent    *nethttp.Request // as it was sent last
	interim atomic.Int32     // responses of 1xx to sent
	streams int              // Resource.Streams
	conn    *transport.Conn  // that the answer came by
	slot    func()           // gives back a slot of a fallback; nil without one
}

// context returns the context of x, which governs the body of the answer too.
func (x *exchange) context() context.Context { return x.request.Context() }

// do sends the request of x, and again with the login that the server or the proxy wants. The
// answer may be a refusal.
func (f *Fetcher) do(x *exchange) (*nethttp.Response, error) {
	for {
		resp, err := f.send(x)
		switch {
		case errors.Is(err, errChallenged):
		case err != nil:
			return nil, err
		case x.login.goOn(resp) || x.hop.goOn(resp):
			discard(resp.Body)
		default:
			return resp, nil
		}
	}
}

// send sends the request of x once, with the logins and the cookies that are known by now.
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
	if f.Jar != nil && x.named != fetchers.ByStranger { // a URL of a stranger leaves no cookies for those of the user
		f.Jar.learn(resp, f.protects(resp.Request, x.hop))
	}
	f.HSTS.learn(resp)
	if resp.Body != nethttp.NoBody {
		resp.Body = &message{ReadCloser: resp.Body, resp: resp, most: f.MaxDecoded, cause: f.causeOf}
	}
	told(resp)
	return resp, nil
}

// sign makes the request that is sent next, of request and the logins and cookies.
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

// checkVersion returns an error if an answer says that it is of another version than is
// spoken on its connection, since what it says decides where its end is looked for.
func (f *Fetcher) checkVersion(x *exchange, resp *nethttp.Response) error {
	if f.RoundTripper != nil {
		return nil // its connections are not seen
	}
	spoken := 1
	if resp.TLS != nil && resp.TLS.NegotiatedProtocol == http2 || resp.TLS == nil && !f.oneAtATime(x) {
		spoken = 2
	}
	if resp.ProtoMajor != spoken {
		return fmt.Errorf("%w: %s, where HTTP/%d is spoken", fetchers.ErrProtocol, resp.Proto, spoken)
	}
	return nil
}

// checkLength returns an error if a response by HTTP/2 has two lengths, of which net/http
// believes neither. RFC 9110, section 8.6: they may be told twice, but not differ.
func checkLength(resp *nethttp.Response) error {
	lengths := resp.Header["Content-Length"]
	if resp.ProtoMajor == 1 {
		return nil // a head has judged them
	}
	for _, length := range lengths {
		if length != lengths[0] {
			return fmt.Errorf("%w: it has the lengths %.30q and %.30q", fetchers.ErrProtocol, lengths[0], length)
		}
	}
	return nil
}

// over returns the request as net/http is to send it: within ctx, so that x hears of it and
// sent is called once its header is on its way, and with all of its content, which may have
// been read before.
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

// version is that of HTTP/1 which a request is of.
func (x *exchange) version() string {
	if x.http10 {
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

// begin tells the Trace of the request line, with the version of its connection.
func (x *exchange) begin(version string) {
	if x.trace.Lines() {
		x.trace.Sent(x.sent.Method + " " + x.shown() + " " + version)
	}
}

// wroteField tells the Trace of a header field. By HTTP/2 the request line is fields too, of
// which begin has told.
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
