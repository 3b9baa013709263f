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

// Through a proxy, http URLs are asked for by their absolute form, and https URLs
// in a tunnel, to which the proxy is asked to CONNECT (RFC 9110, section 7.2).
// What is no http URL at all is asked for like one (RFC 1630):
//
//	GET ftp://h.dom/pub/name;type=a HTTP/1.1
//	Host: h.dom
//	Proxy-Authorization: Basic am9lOnNlY3JldA==
//
// The whole URL is sent but for its fragment. A user and a password in it go
// along, since it is the proxy who has to log in with them. A Request.Login goes
// in place of them, and only as Authorization, which proxies do not log.
//
// The proxy's own user and password are sent to the proxy only. A
// Proxy-Authorization in Request.Header goes before them, and reaches the proxy
// only as well: it is left out where the reader would be a server.

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
		// To go without it would be to go where we should not be seen.
		return nil, &fetchers.ProxyError{Proxy: via.Redacted(), Err: errors.New("not an HTTP proxy")}
	case via.User != nil && strings.Contains(via.User.Name, ":"):
		return nil, &fetchers.ProxyError{Proxy: via.Redacted(), Err: errors.New(`a user name has no ":" in HTTP`)} // RFC 7617, section 2
	}
	return via, nil
}

// what reads u as an http URL, or as one that a proxy fetches for us.
func (f *Fetcher) what(u *url.URL) (url.HTTP, error) {
	if via, err := f.via(u); err != nil || via == nil || u.Scheme == "http" || u.Scheme == "https" || u.Host == "" {
		return u.HTTP() // what is wrong with via is said later
	}
	return url.HTTP{Authority: u.Authority, Target: "/"}, nil // route has the true target
}

// A hop is the proxy of one request.
type hop struct {
	via   *url.URL
	login *login // for it
	field string // the caller's own Proxy-Authorization for a tunnel
	shown string // the request's target, as the Trace is to see it
}

// route has r, which is to ask for req, go by way of its proxy, and keeps from servers what
// is for proxies. The hop is nil without a proxy.
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
			r.SetBasicAuth(req.Login.User, req.Login.Password) // nobody would ask: there may be anonymous users
		}
		r.URL = &neturl.URL{Scheme: "http", Host: r.URL.Host, Opaque: whole.String()}
		h.shown = whole.Redacted()
	}
	return h, nil
}

// errChallenged is that a proxy wants a login before it makes a tunnel, and that there
// is one.
var errChallenged = errors.New("the proxy asks for a login")

// name is the proxy and who asks it: what goes by way of it is for nobody else. It has
// secrets.
func (h *hop) name() string {
	if h == nil {
		return ""
	}
	return h.via.String() + " " + h.field
}

// addr is where the proxy is.
func (h *hop) addr() string {
	return net.JoinHostPort(h.via.Host, strconv.Itoa(int(h.via.PortOrDefault())))
}

// sign adds the login for the proxy to r, which asks for target, if that reads it.
func (h *hop) sign(added nethttp.Header, r *nethttp.Request, target string) {
	if h != nil && r.URL.Scheme != "https" {
		h.login.sign(added, r.Method, target)
	}
}

// goOn reports whether resp is a challenge of the proxy to be answered. An answer that comes
// through a tunnel is the server's, also if it is a 407.
func (h *hop) goOn(resp *nethttp.Response) bool {
	return h != nil && resp.Request.URL.Scheme != "https" && h.login.goOn(resp)
}

// target returns what r asks for, as it stands in its first line: with the server, if it is
// for a proxy to find that (RFC 9112, section 3.2.2).
func (h *hop) target(r *nethttp.Request) string {
	target := r.URL.RequestURI()
	if h != nil && r.URL.Scheme == "http" && r.URL.Opaque == "" {
		return "http://" + zoneless(r.URL.Host) + target
	}
	return target
}

// shown returns the target of x as the Trace is to see it.
func (x *exchange) shown() string {
	switch {
	case x.hop != nil:
		return x.hop.shown
	case x.sent.URL.Opaque != "": // the RequestTarget
		return url.Redact(x.sent.URL.Opaque)
	}
	return x.sent.URL.RequestURI()
}

// pass goes on from a proxy, which s has reached, to where its server can be asked.
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

// tunnel has a proxy connect s to a server. The error is errChallenged if there is a login for
// the proxy, which it has asked for.
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
		added.Set("Proxy-Authorization", "NTLM") // as it was sent, for goOn
	}
	s.conn.Await()
	err := ask.Connect(fetchers.ContextTrace(ctx), s.conn)
	s.conn.Await() // the TLS handshake, as where there is no proxy

	answer := &nethttp.Response{StatusCode: nethttp.StatusOK, Request: &nethttp.Request{Header: added}}
	var refused *tunnel.Refusal
	switch {
	case errors.As(err, &refused):
		answer.StatusCode, answer.Header = refused.Code, nethttp.Header(refused.Header)
	case err != nil:
		return err
	}
	if h.login.goOn(answer) {
		return errChallenged
	}
	if err == nil && s.ahead() { // such as a page of a network that wants a login
		return fmt.Errorf("%w: more comes before the tunnel was used", fetchers.ErrProtocol)
	}
	return err
}

// failed says of err, with which a proxy was not reached or did not let through, that it is
// the proxy's, unless there is more to do or the request was at fault.
func (h *hop) failed(err error) error {
	if h == nil || err == nil || errors.Is(err, errChallenged) || errors.Is(err, errUnsendable) {
		return err
	}
	return &fetchers.ProxyError{Proxy: h.via.Redacted(), Err: cause(err)}
}

// blame says so if err, which ended a request for u, is that its proxy wants a login. Of a
// tunnel, the failure to make it says so already.
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
