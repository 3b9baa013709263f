package http_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// localhost resolves every name to the servers of a test, by the port of their scheme. The
// certificate of httptest is valid for example.com and its subdomains.
func localhost(t *testing.T, h nethttp.HandlerFunc) (f *http.Fetcher, asked *[]string) {
	t.Helper()
	asked = new([]string)
	h2 := nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		line := scheme + "://" + r.Host + r.URL.Path
		if c, ok := r.Header["Cookie"]; ok {
			line += " " + strings.Join(c, "|")
		}
		*asked = append(*asked, line)
		h(w, r)
	})
	plain, secure := httptest.NewServer(h2), httptest.NewTLSServer(h2)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	f = &http.Fetcher{
		TLS: &tls.Config{RootCAs: roots},
		Network: &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			to := plain.Listener.Addr().String()
			if strings.HasSuffix(addr, ":443") {
				to = secure.Listener.Addr().String()
			}
			return new(net.Dialer).DialContext(ctx, network, to)
		}, Local: func(*url.URL) bool { return true }},
	}
	t.Cleanup(func() { f.CloseIdle(); plain.Close(); secure.Close() })
	return f, asked
}

// get fetches through a Client and returns the error.
func get(t *testing.T, f fetchers.Fetcher, req *fetchers.Request) error {
	t.Helper()
	res, err := (&fetchers.Client{Fetcher: f}).Fetch(context.Background(), req)
	if err == nil {
		res.Close()
	}
	return err
}

// Each hop of a redirection sets and receives its own cookies. A refusal and a challenge set
// cookies too. The caller's cookies are sent with those of the jar.
func TestJarInUse(t *testing.T) {
	f, asked := localhost(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch r.URL.Path {
		case "/start":
			w.Header().Add("Set-Cookie", "a=1; Path=/")
			w.Header().Add("Set-Cookie", "b=2; Path=/; Domain=example.com")
			nethttp.Redirect(w, r, "http://other.example.net/next", nethttp.StatusFound)
		case "/next":
			w.Header().Add("Set-Cookie", "c=3")
			nethttp.Redirect(w, r, "http://www.example.com/last", nethttp.StatusFound)
		case "/missing":
			w.Header().Add("Set-Cookie", "d=4")
			nethttp.NotFound(w, r)
		case "/login":
			if _, _, ok := r.BasicAuth(); !ok {
				w.Header().Add("Set-Cookie", "e=5")
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(nethttp.StatusUnauthorized)
			}
		}
	})
	f.Jar = new(http.Jar)
	f.Jar.Load(strings.NewReader("example.com\tFALSE\t/start\tFALSE\t0\town\tloaded\nexample.com\tFALSE\t/start\tFALSE\t0\tf\tloaded\n"))
	const start = "http://example.com/start"
	get(t, f, &fetchers.Request{URL: parse(t, start)})
	get(t, f, &fetchers.Request{URL: parse(t, "http://example.com/missing")})
	get(t, f, &fetchers.Request{URL: parse(t, "http://u:p@example.com/login")})
	get(t, f, &fetchers.Request{URL: parse(t, start), Header: textproto.MIMEHeader{"Cookie": {"own=1;b=old", "own=2"}}})
	get(t, f, &fetchers.Request{URL: parse(t, "http://example.com/none"), Header: textproto.MIMEHeader{"Cookie": {""}}})
	want := []string{
		"http://example.com/start own=loaded; f=loaded",
		"http://other.example.net/next",
		"http://www.example.com/last b=2",
		"http://example.com/missing a=1; b=2",
		"http://example.com/login a=1; b=2; d=4",
		"http://example.com/login a=1; b=2; d=4; e=5",
		"http://example.com/start f=loaded; a=1; b=2; d=4; e=5; own=1; own=2",
		"http://other.example.net/next c=3",
		"http://www.example.com/last b=2",
		"http://example.com/none",
	}
	if got := strings.Join(*asked, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// A URL with Namer ByStranger neither receives nor sets a cookie.
func TestJarIsNotForStrangers(t *testing.T) {
	f, asked := localhost(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Add("Set-Cookie", "evil=1; Domain=example.com; Path=/")
	})
	f.Jar = new(http.Jar)
	f.Jar.Receive(parse(t, "http://example.com/"), []string{"a=1"})
	get(t, f, &fetchers.Request{URL: parse(t, "http://example.com/x"), Named: fetchers.ByStranger})
	get(t, f, &fetchers.Request{URL: parse(t, "http://example.com:8080/x"), Named: fetchers.ByStranger})
	get(t, f, &fetchers.Request{URL: parse(t, "http://example.com/y")})
	want := []string{"http://example.com/x", "http://example.com:8080/x", "http://example.com/y a=1"}
	if got := strings.Join(*asked, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// A caller's Host field decides whose cookies are sent and set, up to a redirection to another
// origin, which does not receive the field. The certificate is verified for the host of the URL.
func TestJarAndHost(t *testing.T) {
	f, asked := localhost(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch r.URL.Path {
		case "/same":
			w.Header().Set("Set-Cookie", "new=1; Path=/")
			w.Header().Set("Location", "/end")
			w.WriteHeader(nethttp.StatusFound)
		case "/other":
			w.Header().Set("Location", "http://www.example.com/end")
			w.WriteHeader(nethttp.StatusFound)
		}
	})
	f.Jar = new(http.Jar)
	f.Jar.Receive(parse(t, "http://example.com/"), []string{"url=1"})
	f.Jar.Receive(parse(t, "https://named.example/"), []string{"named=1; Secure", "plain=1"})
	ask := func(text, host string) error {
		return get(t, f, &fetchers.Request{URL: parse(t, text), Header: textproto.MIMEHeader{"Host": {host}}})
	}
	for _, c := range [][2]string{
		{"http://example.com/same", "named.example"}, {"http://example.com/other", "named.example:81"}, {"https://example.com/", "named.example"},
		{"http://127.0.0.1/", "named.example"}, {"http://example.com/", "[::1"}, {"http://example.com/", ""},
	} {
		if err := ask(c[0], c[1]); err != nil {
			t.Error(err)
		}
	}
	want := []string{
		"http://named.example/same plain=1",
		"http://named.example/end plain=1; new=1",
		"http://named.example:81/other plain=1; new=1",
		"http://www.example.com/end",
		"https://named.example/ named=1; plain=1; new=1",
		"http://named.example/ plain=1; new=1",
		"http://[::1/",
		"http://example.com/ url=1",
	}
	if got := strings.Join(*asked, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	err := get(t, f, &fetchers.Request{URL: parse(t, "http://example.com/"), Header: textproto.MIMEHeader{"Host": {"a.example", "b.example"}}})
	if err == nil || !strings.Contains(err.Error(), "several header fields Host") || len(*asked) != len(want) {
		t.Errorf("two fields Host: %v", err)
	}
}

// A proxy that fetches by another protocol neither sets nor receives cookies.
func TestJarAndProxy(t *testing.T) {
	f, asked := localhost(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Add("Set-Cookie", "p=1; Path=/")
	})
	f.Jar = new(http.Jar)
	f.Jar.Receive(parse(t, "http://example.com/"), []string{"a=1"})
	via := parse(t, "http://proxy.example:80/")
	f.Proxy = func(*url.URL) *url.URL { return via }
	get(t, f, &fetchers.Request{URL: parse(t, "ftp://example.com/x")})
	get(t, f, &fetchers.Request{URL: parse(t, "http://example.com/x")})
	want := "http://example.com/x\nhttp://example.com/x a=1"
	if got := strings.Join(*asked, "\n"); got != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}
	if n := len(f.Jar.Cookies()); n != 2 {
		t.Errorf("%d cookies", n)
	}
}

// A proxy reads requests to localhost without TLS, and its localhost is another machine: it
// receives and sets no Secure cookie.
func TestSecureCookiesAndProxy(t *testing.T) {
	f, asked := localhost(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Add("Set-Cookie", "p=1; Path=/; Secure")
	})
	f.Jar = new(http.Jar)
	f.Jar.Receive(parse(t, "http://localhost/"), []string{"a=1; Secure"})
	get(t, f, &fetchers.Request{URL: parse(t, "http://localhost/direct")})
	via := parse(t, "http://proxy.example:80/")
	f.Proxy = func(*url.URL) *url.URL { return via }
	get(t, f, &fetchers.Request{URL: parse(t, "http://localhost/via")})
	f.Jar.Receive(parse(t, "http://localhost/"), []string{"p=; Max-Age=0"})
	get(t, f, &fetchers.Request{URL: parse(t, "http://localhost/via")})
	want := "http://localhost/direct a=1\nhttp://localhost/via\nhttp://localhost/via"
	if got := strings.Join(*asked, "\n"); got != want || len(f.Jar.Cookies()) != 1 {
		t.Errorf("asked\n%s\nwant\n%s\nand %d cookies", got, want, len(f.Jar.Cookies()))
	}
}

// A tunnel, or a SOCKS proxy, is a Dial of the Network. It can read requests to localhost, unless
// the Network reports that they stay on this machine.
func TestSecureCookiesAndTunnel(t *testing.T) {
	f, asked := localhost(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Add("Set-Cookie", "p=1; Path=/; Secure")
	})
	f.Jar = new(http.Jar)
	f.Jar.Receive(parse(t, "http://localhost/"), []string{"a=1; Secure"})
	f.Network.Local = nil
	for _, u := range []string{"http://localhost/", "http://a.localhost/", "http://127.0.0.1/", "http://[::1]/"} {
		get(t, f, &fetchers.Request{URL: parse(t, u)})
	}
	f.Network.Local = func(u *url.URL) bool { return u.Path == "/here" }
	get(t, f, &fetchers.Request{URL: parse(t, "http://localhost/there")})
	get(t, f, &fetchers.Request{URL: parse(t, "http://localhost/here")})
	want := "http://localhost/\nhttp://a.localhost/\nhttp://127.0.0.1/\nhttp://[::1]/\nhttp://localhost/there\nhttp://localhost/here a=1"
	if got := strings.Join(*asked, "\n"); got != want || len(f.Jar.Cookies()) != 2 {
		t.Errorf("asked\n%s\nwant\n%s\nand %d cookies", got, want, len(f.Jar.Cookies()))
	}
}

// HSTS set over https applies to later http URLs; HSTS over http is ignored.
func TestHSTSInUse(t *testing.T) {
	strict := func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=100; includeSubDomains")
		w.Header().Add("Strict-Transport-Security", "max-age=0")
		if r.Method == "PROPFIND" {
			w.WriteHeader(nethttp.StatusMultiStatus)
		}
	}
	f, asked := localhost(t, strict)
	f.HSTS = new(http.HSTS)
	ask := func(text string) {
		t.Helper()
		if err := get(t, f, &fetchers.Request{URL: parse(t, text)}); err != nil {
			t.Error(err)
		}
	}
	ask("http://example.com/1")
	ask("http://example.com/2")
	ask("https://example.com/3")
	ask("http://example.com:80/4")
	ask("http://www.example.com/5")
	if err := get(t, fetchers.FetcherFunc(f.List), &fetchers.Request{URL: parse(t, "http://example.com/6/")}); err != nil {
		t.Error(err)
	}
	want := "http://example.com/1\nhttp://example.com/2\nhttps://example.com/3\nhttps://example.com:443/4\nhttps://www.example.com/5\nhttps://example.com/6/"
	if got := strings.Join(*asked, "\n"); got != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}

	res, err := f.Fetch(context.Background(), &fetchers.Request{URL: parse(t, "http://example.com/x?y#z")})
	if err != nil || res.Kind != fetchers.Redirect || res.Location.String() != "https://example.com/x?y#z" || res.Size != -1 {
		t.Errorf("%+v, %v", res, err)
	}
	res.Close()

	// HSTS is ignored if the certificate was not verified.
	f, _ = localhost(t, strict)
	f.TLS, f.HSTS = &tls.Config{InsecureSkipVerify: true}, new(http.HSTS)
	ask("https://example.com/")
	if f.HSTS.Upgrade(parse(t, "http://example.com/")) != nil {
		t.Error("learned without verification")
	}

	f, asked = localhost(t, strict) // without a store, no HSTS
	ask("https://example.com/")
	ask("http://example.com/")
	if len(*asked) != 2 || (*asked)[1] != "http://example.com/" {
		t.Errorf("asked %q", *asked)
	}
}

// Filling the Jar over a real connection costs little time.
func TestJarFilledByServer(t *testing.T) {
	f, _ := localhost(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		for range 10_000 {
			w.Header().Add("Set-Cookie", "a=1")
		}
		for i := range 3000 {
			w.Header().Add("Set-Cookie", "c"+strings.Repeat("x", i%100)+"=1")
		}
	})
	f.Jar = new(http.Jar)
	start := time.Now()
	err := get(t, f, &fetchers.Request{URL: parse(t, "http://example.com/")})
	if n := len(f.Jar.Cookies()); n > 180 || time.Since(start) > 5*time.Second {
		t.Errorf("%d cookies after %v, %v", n, time.Since(start), err)
	}
}
