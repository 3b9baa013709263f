package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"proxy.example":                      "http://proxy.example:80",
		"proxy.example:3128":                 "http://proxy.example:3128",
		"joe:s%40@proxy.example:3128/":       "http://joe:s%40@proxy.example:3128",
		"http://127.0.0.1":                   "http://127.0.0.1:80",
		"https://[::1]":                      "https://[::1]:443",
		"SOCKS5h://joe@h":                    "socks5h://joe@h:1080",
		"socks://h":                          "socks://h:1080",
		"socks4a://h:9050":                   "socks4a://h:9050",
		"":                                   "",
		"http://":                            "",
		"http:///":                           "",
		"ftp://h:1":                          "",
		"socks6://h:1":                       "",
		"http://h/path":                      "",
		"http://h?q":                         "",
		"http://h#f":                         "",
		"http://joe:s3cret@h:99999":          "",
		"http://joe:s3cret@h:1/s3cret":       "",
		"http://joe:s3cret@more@h":           "",
		"socks5://joe:s3cret@\x00/":          "",
		"http://joe:s3cret@h:80\r\nInjected": "",
	} {
		u, err := proxy.Parse(text)
		switch {
		case want == "" && (!errors.Is(err, fetchers.ErrProxy) || strings.Contains(err.Error(), "s3cret")):
			t.Errorf("%q: error %v, want one that is ErrProxy, without a password", text, err)
		case want != "" && (err != nil || u.String() != want):
			t.Errorf("%q is %v, %v, want %s", text, u, err, want)
		}
	}
}

// Dialer refuses a URL that the protocol of the proxy cannot express.
func TestDialerRefuses(t *testing.T) {
	long := strings.Repeat("x", 256)
	for _, via := range []string{
		"ftp://h", "gopher://h",
		"socks5://:s3cret@h", "socks5h://" + long + ":s3cret@h", "socks://joe:s3cret" + long + "@h",
		"socks4://joe:s3cret@h", "socks4a://joe:@h", "socks4a://jo%00e@h",
		"http://jo%3Ae:s3cret@h",
	} {
		dial, err := proxy.Dialer(parse(t, via), nil)
		if dial != nil || !errors.Is(err, fetchers.ErrProxy) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want ErrProxy without a password", via, err)
		}
	}
}

// No request is sent for an invalid target.
func TestBadTargets(t *testing.T) {
	p := &proxy.Proxy{URL: parse(t, "socks5h://127.0.0.1:1"), Forward: func(context.Context, string, string) (net.Conn, error) {
		t.Error("the proxy is connected to")
		return nil, errors.New("no")
	}}
	for _, addr := range []string{
		"example.org", "example.org:", "example.org:0", "example.org:65536", "example.org:http", ":80",
		"exa mple:80", "a\r\nb:80", "a\x00b:80", "a/b:80", "joe@h:80", "<nil>:80", "h\xff:80", strings.Repeat("x", 256) + ":80",
	} {
		var op *net.OpError
		if _, err := p.Dial(t.Context(), "tcp", addr); !errors.As(err, &op) || op.Op != "dial" || errors.Is(err, fetchers.ErrProxy) {
			t.Errorf("%q: %v, want a failure to dial", addr, err)
		}
	}
	for _, network := range []string{"udp", "udp6"} {
		if _, err := p.Dial(t.Context(), network, "example.org:80"); !errors.Is(err, fetchers.ErrProxy) || !strings.Contains(err.Error(), "does not support UDP") {
			t.Errorf("%s: %v, want ErrProxy", network, err)
		}
	}
}

// A failure to resolve the target's name is distinguished from one to resolve the proxy's.
func TestResolve(t *testing.T) {
	missing := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "proxy.example", IsNotFound: true}}
	dial, err := proxy.Dialer(parse(t, "socks5://proxy.example"), func(_ context.Context, _, addr string) (net.Conn, error) {
		if addr != "proxy.example:1080" {
			t.Errorf("the proxy is at %s", addr)
		}
		return nil, missing
	})
	if err != nil {
		t.Fatal(err)
	}
	var dns *net.DNSError
	if _, err := dial(t.Context(), "tcp", "192.0.2.7:80"); !errors.Is(err, fetchers.ErrProxy) || !errors.As(err, &dns) {
		t.Errorf("the proxy is missing: %v", err)
	}
	if _, err := dial(t.Context(), "tcp", "name.invalid:80"); errors.Is(err, fetchers.ErrProxy) || !errors.As(err, &dns) || dns.Name != "name.invalid" {
		t.Errorf("the target is missing: %v", err)
	}
}

// A guard checks the proxy's address, whatever the target.
func TestGuarded(t *testing.T) {
	var judged []string
	guard := fetchers.Guarded(net.Dialer{}, func(a netip.AddrPort) error {
		judged = append(judged, a.String())
		return fetchers.PublicOnly(a)
	})
	dial, err := proxy.Dialer(parse(t, "socks5://127.0.0.1:1"), guard)
	if err != nil {
		t.Fatal(err)
	}
	_, err = dial(t.Context(), "tcp", "192.0.2.7:80")
	if !errors.Is(err, fetchers.ErrBlocked) || len(judged) != 1 || judged[0] != "127.0.0.1:1" {
		t.Errorf("error %v after judging %q", err, judged)
	}
}

// An https proxy is verified before it receives a password.
func TestUntrusted(t *testing.T) {
	r, _ := newHTTP(t, true, "", "")
	u := parse(t, "https://joe:s3cret@"+r.addr)
	_, err := (&proxy.Proxy{URL: u}).Dial(t.Context(), "tcp", "127.0.0.1:80")
	if err == nil || !errors.Is(err, fetchers.ErrProxy) || len(r.requests()) > 0 {
		t.Errorf("error %v; the proxy saw %q", err, r.requests())
	}
}

// The trace shows the request to the proxy and its response, with secrets masked.
func TestTrace(t *testing.T) {
	var lines []string
	add := func(mark string) func(context.Context, string) {
		return func(_ context.Context, s string) { lines = append(lines, mark+s) }
	}
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: add("> "), Got: add("< "), Note: add("* ")})
	p := at(t, "http://joe:s3cret@proxy.example:3128", func(c net.Conn) {
		http.ReadRequest(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nvia: 1.1 p\r\nSet-Cookie: a=s3cret\r\n\r\n")
		stall(c)
	})
	c, err := p.Dial(ctx, "tcp", "h.example:21")
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	want := []string{
		"> CONNECT h.example:21 HTTP/1.1", "> Host: h.example:21", "> User-Agent: fetch", "> Proxy-Authorization: Basic ***",
		"< HTTP/1.1 200 OK", "< Set-Cookie: a=***", "< Via: 1.1 p", "* proxy http://joe:***@proxy.example:3128 connects to h.example:21",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the trace is\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
