package proxy_test

import (
	"context"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/url"
)

// Other proxies are reached through the first one, and so are servers without a proxy. Each proxy
// receives its own login only.
func TestFirst(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.WriteString(w, poem) }))
	t.Cleanup(server.Close)
	target := server.Listener.Addr().String()
	for _, kind := range []string{"http", "https", "socks5h", "socks4a"} {
		first, before := start(t, "socks5h", true)
		second, after := start(t, kind, true)
		before.password, first.URL.User.Password = "0ther", "0ther"
		router := &proxy.Router{TLS: second.TLS, Rules: proxy.Rules{Proxies: map[string]*url.URL{"http": second.URL}, First: first.URL}}
		web := &http.Fetcher{Network: &fetchers.Network{Dial: router.Dial}}
		router.Fetcher = web
		fetched(t, router, server.URL)
		if got, want := before.requests(), "socks5 "+after.addr+" as joe:0ther"; len(got) != 1 || got[0] != want {
			t.Errorf("%s: the first proxy sees %q, want %q", kind, got, want)
		}
		if got := strings.Join(after.requests(), ", "); !strings.Contains(got, " "+target+" as joe") || strings.Contains(got, "0ther") {
			t.Errorf("%s: the second proxy sees %q", kind, got)
		}
		web.CloseIdle()

		before.seen, after.seen = nil, nil
		router.Rules.Proxies = nil
		fetched(t, router, server.URL)
		if got := before.requests(); len(got) != 1 || !strings.HasPrefix(got[0], "socks5 "+target) || len(after.requests()) > 0 {
			t.Errorf("%s: without another proxy the first sees %q", kind, got)
		}
		web.CloseIdle()

		before.seen = nil
		router.Rules.Except = "127.0.0.1"
		fetched(t, router, server.URL)
		if got := before.requests(); len(got) > 0 {
			t.Errorf("%s: an exception is asked of the first proxy: %q", kind, got)
		}
		web.CloseIdle()
	}
}

// A Gateway connects to its proxy through the first one.
func TestFirstBeforeGateway(t *testing.T) {
	asked := make(chan string, 1)
	gateway := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		asked <- r.RequestURI
		io.WriteString(w, poem)
	}))
	t.Cleanup(gateway.Close)
	first, before := start(t, "socks4a", false)
	router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{proxy.All: parse(t, gateway.URL)}, First: first.URL}}
	web := &http.Fetcher{Network: &fetchers.Network{Dial: router.Dial}, Proxy: router.Rules.Gateway}
	t.Cleanup(web.CloseIdle)
	router.Fetcher, router.Gateway = web, web
	fetched(t, router, "ftp://f.example/poem.txt")
	if got := <-asked; got != "ftp://f.example/poem.txt" {
		t.Errorf("the gateway is asked for %q", got)
	}
	if got := before.requests(); len(got) != 1 || got[0] != "socks4 "+gateway.Listener.Addr().String() {
		t.Errorf("the first proxy sees %q", got)
	}
}

// If the first proxy is unreachable, the error names it, without its password.
func TestFirstFails(t *testing.T) {
	second, after := start(t, "http", false)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{proxy.All: second.URL}, First: parse(t, "socks5h://joe:s3cret@"+l.Addr().String())}}
	_, err = router.Dial(t.Context(), "tcp", "h.example:80")
	if !errors.Is(err, fetchers.ErrProxy) || !strings.Contains(err.Error(), "proxy socks5h://joe:***@"+l.Addr().String()+": ") || len(after.requests()) > 0 {
		t.Errorf("the error is %v", err)
	}
}

// Resolve resolves the names that are not sent to the proxy.
func TestResolveIsCalled(t *testing.T) {
	for _, kind := range []string{"socks5", "socks4"} {
		p, r := start(t, kind, false)
		target := listen(t, stall)
		_, port, _ := net.SplitHostPort(target)
		var asked []string
		router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{proxy.All: p.URL}}}
		router.Resolve = func(_ context.Context, network, name string) ([]netip.Addr, error) {
			asked = append(asked, name)
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
		c, err := router.Dial(t.Context(), "tcp", "h.example:"+port)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if got := r.requests(); !slices.Equal(asked, []string{"h.example"}) || !slices.Equal(got, []string{kind + " " + target}) {
			t.Errorf("%s: Resolve is asked for %q, and the proxy for %q", kind, asked, got)
		}
	}
}
