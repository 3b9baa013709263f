package interop

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/url"
)

// newProxied returns a Client that goes through a proxy, asking it for URLs or
// for tunnels only.
func newProxied(t *testing.T, via string, tunnel bool) *fetchers.Client {
	t.Helper()
	u, err := proxy.Parse(via)
	if err != nil {
		t.Fatal(err)
	}
	router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{proxy.All: u}}}
	set := newSet(t, &fetchers.Network{Dial: router.Dial})
	router.Fetcher = set.Registry()
	if !tunnel {
		set.HTTP.Proxy, router.Gateway = router.Rules.Gateway, &set.HTTP
	}
	client := &fetchers.Client{Fetcher: router}
	t.Cleanup(client.CloseIdle)
	return client
}

// A way is one through a proxy.
type way struct {
	proxy  string // its name
	url    string
	tunnel bool // also for URLs that an HTTP proxy could fetch itself
	ftp    bool // it leads to FTP, too
}

// ways are those through all proxies. The plain HTTP proxies fetch no FTP.
func ways(t *testing.T) []way {
	var all []way
	for _, name := range []string{"squid", "tinyproxy", "privoxy"} {
		server := servers.Need(t, name)
		all = append(all, way{name, "http://" + server.Addrs["http"], false, name == "squid"}, way{name, "http://" + server.Addrs["http"], true, true})
		if addr := server.Addrs["auth"]; addr != "" {
			all = append(all, way{name, "http://" + login(server) + addr, false, name == "squid"}, way{name, "http://" + login(server) + addr, true, true})
		}
	}
	for _, name := range []string{"dante", "microsocks"} {
		server := servers.Need(t, name)
		all = append(all, way{name, "socks5://" + server.Addrs["socks5"], false, true}, way{name, "socks5h://" + server.Addrs["socks5"], false, true},
			way{name, "socks5h://" + login(server) + server.Addrs["auth"], false, true})
	}
	return append(all, way{"dante", "socks4://" + servers.Addr("dante"), false, true})
}

// login is the user and password at the start of a proxy's authority.
func login(proxy servers.Instance) string {
	password := proxy.Password
	if proxy.Name == "tinyproxy" {
		password = "s3cret" // the other one cannot stand in its configuration
	}
	u := url.URL{Scheme: "x", Slashes: true, Authority: url.Authority{
		Host: "h", User: &url.Userinfo{Name: proxy.User, Password: password, PasswordSet: true},
	}}
	return strings.TrimSuffix(strings.TrimPrefix(u.String(), "x://"), "h")
}

// Each proxy leads to each protocol, by the server's address and by its name.
func TestProxies(t *testing.T) {
	web, files := servers.Need(t, "nginx"), servers.Need(t, "vsftpd")
	for _, via := range ways(t) {
		scheme, _, _ := strings.Cut(via.url, ":")
		auth := ""
		if strings.Contains(via.url, "@") {
			auth = " with a login"
		}
		t.Run(fmt.Sprintf("%s%s tunnel=%v/%s", scheme, auth, via.tunnel, via.proxy), func(t *testing.T) {
			with(t, via.proxy)
			client := newProxied(t, via.url, via.tunnel)
			want := onDisk(t, web, "100k.bin")
			trees := []string{web.Tree, "https://" + web.Addrs["https"] + "/pub", strings.Replace(web.Tree, "127.0.0.1", "localhost", 1)}
			if via.ftp {
				trees = append(trees, files.Tree, strings.Replace(files.Tree, "127.0.0.1", "localhost", 1))
			}
			for _, tree := range trees {
				if _, got := get(t, client, tree+"/100k.bin"); !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes that are not the %d on disk", tree, len(got), len(want))
				}
			}
			if _, got := get(t, client, web.Tree+"/5m.bin"); !bytes.Equal(got, onDisk(t, web, "5m.bin")) {
				t.Errorf("5m.bin: %d bytes that are not those on disk", len(got))
			}
			_, err := client.Get(t.Context(), web.Tree+"/nope")
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what is missing: %v, want fs.ErrNotExist", err)
			}
		})
	}
}

// A server that a proxy cannot reach is an error of the proxy. A proxy that fetches itself answers
// with an error of its own.
func TestProxiedServerAway(t *testing.T) {
	all := ways(t)
	for _, name := range []string{"squid", "tinyproxy", "privoxy", "dante", "microsocks"} {
		t.Run(name, func(t *testing.T) {
			with(t, name)
			for _, via := range all {
				if via.proxy != name {
					continue
				}
				for _, u := range []string{"http://127.0.0.1:1/", "https://127.0.0.1:1/"} {
					_, err := newProxied(t, via.url, via.tunnel).Get(t.Context(), u)
					if !errors.Is(err, fetchers.ErrProxy) && !errors.Is(err, fetchers.ErrTemporary) {
						t.Errorf("%s: %v, want ErrProxy or ErrTemporary", u, err)
					}
				}
			}
		})
	}
}

// FTP in TLS goes through a tunnel as it does without one.
func TestProxiedFTPS(t *testing.T) {
	with(t, "squid and dante")
	squid, dante := servers.Need(t, "squid"), servers.Need(t, "dante")
	for _, via := range []string{"http://" + squid.Addrs["http"], "socks5h://" + dante.Addrs["socks5"]} {
		u, err := proxy.Parse(via)
		if err != nil {
			t.Fatal(err)
		}
		router := &proxy.Router{Rules: proxy.Rules{Proxies: map[string]*url.URL{proxy.All: u}}}
		set := newSet(t, &fetchers.Network{Dial: router.Dial})
		set.FTP.AuthTLS = ftp.Required
		router.Fetcher = set.Registry()
		client := &fetchers.Client{Fetcher: router}
		for _, name := range []string{"vsftpd", "vsftpd-ftps", "proftpd"} {
			server := servers.Need(t, name)
			if _, got := get(t, client, server.Tree+"/100k.bin"); !bytes.Equal(got, onDisk(t, server, "100k.bin")) {
				t.Errorf("%s through %s: %d bytes that are not those on disk", name, via, len(got))
			}
		}
		client.CloseIdle()
	}
}

// A proxy that requires a login refuses the request, and does not get the password of the server.
func TestProxyRefuses(t *testing.T) {
	web := servers.Need(t, "nginx")
	for _, name := range []string{"squid", "tinyproxy", "dante", "microsocks"} {
		t.Run(name, func(t *testing.T) {
			with(t, name)
			server := servers.Need(t, name)
			scheme, _, _ := strings.Cut(server.URL, ":")
			for _, who := range []string{"", "me:wrong@"} {
				for _, tree := range []string{web.Tree, "https://" + web.Addrs["https"] + "/pub"} {
					via := scheme + "://" + who + server.Addrs["auth"]
					_, err := newProxied(t, via, false).Get(t.Context(), tree+"/hello.txt")
					if name == "tinyproxy" && who != "" && tree == web.Tree {
						if !errors.Is(err, fetchers.ErrLogin) { // it answers 401, as if it were the server
							t.Errorf("%s: %v, want ErrLogin", via, err)
						}
						continue
					}
					if !errors.Is(err, fetchers.ErrProxy) || errors.Is(err, fetchers.ErrLogin) || strings.Contains(fmt.Sprint(err), "wrong") {
						t.Errorf("%s by %s: %v, want ErrProxy without the password", tree, via, err)
					}
				}
			}
		})
	}
}
