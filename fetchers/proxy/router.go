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

// A Router sends each request by the proxy that its Rules have for the URL. All
// connections of one request go the same way, so that a data connection of FTP
// is not taken for one to a stranger because it goes to an address.
//
//	router := &proxy.Router{Rules: rules}
//	nw := &fetchers.Network{Dial: router.Dial, DialData: router.DialData}
//	web := &http.Fetcher{Network: nw, Proxy: router.AsksFor}
//	router.Gateway = web
//	router.Fetcher = registry // of web, and of others that have nw
//
// Its fields must not change in use. It may be used by many goroutines at once.
type Router struct {
	Rules Rules

	// Fetcher fetches. The Dial and DialData of its Network are the Dial of the Router,
	// whose connections have the address of the server, not of the proxy.
	Fetcher fetchers.Fetcher

	// Gateway fetches what has an HTTP proxy, whatever the scheme, by asking
	// the proxy for it (RFC 1630), but for interactive sessions and for schemes of TLS
	// such as ftps. If nil, the Fetcher does it, in a tunnel through the proxy. A scheme
	// that nobody knows is left to the Fetcher, and what its CheckPort refuses is refused.
	Gateway fetchers.Fetcher

	// Forward, Lookup, Resolve, TLS, Logins, NTLM and HTTP10 are those of every Proxy. With
	// Rules.First, Forward is how that is reached.
	Forward DialFunc
	Lookup  fetchers.LookupFunc
	Resolve func(ctx context.Context, network, name string) ([]netip.Addr, error)
	TLS     *tls.Config
	Logins  []string
	NTLM    fetchers.NTLM
	HTTP10  bool

	// Target returns where to connect to in place of the host:port of a server. It is not
	// asked about proxies and data connections. A URL whose server is elsewhere goes
	// through a tunnel, since the Gateway would connect to the server of the URL. If nil,
	// each server is where its URL says.
	Target func(addr string) string

	// Direct opens the connections that need no proxy. If nil, Forward does.
	Direct DialFunc
}

// route is the key of the *url.URL in a context: the proxy of the connections of a request,
// which is nil for none.
type route struct{}

// toGateway is the route of requests to a Gateway, whose connections are to the proxy.
var toGateway = new(url.URL)

// Fetch fetches req by way of its proxy.
func (r *Router) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if req.URL.Host == "" || req.URL.Scheme == "s3" { // the URL names no server
		return fetchers.Fetch(ctx, r.Fetcher, req) // Dial will know where to
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
	if err == nil && res.Session != nil && res.Session.Dial != nil { // it is opened later, by the same way
		dial := res.Session.Dial
		res.Session.Dial = func(ctx context.Context) (io.ReadWriteCloser, error) {
			return dial(context.WithValue(ctx, route{}, via))
		}
	}
	return res, err
}

// AsksFor returns the HTTP proxy that is asked for u itself, and nil if there is none, or if u
// is nil. It is for the Proxy of an http.Fetcher.
func (r *Router) AsksFor(u *url.URL) *url.URL {
	if u == nil || r.elsewhere(u) {
		return nil
	}
	return r.Rules.Gateway(u)
}

// elsewhere reports whether the server of u is at another place than u says.
func (r *Router) elsewhere(u *url.URL) bool {
	return r.Target != nil && r.Target(u.Addr()) != u.Addr()
}

// tunnelled reports whether the URLs of a scheme are fetched through a tunnel of an HTTP proxy only.
// They name a service to talk to, or are for TLS with the server: a proxy that was asked for such
// a URL would read the login and the content, and check the certificate in our place. A Gateway
// makes the tunnel for https itself.
func tunnelled(scheme string) bool {
	switch scheme {
	case "telnet", "telnets", "rlogin", "tn3270", "ftps", "gophers", "gemini", "nntps", "snews":
		return true
	}
	return false
}

// Dial opens a connection by the proxy of the request that ctx is of. For a
// context of no request, or of one without a host, the rule for All schemes
// decides. A nil ctx is an error.
func (r *Router) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	if r.Target != nil && ctx.Value(route{}) != toGateway {
		addr = r.Target(addr)
	}
	return r.DialData(ctx, network, addr)
}

// DialData is Dial for the data connections of FTP, which go to where the control connection
// has gone. A nil ctx is an error.
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

// proxy returns the Proxy of a URL. It is reached by the first proxy, unless it is that.
func (r *Router) proxy(via *url.URL) *Proxy {
	p := &Proxy{URL: via, Forward: r.Forward, Lookup: r.Lookup, Resolve: r.Resolve, TLS: r.TLS, Logins: r.Logins, NTLM: r.NTLM, HTTP10: r.HTTP10}
	if first := r.Rules.First; first != nil && via != first {
		p.Forward = r.proxy(first).Dial
	}
	return p
}

// place returns host:port as a URL, of which only that is known.
func place(addr string) *url.URL {
	to, err := parseTarget("tcp", addr)
	if err != nil {
		return &url.URL{} // which Dial will find too
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
