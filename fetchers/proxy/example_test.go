package proxy_test

import (
	"fmt"
	"net"
	"os"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/url"
)

// All connections use one SOCKS proxy, which must have a public address.
func ExampleDialer() {
	via, err := proxy.Parse("socks5h://joe:secret@proxy.example")
	if err != nil {
		fmt.Println(err)
		return
	}
	dial, err := proxy.Dialer(via, fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &fetchers.Client{Fetcher: &ftp.Fetcher{Network: &fetchers.Network{Dial: dial}}}
	defer client.CloseIdle()
}

// The proxies are those of the environment.
func ExampleRouter() {
	rules, err := proxy.FromEnvironment(os.Getenv)
	if err != nil {
		fmt.Println(err)
		return
	}
	router := &proxy.Router{Rules: rules}
	nw := &fetchers.Network{Dial: router.Dial}
	web := &http.Fetcher{Network: nw, Proxy: rules.Gateway}
	registry := new(fetchers.Registry)
	registry.Register(web, "http", "https")
	registry.Register(&ftp.Fetcher{Network: nw}, "ftp")
	router.Fetcher, router.Gateway = registry, web
	client := &fetchers.Client{Fetcher: router}
	defer client.CloseIdle()
}

func ExampleRules() {
	via, _ := proxy.Parse("proxy.example:3128")
	rules := proxy.Rules{
		Proxies: map[string]*url.URL{proxy.All: via, "gopher": nil},
		Except:  "example.org, 10.0.0.0/8",
	}
	for _, s := range []string{"http://example.com/", "ftp://ftp.example.org/", "http://10.1.2.3/", "gopher://example.com/"} {
		u, _ := url.Parse(s)
		if via := rules.For(u); via != nil {
			fmt.Println(s, "by way of", via.Redacted())
		} else {
			fmt.Println(s)
		}
	}
	// Output:
	// http://example.com/ by way of http://proxy.example:3128
	// ftp://ftp.example.org/
	// http://10.1.2.3/
	// gopher://example.com/
}
