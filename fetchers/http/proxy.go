package http

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	nethttp "net/http"
	neturl "net/url"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
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
	if f.Proxy == nil {
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

// A hop is the proxy of one request, as net/http has to be told of it.
type hop struct {
	via    *url.URL
	url    *neturl.URL
	secure bool   // TLS is spoken to it
	login  *login // for it
	field  string // the caller's own Proxy-Authorization for a tunnel
	shown  string // the request's target, as the Trace is to see it
}

type hopKey struct{}

// hopOf returns the hop of a request, or nil.
func hopOf(ctx context.Context) *hop {
	h, _ := ctx.Value(hopKey{}).(*hop)
	return h
}

// route sends r, which is to ask for req, by way of its proxy, and keeps from
// servers what is for proxies.
func (f *Fetcher) route(r *nethttp.Request, req *fetchers.Request) (*nethttp.Request, error) {
	via, err := f.via(req.URL)
	if err != nil {
		return nil, err
	}
	field := r.Header.Get("Proxy-Authorization")
	if via == nil || req.URL.Scheme == "https" {
		r.Header.Del("Proxy-Authorization")
	}
	if via == nil {
		return r, nil
	}
	// net/http is told of an http proxy, whatever it is: where it speaks TLS to
	// the proxy it offers HTTP/2, and cannot make tunnels then.
	address := net.JoinHostPort(via.Host, strconv.Itoa(int(via.PortOrDefault())))
	h := &hop{via: via, url: &neturl.URL{Scheme: "http", Host: address}, secure: via.Scheme == "https"}
	if field == "" {
		h.login = f.proxyLogin(via, fetchers.ContextTrace(r.Context()))
	}
	switch req.URL.Scheme {
	case "https":
		h.field, h.shown = field, r.URL.RequestURI()
	case "http":
		if r.Host != r.URL.Host {
			return nil, fmt.Errorf("%w: through a proxy its Host decides which server gets it", errUnsendable)
		}
		h.shown = r.URL.String()
	default:
		whole := *req.URL
		whole.Fragment = ""
		if req.Login != nil {
			whole.User = nil
			r.SetBasicAuth(req.Login.User, req.Login.Password) // nobody would ask: there may be anonymous users
		}
		r.URL = &neturl.URL{Scheme: "http", Host: r.URL.Host, Opaque: whole.String()}
		h.shown = whole.Redacted()
	}
	return r.WithContext(context.WithValue(r.Context(), hopKey{}, h)), nil
}

// errChallenged is that a proxy wants a login before it makes a tunnel, and that there
// is one.
var errChallenged = errors.New("the proxy asks for a login")

// sign adds the login for the proxy, if that reads r.
func (h *hop) sign(added nethttp.Header, r *nethttp.Request) {
	if h == nil || r.URL.Scheme == "https" {
		return
	}
	target := r.URL.RequestURI()
	if r.URL.Opaque == "" {
		target = r.URL.Scheme + "://" + r.Host + target
	}
	h.login.sign(added, r.Method, target)
}

// goOn reports whether resp is a challenge of the proxy to be answered.
func (h *hop) goOn(resp *nethttp.Response) bool {
	return h != nil && h.login.goOn(resp)
}

// shown returns the target of a request as the Trace is to see it.
func shown(r *nethttp.Request) string {
	if h := hopOf(r.Context()); h != nil {
		return h.shown
	}
	return r.URL.RequestURI()
}

// useProxy has the Transport send each request to the proxy chosen for it.
func (f *Fetcher) useProxy(t *nethttp.Transport) {
	t.Proxy = func(r *nethttp.Request) (*neturl.URL, error) {
		if h := hopOf(r.Context()); h != nil {
			return h.url, nil
		}
		return nil, nil
	}
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if h := hopOf(ctx); err == nil && h != nil && h.secure {
			return f.handshake(ctx, c, h.via.Host)
		}
		return c, err
	}
	t.GetProxyConnectHeader = func(ctx context.Context, _ *neturl.URL, target string) (nethttp.Header, error) {
		h := nethttp.Header{"User-Agent": {cmp.Or(f.UserAgent, "fetch")}}
		trace := fetchers.ContextTrace(ctx)
		trace.Sent("CONNECT " + target + " HTTP/1.1")
		trace.Sent("Host: " + target)
		trace.Sent("User-Agent: " + h.Get("User-Agent"))
		if hop := hopOf(ctx); hop != nil {
			hop.login.sign(h, "CONNECT", target)
			if hop.field != "" {
				h.Set("Proxy-Authorization", hop.field)
			}
		}
		if field := h.Get("Proxy-Authorization"); field != "" {
			trace.Sent("Proxy-Authorization: " + Masked("Proxy-Authorization", field))
		}
		return h, nil
	}
	t.OnProxyConnectResponse = func(ctx context.Context, _ *neturl.URL, r *nethttp.Request, resp *nethttp.Response) error {
		resp.Request = r.WithContext(ctx)
		told(resp)
		if hop := hopOf(ctx); hop != nil && hop.login.goOn(resp) {
			return errChallenged
		}
		if resp.StatusCode/100 == 2 {
			resp.StatusCode = 200 // RFC 9110, section 9.3.6: any 2xx; net/http takes this one only
			return nil
		}
		refused := &fetchers.StatusError{Reply: reply(resp), Class: classOf(resp.StatusCode), Wait: retryAfter(resp.Header)}
		if refused.Code == 401 || refused.Code == 407 {
			refused.Class = fs.ErrPermission
		}
		return &net.OpError{Op: "proxyconnect", Net: "tcp", Err: refused}
	}
}

// handshake speaks TLS to a proxy. Of the Fetcher's TLS that is for the proxy too
// whom to trust; what certificate to show and whether to look at any is meant for
// servers.
func (f *Fetcher) handshake(ctx context.Context, c net.Conn, host string) (net.Conn, error) {
	config := &tls.Config{ServerName: host, NextProtos: []string{http1}}
	if f.TLS != nil {
		config.RootCAs, config.MinVersion, config.MaxVersion, config.Time = f.TLS.RootCAs, f.TLS.MinVersion, f.TLS.MaxVersion, f.TLS.Time
	}
	secure, err := shake(ctx, c, config)
	if err != nil {
		return nil, err
	}
	return secure, nil
}

// blame says so if err, which ended a request for u, came from its proxy.
func (f *Fetcher) blame(u *url.URL, err error) error {
	via, _ := f.via(u)
	if via == nil || errors.Is(err, fetchers.ErrProxy) {
		return err
	}
	var status *fetchers.StatusError
	if errors.As(err, &status) && status.Code == nethttp.StatusProxyAuthRequired && status.Class == nil {
		refused := *status
		refused.Class = fs.ErrPermission
		return &fetchers.ProxyError{Proxy: via.Redacted(), Err: &refused}
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "proxyconnect" { // net/http's word for it
		return &fetchers.ProxyError{Proxy: via.Redacted(), Err: err}
	}
	return err
}
