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
	"github.com/seed1ea3422f/fetch/integration/real/servers"
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

// Each proxy leads to each protocol, by the server's address and by its name.
func TestProxies(t *testing.T) {
	squid, dante := servers.Need(t, "squid"), servers.Need(t, "dante")
	web, files := servers.Need(t, "nginx"), servers.Need(t, "vsftpd")
	login := (&url.URL{Scheme: "x", Slashes: true, Authority: url.Authority{
		Host: "h", User: &url.Userinfo{Name: squid.User, Password: squid.Password, PasswordSet: true},
	}}).String()
	login = strings.TrimSuffix(strings.TrimPrefix(login, "x://"), "h")
	for _, via := range []struct {
		url    string
		tunnel bool
	}{
		{"http://" + squid.Addrs["http"], false},
		{"http://" + squid.Addrs["http"], true},
		{"http://" + login + squid.Addrs["auth"], false},
		{"http://" + login + squid.Addrs["auth"], true},
		{"socks5://" + dante.Addrs["socks5"], false},
		{"socks5h://" + dante.Addrs["socks5"], false},
		{"socks5h://" + login + dante.Addrs["auth"], false},
		{"socks4://" + dante.Addrs["socks5"], false},
	} {
		scheme, _, _ := strings.Cut(via.url, ":")
		auth := ""
		if strings.Contains(via.url, "@") {
			auth = " with a login"
		}
		t.Run(fmt.Sprintf("%s%s tunnel=%v", scheme, auth, via.tunnel), func(t *testing.T) {
			with(t, map[bool]string{true: "dante", false: "squid"}[strings.HasPrefix(scheme, "socks")])
			client := newProxied(t, via.url, via.tunnel)
			want := onDisk(t, web, "100k.bin")
			for _, tree := range []string{web.Tree, "https://" + web.Addrs["https"] + "/pub", files.Tree, strings.Replace(web.Tree, "127.0.0.1", "localhost", 1), strings.Replace(files.Tree, "127.0.0.1", "localhost", 1)} {
				if _, got := get(t, client, tree+"/100k.bin"); !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes that are not the %d on disk", tree, len(got), len(want))
				}
			}
			_, err := client.Get(t.Context(), web.Tree+"/nope")
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what is missing: %v, want fs.ErrNotExist", err)
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

// A proxy that does not know us says so, and is not offered the server's password.
func TestProxyRefuses(t *testing.T) {
	with(t, "squid and dante")
	squid, dante := servers.Need(t, "squid"), servers.Need(t, "dante")
	web := servers.Need(t, "nginx")
	for _, via := range []string{
		"http://" + squid.Addrs["auth"], "http://me:wrong@" + squid.Addrs["auth"],
		"socks5://" + dante.Addrs["auth"], "socks5://me:wrong@" + dante.Addrs["auth"],
	} {
		_, err := newProxied(t, via, false).Get(t.Context(), web.Tree+"/hello.txt")
		if !errors.Is(err, fetchers.ErrProxy) || errors.Is(err, fetchers.ErrLogin) || strings.Contains(fmt.Sprint(err), "wrong") {
			t.Errorf("%s: %v, want ErrProxy without the password", via, err)
		}
	}
}
