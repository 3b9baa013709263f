package proxy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/url"
)

func TestExceptions(t *testing.T) {
	for _, c := range []struct {
		except, u string
		direct    bool
	}{
		{"", "http://example.org/", false},
		{"example.org", "http://example.org/", true},
		{"example.org", "ftp://example.org/", true},
		{"example.org", "gopher://example.org/", true},
		{"example.org", "wais://www.example.org/db", true},
		{"example.org", "http://badexample.org/", false},
		{"example.org", "http://example.org.evil.example/", false},
		{"Example.ORG", "http://example.org./", true},
		{"example.org.", "http://example.org/", true},
		{".example.org", "http://example.org/", true},
		{".example.org", "http://www.example.org/", true},
		{"*.example.org", "http://example.org/", false},
		{"*.example.org", "http://www.example.org/", true},
		{"org", "http://example.org/", true},
		{"*", "http://example.org/", true},
		{"*", "http://[2001:db8::1]/", true},
		{"a, b\texample.org,,c", "http://example.org/", true},
		{"a b", "http://example.org/", false},
		{"example.org:8080", "http://example.org/", false},
		{"example.org:8080", "http://example.org:8080/", true},
		{"example.org:21", "ftp://example.org/", true},
		{"*:443", "https://example.org/", true},
		{"*:443", "http://example.org/", false},
		{"127.0.0.1", "http://127.0.0.1:8000/", true},
		{"127.0.0.1", "http://localhost/", false}, // names are not resolved
		{"localhost", "http://127.0.0.1/", false},
		{"27.0.0.1", "http://127.0.0.1/", false},
		{"0.0.1", "http://127.0.0.1/", false},
		{"127.0.0.1:8000", "http://127.0.0.1:8000/", true},
		{"127.0.0.1:8000", "http://127.0.0.1/", false},
		{"127.0.0.0/8", "http://127.1.2.3/", true},
		{"127.0.0.1/8", "http://127.1.2.3/", true},
		{"127.0.0.0/8", "http://128.1.2.3/", false},
		{"127.0.0.0/8", "http://[::ffff:127.1.2.3]/", true},
		{"127.0.0.0/99", "http://127.1.2.3/", false},
		{"2001:db8::/32", "http://[2001:db8::1]:80/", true},
		{"2001:db8::1", "http://[2001:db8:0::1]/", true},
		{"[2001:db8::1]", "http://[2001:db8::1]/", true},
		{"[2001:db8::1]:80", "http://[2001:db8::1]/", true},
		{"[2001:db8::1]:81", "http://[2001:db8::1]/", false},
		{"::1", "http://[2001:db8::1]/", false},
		{"fe80::1", "http://[fe80::1%25eth0]/", true},
		{".", "http://example.org/", false},
		{"*.", "http://example.org/", false},
		{"<local>,[,*.*,:80,/", "http://example.org/", false},
	} {
		via := parse(t, "http://proxy.example:3128")
		r := proxy.Rules{Proxies: map[string]*url.URL{proxy.All: via}, Except: c.except}
		if got := r.For(parse(t, c.u)); (got == nil) != c.direct || got != nil && got != via {
			t.Errorf("except %q: the proxy for %s is %v", c.except, c.u, got)
		}
	}
}

func TestFor(t *testing.T) {
	r := proxy.Rules{Proxies: map[string]*url.URL{
		"http":    parse(t, "http://h:1"),
		"ftp":     parse(t, "socks5://h:2"),
		"gopher":  nil,
		proxy.All: parse(t, "https://h:3"),
	}}
	for _, c := range []struct{ u, via, gateway string }{
		{"http://example.org/", "http://h:1", "http://h:1"},
		{"http://127.0.0.1/", "http://h:1", "http://h:1"}, // loopback is no exception
		{"https://localhost/", "https://h:3", "https://h:3"},
		{"ftp://example.org/", "socks5://h:2", ""},
		{"gopher://example.org/", "", ""},
		{"wais://example.org/db", "https://h:3", "https://h:3"},
		{"file:///etc/motd", "", ""},
		{"file://example.org/etc/motd", "", ""},
		{"mailto:joe@example.org", "", ""},
		{"news:comp.infosystems", "", ""},
	} {
		text := func(u *url.URL) string {
			if u == nil {
				return ""
			}
			return u.String()
		}
		if got := text(r.For(parse(t, c.u))); got != c.via {
			t.Errorf("For(%s) = %q, want %q", c.u, got, c.via)
		}
		if got := text(r.Gateway(parse(t, c.u))); got != c.gateway {
			t.Errorf("Gateway(%s) = %q, want %q", c.u, got, c.gateway)
		}
		if proxy.Rules.For(proxy.Rules{}, parse(t, c.u)) != nil {
			t.Errorf("no rules have a proxy for %s", c.u)
		}
	}
	joe := r.WithUser(&url.Userinfo{Name: "joe"})
	if joe.Proxies["http"].String() != "http://joe@h:1" || joe.Proxies["gopher"] != nil || r.Proxies["http"].User != nil {
		t.Errorf("WithUser: %v, and the old ones %v", joe.Proxies, r.Proxies)
	}
}

func TestFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  string // name=value, separated by semicolons
		u    string
		want string
	}{
		{"", "http://h/", ""},
		{"http_proxy=p:1", "http://h/", "http://p:1"},
		{"http_proxy=p:1", "https://h/", ""},
		{"HTTP_PROXY=p:1", "http://h/", ""}, // CGI
		{"HTTP_PROXY=p:1;REQUEST_METHOD=GET;all_proxy=q:2", "http://h/", "http://q:2"},
		{"HTTPS_PROXY=p:1", "https://h/", "http://p:1"},
		{"https_proxy=p:1;HTTPS_PROXY=q:2", "https://h/", "http://p:1"},
		{"https_proxy=;HTTPS_PROXY=q:2", "https://h/", "http://q:2"},
		{"FTP_PROXY=socks5h://p", "ftp://h/", "socks5h://p:1080"},
		{"gopher_proxy=p:1;GOPHER_PROXY=q:2", "gopher://h/", "http://p:1"},
		{"wais_proxy=http://p:1", "wais://h/db", "http://p:1"},
		{"ALL_PROXY=socks4a://p", "wais://h/db", "socks4a://p:1080"},
		{"all_proxy=p:1;ALL_PROXY=q:2;ftp_proxy=r:3", "http://h/", "http://p:1"},
		{"all_proxy=p:1;no_proxy=h", "http://h/", ""},
		{"all_proxy=p:1;NO_PROXY=h", "ftp://h/", ""},
		{"all_proxy=p:1;no_proxy=x;NO_PROXY=h", "ftp://h/", "http://p:1"},
		{"http_proxy=http://joe:s%40@p:1", "http://h/", "http://joe:s%40@p:1"},
	} {
		r, err := proxy.FromEnvironment(environment(c.env))
		got := ""
		if via := r.For(parse(t, c.u)); via != nil {
			got = via.String()
		}
		if err != nil || got != c.want {
			t.Errorf("%s: the proxy for %s is %q, %v, want %q", c.env, c.u, got, err, c.want)
		}
	}
	_, err := proxy.FromEnvironment(environment("FTP_PROXY=joe:s3cret@h:no"))
	if !errors.Is(err, fetchers.ErrProxy) || !strings.HasPrefix(err.Error(), "FTP_PROXY: ") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("error %v, want one that names the variable and not the password", err)
	}
}

func environment(text string) func(string) string {
	return func(name string) string {
		for line := range strings.SplitSeq(text, ";") {
			if key, value, _ := strings.Cut(line, "="); key == name {
				return value
			}
		}
		return ""
	}
}
