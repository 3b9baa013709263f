package proxy_test

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

// An exception for a host also applies to its data connections, which go to an address; and so does
// a rule.
func TestRouterFTP(t *testing.T) {
	for _, c := range []struct {
		rules       func(via *url.URL) proxy.Rules
		connections int
	}{
		{func(via *url.URL) proxy.Rules { return proxy.Rules{Proxies: map[string]*url.URL{proxy.All: via}} }, 2},
		{func(via *url.URL) proxy.Rules { return proxy.Rules{Proxies: map[string]*url.URL{"ftp": via}} }, 2},
		{func(via *url.URL) proxy.Rules { return proxy.Rules{Proxies: map[string]*url.URL{"http": via}} }, 0},
		{func(via *url.URL) proxy.Rules {
			return proxy.Rules{Proxies: map[string]*url.URL{proxy.All: via}, Except: "localhost"}
		}, 0},
		{func(via *url.URL) proxy.Rules {
			return proxy.Rules{Proxies: map[string]*url.URL{proxy.All: via}, Except: "127.0.0.1"}
		}, 2},
	} {
		p, r := start(t, "socks5", false)
		router := &proxy.Router{Rules: c.rules(p.URL)}
		router.Fetcher = &ftp.Fetcher{Network: &fetchers.Network{Dial: router.Dial, DialData: router.DialData}}
		server := ftptest.NewServer(fstest.MapFS{"poem.txt": {Data: []byte(poem)}})
		_, port, _ := net.SplitHostPort(server.Addr)
		fetched(t, router, "ftp://localhost:"+port+"/poem.txt")
		if seen := r.requests(); len(seen) != c.connections {
			t.Errorf("%v: the proxy saw %q, want %d connections", router.Rules, seen, c.connections)
		}
		router.CloseIdle()
		server.Close()
	}
}

// URLs with an HTTP proxy are fetched by the Gateway, which connects to the proxy itself. Without a
// Gateway there is a tunnel.
func TestRouterGateway(t *testing.T) {
	p, r := start(t, "http", false)
	target := listen(t, stall)
	dialled := func(router *proxy.Router, addr string) fetchers.Fetcher {
		return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			c, err := router.Dial(ctx, "tcp", addr)
			if err != nil {
				return nil, err
			}
			c.Close()
			return new(fetchers.Resource), nil
		})
	}
	for _, c := range []struct {
		u       string
		gateway bool
		tunnels int
	}{
		{"ftp://example.org/", true, 0},
		{"http://example.org/", true, 0},
		{"ftps://joe:s3cret@example.org/", true, 1}, // TLS is with the server
		{"gophers://example.org/", true, 1},
		{"gemini://example.org/", true, 1},
		{"nntps://example.org/", true, 1},
		{"snews://example.org/", true, 1},
		{"telnets://example.org/", true, 1},
		{"https://example.org/", true, 0}, // the Gateway makes the tunnel
		{"ftp://example.org/", false, 1},
		{"ftp://127.0.0.1/", false, 0}, // an exception
		{"news:comp.infosystems", false, 1},
		{"news:comp.infosystems", true, 1}, // the server is unknown
	} {
		router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{proxy.All: p.URL}, Except: "127.0.0.1:21"}}
		router.Fetcher = dialled(router, target)
		if c.gateway {
			router.Gateway = dialled(router, r.addr)
		}
		r.seen = nil
		if _, err := router.Fetch(t.Context(), &fetchers.Request{URL: parse(t, c.u)}); err != nil {
			t.Fatal(err)
		}
		if seen := r.requests(); len(seen) != c.tunnels {
			t.Errorf("%s, gateway=%v: the proxy saw %q, want %d tunnels", c.u, c.gateway, seen, c.tunnels)
		}
	}
}

// If Target replaces a server, the connection to the replacement uses a tunnel, and the address of
// the proxy is not replaced. The data connections of FTP follow the control connection.
func TestRouterTarget(t *testing.T) {
	p, r := start(t, "http", false)
	server := ftptest.NewServer(fstest.MapFS{"poem.txt": {Data: []byte(poem)}})
	defer server.Close()
	router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{proxy.All: p.URL}}}
	router.Target = func(addr string) string {
		if addr == "ftp.example:21" || addr == r.addr {
			return server.Addr
		}
		return addr
	}
	asked := 0
	router.Gateway = fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		asked++
		c, err := router.Dial(ctx, "tcp", r.addr)
		if err != nil {
			return nil, err
		}
		if c.RemoteAddr().String() != r.addr {
			t.Errorf("the gateway is at %v", c.RemoteAddr())
		}
		c.Close()
		return &fetchers.Resource{URL: req.URL}, nil
	})
	router.Fetcher = &ftp.Fetcher{Network: &fetchers.Network{Dial: router.Dial, DialData: router.DialData}}
	fetched(t, router, "ftp://ftp.example/poem.txt")
	router.CloseIdle()
	seen := r.requests()
	if len(seen) != 2 || seen[0] != "CONNECT "+server.Addr || asked != 0 {
		t.Errorf("the proxy saw %q, and the gateway %d requests", seen, asked)
	}
	if _, err := router.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "ftp://other.example/")}); err != nil || asked != 1 {
		t.Errorf("another server: %v, and the gateway saw %d requests", err, asked)
	}
	if router.AsksFor(parse(t, "ftp://ftp.example/")) != nil || router.AsksFor(parse(t, "ftp://other.example/")) != p.URL {
		t.Error("the proxy is asked for a URL whose server is elsewhere, or is not for another")
	}
}

// For proxies that accept addresses only, known addresses take precedence over DNS.
func TestLookup(t *testing.T) {
	lookup := func(host, port string) []netip.Addr {
		if host+":"+port != "h.example:80" {
			return nil
		}
		return []netip.Addr{netip.MustParseAddr("2001:db8::7"), netip.MustParseAddr("192.0.2.7")}
	}
	for kind, want := range map[string]string{
		"socks5": "socks5 [2001:db8::7]:80", "socks5h": "socks5 name h.example:80",
		"socks4": "socks4 192.0.2.7:80", // no IPv6
	} {
		p, r := start(t, kind, false)
		p.Lookup, r.reply = lookup, 2
		if c, err := p.Dial(t.Context(), "tcp", "h.example:80"); err == nil {
			c.Close()
		}
		if seen := r.requests(); len(seen) == 0 || seen[0] != want {
			t.Errorf("%s: the proxy saw %q, want %q", kind, seen, want)
		}
	}
}

// A session is opened through the proxy of its request, by a tunnel: a gateway cannot open
// sessions.
func TestRouterSession(t *testing.T) {
	p, r := start(t, "http", false)
	target := listen(t, stall)
	router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{"telnet": p.URL}}}
	router.Gateway = fetchers.FetcherFunc(func(context.Context, *fetchers.Request) (*fetchers.Resource, error) {
		t.Error("the gateway is asked")
		return nil, fetchers.ErrProxy
	})
	router.Fetcher = &telnet.Fetcher{Network: &fetchers.Network{Dial: router.Dial}}
	res, err := router.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "telnet://"+target+"/")})
	if err != nil {
		t.Fatal(err)
	}
	if seen := r.requests(); len(seen) != 0 {
		t.Errorf("before it is opened the proxy saw %q", seen)
	}
	s, err := res.Session.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if seen := r.requests(); len(seen) != 1 {
		t.Errorf("the proxy saw %q, want a tunnel", seen)
	}
}

// Direct opens connections without a proxy, and Forward those to proxies.
func TestRouterDirect(t *testing.T) {
	p, _ := start(t, "socks5h", false)
	target := listen(t, stall)
	var direct, forward []string
	dial := func(told *[]string) proxy.DialFunc {
		return func(ctx context.Context, network, addr string) (net.Conn, error) {
			*told = append(*told, addr)
			return new(net.Dialer).DialContext(ctx, network, addr)
		}
	}
	router := &proxy.Router{Forward: dial(&forward), Direct: dial(&direct)}
	for _, proxies := range []map[string]*url.URL{nil, {proxy.All: p.URL}} {
		router.Rules.Proxies = proxies
		c, err := router.Dial(t.Context(), "tcp", target)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	if !slices.Equal(direct, []string{target}) || !slices.Equal(forward, []string{p.URL.Addr()}) {
		t.Errorf("Direct has dialled %q and Forward %q", direct, forward)
	}
}

// Without a request, the address decides.
func TestRouterDial(t *testing.T) {
	p, r := start(t, "socks5h", false)
	target := listen(t, stall)
	_, port, _ := net.SplitHostPort(target)
	router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{proxy.All: p.URL}, Except: "127.0.0.1:" + port}}
	for addr, want := range map[string]int{target: 0, hidden + ":" + port: 1} {
		r.seen = nil
		c, err := router.Dial(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if seen := r.requests(); len(seen) != want {
			t.Errorf("%s: the proxy saw %q", addr, seen)
		}
	}
	if _, err := router.Dial(t.Context(), "tcp", "nonsense"); err == nil {
		t.Error("there is a connection to nonsense")
	}
}
