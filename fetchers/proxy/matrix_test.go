package proxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	neturl "net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

// kinds are the schemes of proxies, with the requests that each sends for a host name and for an
// address.
var kinds = map[string]struct {
	names        bool   // names are sent to the proxy
	name, number string // recorded by a relay, before host:port
}{
	"socks":   {names: true, name: "socks5 name ", number: "socks5 "},
	"socks5h": {names: true, name: "socks5 name ", number: "socks5 "},
	"socks5":  {number: "socks5 "},
	"socks4a": {names: true, name: "socks4a ", number: "socks4 "},
	"socks4":  {number: "socks4 "},
	"http":    {names: true, name: "CONNECT ", number: "CONNECT "},
	"https":   {names: true, name: "CONNECT ", number: "CONNECT "},
}

const poem = "all that glitters is not gold\n"

// Every kind of proxy carries every protocol, FTP with its data connections, and receives only the
// necessary information.
func TestMatrix(t *testing.T) {
	for kind, sends := range kinds {
		for _, login := range []bool{false, true} {
			for _, named := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s login=%v named=%v", kind, login, named), func(t *testing.T) {
					p, r := start(t, kind, login)
					host, prefix := "127.0.0.1", sends.number
					switch {
					case named && sends.names:
						host, prefix = hidden, sends.name
					case named:
						host = "localhost"
					}
					for _, scheme := range []string{"http", "https", "ftp"} {
						connections, port := fetchThrough(t, p, scheme, host)
						seen := r.requests()
						r.seen = nil
						if len(seen) != connections {
							t.Errorf("%s: the proxy saw %q, want %d connections", scheme, seen, connections)
						}
						if host == "localhost" {
							host = "127.0.0.1"
						}
						want := prefix + net.JoinHostPort(host, port)
						switch {
						case login && strings.HasPrefix(kind, "socks4"):
							want += " as joe"
						case login:
							want += " as joe:s3cret"
						}
						if len(seen) > 0 && seen[0] != want {
							t.Errorf("%s: the proxy saw %q, want %q", scheme, seen[0], want)
						}
						if len(seen) > 1 && !strings.HasPrefix(seen[1], prefix+host+":") {
							t.Errorf("the data connection is %q, want one to the same host", seen[1])
						}
					}
				})
			}
		}
	}
}

// start starts a proxy, and returns a client for it and its record.
func start(t *testing.T, kind string, login bool) (*proxy.Proxy, *relay) {
	t.Helper()
	p := new(proxy.Proxy)
	var r *relay
	user, password := "", ""
	if login {
		user, password = "joe", "s3cret"
	}
	if strings.HasPrefix(kind, "socks") {
		r = newSOCKS(t, user, password)
	} else {
		var server *httptest.Server
		if r, server = newHTTP(t, kind == "https", user, password); kind == "https" {
			p.TLS = trust(server)
		}
	}
	p.URL = parse(t, kind+"://"+r.addr)
	if login {
		p.URL.User = &url.Userinfo{Name: user}
		if !strings.HasPrefix(kind, "socks4") {
			p.URL.User.Password, p.URL.User.PasswordSet = password, true
		}
	}
	return p, r
}

// fetchThrough fetches a document through p. It returns the number of connections and the port of
// the first.
func fetchThrough(t *testing.T, p *proxy.Proxy, scheme, host string) (connections int, port string) {
	t.Helper()
	nw := &fetchers.Network{Dial: p.Dial}
	if scheme == "ftp" {
		server := ftptest.NewServer(fstest.MapFS{"poem.txt": {Data: []byte(poem)}})
		defer server.Close()
		_, port, _ := net.SplitHostPort(server.Addr)
		fetched(t, &ftp.Fetcher{Network: nw}, "ftp://"+host+":"+port+"/poem.txt")
		return 2, port
	}
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if who := r.Header.Get("Proxy-Authorization"); who != "" {
			t.Errorf("the server was told %q", who)
		}
		io.WriteString(w, poem)
	}))
	defer server.Close()
	if scheme == "http" {
		server.Start()
		_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
		fetched(t, &http.Fetcher{Network: nw}, "http://"+host+":"+port+"/")
		return 1, port
	}
	server.StartTLS()
	_, port, _ = net.SplitHostPort(server.Listener.Addr().String())
	config := trust(server)
	config.ServerName = "example.com" // the certificate of the test is for this host
	c := nethttp.Client{Transport: &nethttp.Transport{DialContext: nw.DialContext, TLSClientConfig: config, DisableKeepAlives: true}}
	resp, err := c.Get((&neturl.URL{Scheme: "https", Host: host + ":" + port}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); string(body) != poem || err != nil {
		t.Errorf("https: %q, %v", body, err)
	}
	return 1, port
}

func fetched(t *testing.T, f fetchers.Fetcher, text string) {
	t.Helper()
	defer (&fetchers.Client{Fetcher: f}).CloseIdle()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if body, err := io.ReadAll(res.Body); string(body) != poem || err != nil {
		t.Errorf("%s: %q, %v", text, body, err)
	}
}

func trust(server *httptest.Server) *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return &tls.Config{RootCAs: roots}
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The RemoteAddr is the target, as FTP and a trace need it.
func TestRemoteAddr(t *testing.T) {
	_, port, _ := net.SplitHostPort(listen(t, func(c net.Conn) { io.Copy(io.Discard, c) }))
	for _, c := range []struct{ kind, host, want string }{
		{"socks5", "127.0.0.1", "127.0.0.1"},
		{"socks5", "localhost", "127.0.0.1"},
		{"socks5h", "127.0.0.1", "127.0.0.1"},
		{"socks5h", hidden, hidden},
		{"socks4", "localhost", "127.0.0.1"},
		{"socks4a", hidden, hidden},
		{"http", hidden, hidden},
		{"http", "127.0.0.1", "127.0.0.1"},
	} {
		p, r := start(t, c.kind, false)
		first, err := p.Dial(t.Context(), "tcp", net.JoinHostPort(c.host, port))
		if err != nil {
			t.Errorf("%s %s: %v", c.kind, c.host, err)
			continue
		}
		defer first.Close()
		addr := first.RemoteAddr()
		if _, tcp := addr.(*net.TCPAddr); tcp != (c.want != hidden) || addr.String() != c.want+":"+port {
			t.Errorf("%s %s: RemoteAddr is %T %v, want %s", c.kind, c.host, addr, addr, c.want)
		}
		second, err := p.Dial(t.Context(), "tcp", addr.String())
		if err != nil {
			t.Errorf("%s %s: %v", c.kind, addr, err)
			continue
		}
		defer second.Close()
		if seen := r.requests(); len(seen) != 2 || seen[0] != seen[1] {
			t.Errorf("%s %s: the proxy saw %q, want the same twice", c.kind, c.host, seen)
		}
	}
}
