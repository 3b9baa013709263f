package stack

import (
	"bytes"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// wantUsage checks for an error of the command line.
func wantUsage(t *testing.T, about string, err error, text string) {
	t.Helper()
	if _, usage := errors.AsType[record.UsageError](err); !usage || err.Error() != text {
		t.Errorf("%s: %v, want the usage error %q", about, err, text)
	}
}

// A flag for a proxy is an error without one, if it was given.
func TestFlagsWithoutProxy(t *testing.T) {
	const none = " is for an HTTP proxy, and there is none: use -x URL"
	for _, c := range []struct{ args, want string }{
		{"-U joe:s3cret", "-U is for a proxy, and there is none: use -x URL"},
		{"-p", "--proxytunnel" + none},
		{"--proxy-basic", "--proxy-basic" + none},
		{"-x socks5://h.example --proxy-digest", "--proxy-digest" + none},
		{"-x socks5://h.example --proxy-anyauth", "--proxy-anyauth" + none},
		{"-x gopher://h.example", `--proxy: gopher is not a proxy protocol`},
		{"-x http://h.example --public-only", "--public-only judges addresses, and through a proxy it would see those of the proxy only: add --noproxy '*'"},
		{"-x http://h.example -P", "-P lets the server connect to us, which it cannot do through a proxy"},
	} {
		_, err := Build(t.Context(), options(t, strings.Fields(c.args)...), silent())
		if strings.HasPrefix(c.want, "--proxy: ") {
			if _, usage := errors.AsType[record.UsageError](err); !usage || !strings.HasPrefix(err.Error(), "--proxy: ") {
				t.Errorf("%s: %v", c.args, err)
			}
			continue
		}
		wantUsage(t, c.args, err, c.want)
	}
	config := write(t, "config.toml", "proxytunnel = true\nproxy-digest = true\n")
	if _, err := Build(t.Context(), options(t, "--config", config), silent()); err != nil {
		t.Errorf("the configuration: %v", err)
	}
}

// The environment names proxies, which -v remarks without their password, and -x replaces
// them.
func TestProxiesOfTheEnvironment(t *testing.T) {
	t.Setenv("ftp_proxy", "http://joe:s3cret@p.example:8080")
	t.Setenv("NO_PROXY", "h.example")
	for _, c := range []struct {
		args []string
		said string
		via  string // for ftp
	}{
		{nil, "* proxy http://joe:***@p.example:8080 from ftp_proxy\n* no proxy for h.example from NO_PROXY\n", "p.example"},
		{[]string{"-x", "socks5://s.example"}, "", "s.example"},
		{[]string{"-x", ""}, "", ""},
	} {
		var said bytes.Buffer
		streams := term.New(nil, io.Discard, &said).With(term.Settings{Verbose: true})
		o := options(t, c.args...)
		st, err := Build(t.Context(), o, streams)
		if err != nil {
			t.Fatal(err)
		}
		st.CloseIdle()
		if said.String() != c.said {
			t.Errorf("%q: %q is said, want %q", c.args, said.String(), c.said)
		}
		rules, err := proxyRules(o, o.Given)
		if err != nil {
			t.Fatal(err)
		}
		host := ""
		if via := rules.For(request(t, st, "ftp://f.example/").URL); via != nil {
			host = via.Host
		}
		if host != c.via {
			t.Errorf("%q: the proxy is %q, want %q", c.args, host, c.via)
		}
	}
	t.Setenv("ftp_proxy", "nonsense://")
	if _, err := Build(t.Context(), options(t), silent()); err == nil || !strings.HasPrefix(err.Error(), "ftp_proxy: ") {
		t.Errorf("a proxy that cannot be read: %v", err)
	}
}

// An HTTP proxy is asked for URLs of other schemes too, unless there has to be a tunnel, and
// then knows no flag about searches.
func TestGateway(t *testing.T) {
	asked := make(chan string, 10)
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		asked <- r.Method + " " + r.RequestURI
		w.WriteHeader(nethttp.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "GET ftp://f.example/x"},
		{[]string{"-p"}, "CONNECT f.example:21"},
		{[]string{"--ssl-reqd"}, "CONNECT f.example:21"},
		{[]string{"--trace", write(t, "trace", "")}, "CONNECT f.example:21"},
	} {
		st := build(t, append(c.args, "--retry", "0", "-x", server.URL)...)
		_, err := st.Fetcher.Fetch(t.Context(), request(t, st, "ftp://f.example/x"))
		if got := <-asked; err == nil || got != c.want {
			t.Errorf("%q: the proxy is asked for %q, want %q; %v", c.args, got, c.want, err)
		}
	}
	u := request(t, build(t), "wais://w.example/db?x").URL
	wantUsage(t, "max-hits", build(t, "--max-hits", "5", "-x", server.URL).checkSearch(u),
		"wais://w.example/db?x: an HTTP proxy knows neither --like nor --max-hits: add -p")
	if err := build(t, "--max-hits", "5", "-p", "-x", server.URL).checkSearch(u); err != nil {
		t.Errorf("in a tunnel: %v", err)
	}
}
