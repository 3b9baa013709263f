package http

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	nethttp "net/http"
	neturl "net/url"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/tunnel"
	"github.com/seed1ea3422f/fetch/url"
)

// A request to a proxy for an http URL has the absolute form. For an https URL the proxy is asked
// to CONNECT to the server, and the request is sent in the tunnel (RFC 9110, section 7.2). A URL of
// any other scheme is requested in the absolute form, like an http URL (RFC 1630):
//
//	GET ftp://h.dom/pub/name;type=a HTTP/1.1
//	Host: h.dom
//	Proxy-Authorization: Basic am9lOnNlY3JldA==
//
// The URL is sent without its fragment, but with its user and password, since the proxy must log in
// with them. A Request.Login replaces them, and is sent as Authorization, which proxies do not log.
//
// The proxy's own user and password are sent to the proxy only. A Proxy-Authorization in
// Request.Header takes precedence over them. It is never sent to a server.

// via returns the proxy for u, or nil.
func (f *Fetcher) via(u *url.URL) (*url.URL, error) {
	if f.Proxy == nil || f.RoundTripper != nil {
		return nil, nil
	}
	via := f.Proxy(u)
	switch {
	case via == nil:
		return nil, nil
	case via.Scheme != "http" && via.Scheme != "https", via.Host == "":
		// Without the proxy, the request would reveal the client to the server.
		return nil, &fetchers.ProxyError{Proxy: via.Redacted(), Err: errors.New("not an HTTP proxy")}
	case via.User != nil && strings.Contains(via.User.Name, ":"):
		return nil, &fetchers.ProxyError{Proxy: via.Redacted(), Err: errors.New(`a user name has no ":" in HTTP`)} // RFC 7617, section 2
	}
	return via, nil
}

// httpURL returns u as an http URL, or for a proxy that fetches u itself, as a URL without a path.
func (f *Fetcher) httpURL(u *url.URL) (url.HTTP, error) {
	if via, err := f.via(u); err != nil || via == nil || u.Scheme == "http" || u.Scheme == "https" || u.Host == "" {
		return u.HTTP() // route reports an error of via
	}
	return url.HTTP{Authority: u.Authority, Target: "/"}, nil // route sets the true target
}

// A hop is the proxy of one request.
type hop struct {
	via   *url.URL
	login *login // for the proxy
	field string // the caller's Proxy-Authorization for a tunnel
	shown string // the request target as the Trace shows it
}

// route sends r, the request for req, by its proxy, and removes the fields for proxies from
// requests to servers. The hop is nil without a proxy.
func (f *Fetcher) route(r *nethttp.Request, req *fetchers.Request) (*hop, error) {
	via, err := f.via(req.URL)
	if err != nil {
		return nil, err
	}
	field := r.Header.Get("Proxy-Authorization")
	if via == nil || req.URL.Scheme == "https" {
		r.Header.Del("Proxy-Authorization")
	}
	if via == nil {
		return nil, nil
	}
	h := &hop{via: via}
	if field == "" {
		h.login = f.proxyLogin(via, fetchers.ContextTrace(r.Context()))
	}
	switch req.URL.Scheme {
	case "https":
		h.field, h.shown = field, r.URL.RequestURI()
	case "http":
		h.shown = r.URL.String()
	default:
		if len(req.Like) > 0 {
			return nil, &fetchers.ProxyError{Proxy: via.Redacted(), Err: errors.New("an HTTP proxy has no relevance feedback")}
		}
		whole := *req.URL
		whole.Fragment = ""
		if req.Login != nil {
			whole.User = nil
			r.SetBasicAuth(req.Login.User, req.Login.Password) // no challenge would come if the proxy logged in anonymously
		}
		r.URL = &neturl.URL{Scheme: "http", Host: r.URL.Host, Opaque: whole.String()}
		h.shown = whole.Redacted()
	}
	return h, nil
}

// errChallenged means that a proxy demands a login for a tunnel, and that there is an answer.
var errChallenged = errors.New("the proxy asks for a login")

// name is a key of the proxy and its credentials: other requests must not use its connections. It
// contains secrets.
func (h *hop) name() string {
	if h == nil {
		return ""
	}
	return h.via.String() + " " + h.field
}

// addr returns host and port of the proxy.
func (h *hop) addr() string {
	return net.JoinHostPort(h.via.Host, strconv.Itoa(int(h.via.PortOrDefault())))
}

// sign adds the login for the proxy to the request r for target, if the proxy reads the request.
func (h *hop) sign(added nethttp.Header, r *nethttp.Request, target string) {
	if h != nil && r.URL.Scheme != "https" {
		h.login.sign(added, r.Method, target)
	}
}

// takeChallenge reports whether resp is a challenge of the proxy to answer. A response through a tunnel is
// from the server, even if it is a 407.
func (h *hop) takeChallenge(resp *nethttp.Response) bool {
	return h != nil && resp.Request.URL.Scheme != "https" && h.login.takeChallenge(resp)
}

// target returns the request target of r. It has the absolute form if r is for a proxy (RFC 9112,
// section 3.2.2).
func (h *hop) target(r *nethttp.Request) string {
	target := r.URL.RequestURI()
	if h != nil && r.URL.Scheme == "http" && r.URL.Opaque == "" {
		return "http://" + zoneless(r.URL.Host) + target
	}
	return target
}

// shown returns the target of x as the Trace shows it.
func (x *exchange) shown() string {
	switch {
	case x.hop != nil:
		return x.hop.shown
	case x.sent.URL.Opaque != "": // the RequestTarget
		return url.Redact(x.sent.URL.Opaque)
	}
	return x.sent.URL.RequestURI()
}

// pass connects s, which has reached a proxy, onward to a server.
func (f *Fetcher) pass(ctx context.Context, s *session, h *hop, to server) error {
	if h.via.Scheme == "https" {
		config := tunnel.TLSConfig(cmp.Or(f.ProxyTLS, tunnel.Trust(f.TLS)), h.via.Host)
		f.tickets.Resume(config, "proxy "+h.name())
		if err := s.conn.Secure(config, nil); err != nil {
			return err
		}
	}
	if to.secure {
		return f.tunnel(ctx, s, h, to)
	}
	return nil
}

// tunnel makes a proxy connect s to a server. The error is errChallenged if the proxy demands a
// login and there is an answer.
func (f *Fetcher) tunnel(ctx context.Context, s *session, h *hop, to server) error {
	ask := tunnel.Request{
		Target:  zoneless(net.JoinHostPort(to.host, to.port)),
		Agent:   f.UserAgent,
		MaxHead: s.conn.HeaderLimit(maxHeader),
		HTTP10:  f.ProxyHTTP10,
	}
	added := make(nethttp.Header)
	h.login.sign(added, nethttp.MethodConnect, ask.Target)
	ask.Login = cmp.Or(h.field, added.Get("Proxy-Authorization"))
	if ask.Handshake = h.login.handshake(); ask.Handshake != nil {
		added.Set("Proxy-Authorization", "NTLM") // the field that was sent, for takeChallenge
	}
	s.conn.Await()
	err := ask.Connect(fetchers.ContextTrace(ctx), s.conn)
	s.conn.Await() // the deadline of the TLS handshake, as without a proxy

	answer := &nethttp.Response{StatusCode: nethttp.StatusOK, Request: &nethttp.Request{Header: added}}
	var refused *tunnel.Refusal
	switch {
	case errors.As(err, &refused):
		answer.StatusCode, answer.Header = refused.Code, nethttp.Header(refused.Header)
	case err != nil:
		return err
	}
	if h.login.takeChallenge(answer) {
		return errChallenged
	}
	if err == nil && s.ahead() { // such as a page of a captive portal
		return fmt.Errorf("%w: unexpected bytes before the tunnel was used", fetchers.ErrProtocol)
	}
	return err
}

// failed makes err, an error of reaching a proxy or of its CONNECT, a ProxyError. It does not if a
// challenge remains to be answered or if the request was invalid.
func (h *hop) failed(err error) error {
	if h == nil || err == nil || errors.Is(err, errChallenged) || errors.Is(err, errUnsendable) {
		return err
	}
	return &fetchers.ProxyError{Proxy: h.via.Redacted(), Err: cause(err)}
}

// blame makes err, the end of a request for u, a ProxyError if the proxy demands a login. For a
// tunnel, failed has done so.
func (f *Fetcher) blame(u *url.URL, err error) error {
	via, _ := f.via(u)
	if via == nil || u.Scheme == "https" || errors.Is(err, fetchers.ErrProxy) {
		return err
	}
	var status *fetchers.StatusError
	if errors.As(err, &status) && status.Code == nethttp.StatusProxyAuthRequired && status.Class == nil {
		refused := *status
		refused.Class = fs.ErrPermission
		return &fetchers.ProxyError{Proxy: via.Redacted(), Err: &refused}
	}
	return err
}
