package http

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	nethttp "net/http"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// maxHeader is the maximum size of a response header, in bytes.
const maxHeader = 256 << 10

// A Fetcher fetches http and https URLs. Its zero value is ready to use. It must not be copied
// after first use. It keeps connections for later requests, and remembers the login scheme of each
// origin.
type Fetcher struct {
	// Network makes the connections to servers.
	Network *fetchers.Network

	// UserAgent is the field User-Agent; "fetch" if empty.
	UserAgent string

	// RequestTarget, if not empty, replaces path and query in the request line of every http and
	// https request (RFC 9112, section 3.2). Cookies and redirections still use the URL.
	RequestTarget string

	// TLS has the trusted authorities, client certificates and other settings of TLS; nil selects
	// the defaults. It must not change while in use. Its NextProtos are ignored.
	TLS *tls.Config

	// Protocols are the versions of HTTP to use. If nil, they are HTTP/1.1, and HTTP/2 if an https
	// server offers it. All requests to an HTTP/2 server share one connection, if they have the
	// same Namer, the same proxy and no Tap. Resource.Streams is how many requests the server
	// allows at once, at most MaxStreams; the others wait.
	Protocols *nethttp.Protocols

	// HTTP2OnDemand restricts HTTP/2 to requests with Request.Multiplex, if Protocols include both
	// versions. All others use HTTP/1.1: a large file needs less processor time without frames, and
	// has its own connection. If HTTP2OnDemand is false, Request.Multiplex has no effect. If
	// Protocols exclude HTTP/2, neither has.
	HTTP2OnDemand bool

	// HTTP10 makes requests use HTTP/1.0, for servers that fail with later versions. The server
	// closes a connection after its response, unless it states otherwise. HTTP/2 is then disabled.
	HTTP10 bool

	// IgnoreLength ignores the Content-Length of responses, for servers that send a wrong one. A
	// body then ends with its last chunk or with its connection. In the latter case it is not
	// Confirmed, since a truncated body cannot be detected. HTTP/2, which compares the length, is
	// then disabled.
	IgnoreLength bool

	// Logins are the schemes of authentication that may be answered: "digest", "ntlm" and "basic",
	// preferred in this order. If nil, they are digest and basic. "ntlm" needs the field NTLM, and
	// HTTP/1.1.
	Logins []string

	// ProxyLogins are the same for proxies. If nil, the scheme is "basic", which is sent before any
	// challenge. Otherwise credentials are sent after a challenge of the proxy.
	ProxyLogins []string

	// NTLM makes the messages of "ntlm". A connection with such a login serves that login only.
	NTLM fetchers.NTLM

	// MaxDecoded is the maximum size of a decompressed body, in bytes: 0 means 16 GiB, less than 0
	// means no limit.
	MaxDecoded int64

	// Proxy returns the HTTP proxy for a URL, or nil for a direct connection. For a proxy that
	// fetches URLs itself, the URL may have any scheme. The scheme of the proxy is http or https;
	// Network has the proxies of other schemes. Proxy may be called several times for a request,
	// and must return the same proxy for the same URL.
	Proxy func(*url.URL) *url.URL

	// ProxyHTTP10 makes CONNECT requests to proxies use HTTP/1.0.
	ProxyHTTP10 bool

	// ProxyTLS is the configuration of TLS with an https proxy. Its ServerName and NextProtos are
	// ignored. If nil, the trusted authorities and versions of TLS apply to proxies too; a proxy
	// receives no client certificate, and its own certificate is always verified.
	ProxyTLS *tls.Config

	// RoundTripper, if not nil, sends the requests in place of the Fetcher's own connections: for
	// example the *http.Transport of a program, or a RoundTripper that signs, caches or records.
	// Network, TLS, Protocols, HTTP2OnDemand, HTTP10, IgnoreLength, NTLM, Proxy and the proxy
	// settings then have no effect, and a Tap receives nothing. Logins, Jar, HSTS, content codings
	// and the classification of responses remain those of the Fetcher. The context of a fetch is
	// that of the request. An error without a known class is returned unchanged. A RoundTripper
	// with a client certificate presents it to every server, whatever the Namer of the URL.
	RoundTripper nethttp.RoundTripper

	// Jar stores the cookies of servers. If nil, there are none. Cookies in a Cookie field of
	// Request.Header are sent together with those of the Jar. If two have the same name, a cookie
	// that a server has set takes precedence over that of the Header, and that of the Header over
	// one that was loaded from a file. An empty Cookie field disables cookies for the request.
	Jar *Jar

	// HSTS records the hosts that must be requested by https. A URL that must be upgraded yields a
	// Redirect, without a request to any server. If nil, no URL is upgraded.
	HSTS *HSTS

	once         sync.Once          // guards the creation of transport
	transport    *nethttp.Transport // HTTP/2 over the connections of negotiations
	negotiations negotiations
	pool         transport.Pool[server, *session]
	tickets      transport.Tickets
	known        logins
	nonce        func() string // makes client nonces; set by tests only
}

// Fetch makes one request, and another one with a login if the server demands one and credentials
// are available. If Request.List is set, it may request both the page and the WebDAV properties.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if req.List {
		return f.list(ctx, req)
	}
	return f.get(ctx, req)
}

// get is Fetch of the resource of the URL itself.
func (f *Fetcher) get(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if req.Named == fetchers.ByStranger {
		req = req.FromStranger() // a Client does so too, but may be absent
	}
	what, err := f.httpURL(req.URL)
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if to := f.HSTS.Upgrade(req.URL); to != nil {
		return upgraded(req, to), nil
	}
	method := "GET"
	if req.Describe {
		method = "HEAD"
	}
	x, resp, err := f.ask(ctx, method, req, what)
	if req.Describe && err == nil && (resp.StatusCode == 405 || resp.StatusCode == 501) {
		discard(resp.Body)
		x, resp, err = f.ask(ctx, "GET", req, what)
	}
	if err != nil {
		return nil, fetchers.NewError(operation(err), req.URL, f.blame(req.URL, err))
	}
	res, err := resource(req, resp)
	if err != nil {
		discardRefusal(req, resp, err)
		return nil, fetchers.NewError("fetch", req.URL, f.asLoginError(f.blame(req.URL, err), req, resp))
	}
	res.Streams = x.streams
	if x.conn != nil { // a RoundTripper hides its connection
		res.RemoteAddr, res.LocalAddr = x.conn.RemoteAddr(), x.conn.LocalAddr()
		if x.with.secure { // else the TLS is that of a proxy
			res.TLS = x.conn.TLS()
		}
	}
	return res, nil
}

// ask makes the request. The response may be a refusal.
func (f *Fetcher) ask(ctx context.Context, method string, req *fetchers.Request, what url.HTTP) (*exchange, *nethttp.Response, error) {
	x, err := f.exchange(ctx, method, req, what)
	if err != nil {
		return nil, nil, err
	}
	resp, err := f.do(x)
	return x, resp, err
}

// CloseIdle closes the idle connections, and those of the RoundTripper if it has the method
// CloseIdleConnections.
func (f *Fetcher) CloseIdle() {
	f.pool.CloseIdle()
	f.negotiations.closeIdle()
	if t, ok := f.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// operation returns the operation that failed with err, for a fetchers.Error.
func operation(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return "connect"
	}
	return "fetch"
}
