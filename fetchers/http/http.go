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

// maxHeader bounds the header of a response, in bytes.
const maxHeader = 256 << 10

// A Fetcher fetches http and https URLs. Its zero value is ready to use; it must
// not be copied afterwards. It keeps connections for the next request, and
// remembers which login an origin wanted.
type Fetcher struct {
	// Network is how servers are reached.
	Network *fetchers.Network

	// UserAgent is what the Fetcher calls itself; "fetch" if empty.
	UserAgent string

	// RequestTarget, if not empty, stands in the first line of every request of an http or
	// https URL as it is, in place of path and query (RFC 9112, section 3.2). Cookies and
	// redirections go by the URL all the same.
	RequestTarget string

	// TLS says whom to trust, which certificate to show and so on; nil is the
	// usual. It must not change in use. Its NextProtos are not used.
	TLS *tls.Config

	// Protocols are the versions of HTTP to speak. If nil, these are HTTP/2 if
	// an https server has it, and HTTP/1.1. All requests to a server of HTTP/2 share
	// one connection, if they have the same Namer and the same proxy and no Tap;
	// Resource.Streams is how many the server allows at once, at
	// most MaxStreams, and the others wait.
	Protocols *nethttp.Protocols

	// HTTP2OnDemand keeps HTTP/2 for requests with Request.Multiplex, if Protocols
	// have both versions. All others go by HTTP/1.1: a large file is
	// cheaper without frames, and has a connection of its own. If it is false,
	// Request.Multiplex makes no difference. Protocols without HTTP/2 prevail
	// over Request.Multiplex.
	HTTP2OnDemand bool

	// HTTP10 has requests be of HTTP/1.0, for servers that cannot answer others. The server
	// ends a connection behind its answer unless it says that it keeps it. There is no
	// HTTP/2 then.
	HTTP10 bool

	// IgnoreLength passes over the Content-Length of answers, for servers that tell a wrong
	// one. A body then ends with its last chunk, or with its connection, and is not
	// Confirmed in the latter case: a cut cannot be seen. There is no HTTP/2 then, which
	// compares the length.
	IgnoreLength bool

	// Logins are the schemes of authentication that may be answered, of
	// "digest", "ntlm" and "basic", in which order they are preferred. If nil, digest
	// and basic are. "ntlm" is of no use without NTLM, nor without HTTP/1.1.
	Logins []string

	// ProxyLogins are the same for proxies. If nil, that is "basic", which is
	// sent without being asked for; otherwise the proxy is asked first.
	ProxyLogins []string

	// NTLM makes the messages of "ntlm". A connection with such a login is used for no other.
	NTLM fetchers.NTLM

	// MaxDecoded is how many bytes a compressed body may become: 0 means
	// 16 GiB, less than 0 as many as it likes.
	MaxDecoded int64

	// Proxy returns the HTTP proxy for a URL, or nil to go without. One that
	// fetches for us may be asked for URLs of any scheme. Its scheme is http
	// or https, as for all others there is the Network. Proxy may be called
	// more than once for a request, and must not change its mind about a URL.
	Proxy func(*url.URL) *url.URL

	// ProxyHTTP10 has proxies be asked for tunnels by HTTP/1.0.
	ProxyHTTP10 bool

	// ProxyTLS is for TLS with an https proxy. Its ServerName and NextProtos are not used.
	// If nil, the trusted authorities and the versions of TLS hold for proxies too, but
	// they are shown no certificate, and have to have one that is trusted.
	ProxyTLS *tls.Config

	// RoundTripper sends the requests in place of the Fetcher's own connections, unless it is
	// nil: the *http.Transport of a program, or one that signs, caches or records. Network,
	// TLS, Protocols, HTTP2OnDemand, HTTP10, IgnoreLength, NTLM, Proxy and what is for
	// proxies then have no effect, and a Tap hears nothing. Logins, Jar, HSTS, codings and
	// the judgement of an answer stay those of the Fetcher. The context of a fetch is that of
	// the request; an error that belongs to no class stays as it is. A RoundTripper
	// that shows a certificate to servers shows it to every one, whoever named the URL.
	RoundTripper nethttp.RoundTripper

	// Jar keeps the cookies of servers. If nil there are none. The cookies of a field Cookie
	// in Request.Header are sent beside those of the Jar. Of two with the same name,
	// one that a server has set replaces that of the Header, and that of the Header one
	// that was loaded. An empty field Cookie keeps all cookies from being sent.
	Jar *Jar

	// HSTS knows which hosts are to be asked by https. A URL that is to be
	// another yields a Redirect, for which nobody is asked. If nil there are
	// none.
	HSTS *HSTS

	once         sync.Once          // makes transport
	transport    *nethttp.Transport // speaks HTTP/2 over the connections of negotiations
	negotiations negotiations
	pool         transport.Pool[server, *session]
	tickets      transport.Tickets
	known        logins
	nonce        func() string // makes client nonces; nil but in tests
}

// Fetch makes one request, and one more for a login that the server wants and
// that is there to give. With Request.List it may also ask for the page and then by WebDAV.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if req.List {
		return f.list(ctx, req)
	}
	return f.get(ctx, req)
}

// get is Fetch of what the URL itself names.
func (f *Fetcher) get(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if req.Named == fetchers.ByStranger {
		req = req.FromStranger() // also without a Client
	}
	what, err := f.what(req.URL)
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
		dismiss(req, resp, err)
		return nil, fetchers.NewError("fetch", req.URL, f.useless(f.blame(req.URL, err), req, resp))
	}
	res.Streams = x.streams
	if x.conn != nil { // of a RoundTripper nothing is known
		res.RemoteAddr, res.LocalAddr = x.conn.RemoteAddr(), x.conn.LocalAddr()
		if x.with.secure { // else TLS is that of a proxy
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

// CloseIdle closes the connections that no Resource is using, and has the RoundTripper do so if
// it can.
func (f *Fetcher) CloseIdle() {
	f.pool.CloseIdle()
	f.negotiations.closeIdle()
	if t, ok := f.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// operation says what was going on when err happened.
func operation(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return "connect"
	}
	return "fetch"
}
