package proxy

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/netip"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Router sends each request through the proxy that its Rules define for the URL. All connections
// of one request use the same proxy. In particular, the data connection of FTP, which goes to an
// address, uses the proxy of its request and not a rule for that address.
//
//	router := &proxy.Router{Rules: rules}
//	nw := &fetchers.Network{Dial: router.Dial, DialData: router.DialData}
//	web := &http.Fetcher{Network: nw, Proxy: router.AsksFor}
//	router.Gateway = web
//	router.Fetcher = registry // of web, and of others that have nw
//
// Its fields must not change while in use. It is safe for concurrent use.
type Router struct {
	Rules Rules

	// Fetcher fetches the URLs. The Dial and DialData of its Network are those of the Router, whose
	// connections have the address of the server, not of the proxy.
	Fetcher fetchers.Fetcher

	// Gateway fetches URLs, of any scheme, whose proxy is an HTTP proxy, by sending the URL to the
	// proxy (RFC 1630). Interactive services and schemes with TLS, such as ftps, are excluded. If
	// nil, the Fetcher is used, through a tunnel. A URL of an unknown scheme is passed to the
	// Fetcher, and a URL that its CheckPort refuses is refused.
	Gateway fetchers.Fetcher

	// Forward, Lookup, Resolve, TLS, Logins, NTLM and HTTP10 are the fields of every Proxy. With
	// Rules.First, Forward connects to that proxy.
	Forward DialFunc
	Lookup  fetchers.LookupFunc
	Resolve func(ctx context.Context, network, name string) ([]netip.Addr, error)
	TLS     *tls.Config
	Logins  []string
	NTLM    fetchers.NTLM
	HTTP10  bool

	// Target returns the host:port to connect to in place of that of a server. It is not called for
	// proxies and data connections. If the result differs, the URL is fetched through a tunnel,
	// since a Gateway would connect to the server in the URL. If nil, no server is replaced.
	Target func(addr string) string

	// Direct opens connections without a proxy. If nil, Forward does.
	Direct DialFunc
}

// route is the context key of the *url.URL of the proxy for a request's connections, which is nil
// for none.
type route struct{}

// toGateway is the route of requests to a Gateway, whose connections go to the proxy.
var toGateway = new(url.URL)

// Fetch fetches req through its proxy.
func (r *Router) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if req.URL.Host == "" || req.URL.Scheme == "s3" { // the URL names no server
		return fetchers.Fetch(ctx, r.Fetcher, req) // Dial chooses the proxy
	}
	via := r.Rules.For(req.URL)
	if r.Gateway != nil && r.AsksFor(req.URL) != nil && url.Describe(req.URL.Scheme) != "" && !url.Reserved(req.URL.Scheme) {
		if c, ok := r.Fetcher.(interface{ CheckPort(*url.URL) error }); ok {
			if err := c.CheckPort(req.URL); err != nil {
				return nil, fetchers.NewError("fetch", req.URL, err)
			}
		}
		return r.Gateway.Fetch(context.WithValue(ctx, route{}, toGateway), req)
	}
	res, err := fetchers.Fetch(context.WithValue(ctx, route{}, via), r.Fetcher, req)
	if err == nil && res.Session != nil && res.Session.Dial != nil { // it is opened later, through the same proxy
		dial := res.Session.Dial
		res.Session.Dial = func(ctx context.Context) (io.ReadWriteCloser, error) {
			return dial(context.WithValue(ctx, route{}, via))
		}
	}
	return res, err
}

// AsksFor returns the HTTP proxy that fetches u itself, or nil if there is none or u is nil. It is
// for the Proxy of an http.Fetcher.
func (r *Router) AsksFor(u *url.URL) *url.URL {
	if u == nil || r.elsewhere(u) {
		return nil
	}
	return r.Rules.Gateway(u)
}

// elsewhere reports whether Target replaces the server of u.
func (r *Router) elsewhere(u *url.URL) bool {
	return r.Target != nil && r.Target(u.Addr()) != u.Addr()
}

// tunnelled reports whether URLs of a scheme use a tunnel even through an HTTP proxy. They name an
// interactive service, or use TLS with the server: a proxy that fetched such a URL itself would see
// the login and the content, and would check the certificate. For https a Gateway makes the tunnel
// itself.
func tunnelled(scheme string) bool {
	switch scheme {
	case "telnet", "telnets", "rlogin", "tn3270", "ftps", "gophers", "gemini", "nntps", "snews":
		return true
	}
	return false
}

// Dial opens a connection through the proxy of the request that ctx belongs to. If ctx belongs to
// no request, or to a URL without a host, the rule for All schemes applies. A nil ctx is an error.
func (r *Router) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	if r.Target != nil && ctx.Value(route{}) != toGateway {
		addr = r.Target(addr)
	}
	return r.DialData(ctx, network, addr)
}

// DialData is Dial for the data connections of FTP, which go to the server of the control
// connection. A nil ctx is an error.
func (r *Router) DialData(ctx context.Context, network, addr string) (net.Conn, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	via, ok := ctx.Value(route{}).(*url.URL)
	switch {
	case via == toGateway:
		via = r.Rules.First
	case !ok:
		via = r.Rules.For(place(addr))
	}
	switch {
	case via != nil:
		return r.proxy(via).Dial(ctx, network, addr)
	case r.Direct != nil:
		return r.Direct(ctx, network, addr)
	case r.Forward != nil:
		return r.Forward(ctx, network, addr)
	}
	return (*fetchers.Network)(nil).DialContext(ctx, network, addr)
}

// proxy returns the Proxy of a URL. It is reached through Rules.First, unless via is that proxy.
func (r *Router) proxy(via *url.URL) *Proxy {
	p := &Proxy{URL: via, Forward: r.Forward, Lookup: r.Lookup, Resolve: r.Resolve, TLS: r.TLS, Logins: r.Logins, NTLM: r.NTLM, HTTP10: r.HTTP10}
	if first := r.Rules.First; first != nil && via != first {
		p.Forward = r.proxy(first).Dial
	}
	return p
}

// place returns host:port as a URL without a scheme.
func place(addr string) *url.URL {
	to, err := parseTarget("tcp", addr)
	if err != nil {
		return &url.URL{} // Dial reports the error
	}
	host := strings.ToLower(to.name)
	if to.addr.IsValid() {
		host = to.addr.String()
	}
	return &url.URL{Authority: url.Authority{Host: host, Port: to.port}}
}

// CloseIdle closes the idle connections of both Fetchers.
func (r *Router) CloseIdle() {
	for _, f := range []fetchers.Fetcher{r.Fetcher, r.Gateway} {
		if c, ok := f.(fetchers.IdleCloser); ok {
			c.CloseIdle()
		}
	}
}
