package fetch_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/url"
)

// targets has a URL of each known scheme, and of two unknown ones.
var targets = []string{
	"http://h.example/", "https://h.example/", "ftp://h.example/", "ftps://h.example/", "sftp://h.example/", "scp://h.example/", "s3://bucket/x", "gopher://h.example/", "gophers://h.example/",
	"wais://h.example/db", "prospero://h.example/x", "news:comp.lang.go", "snews:comp.lang.go", "nntp://h.example/g", "nntps://h.example/g",
	"gemini://h.example/", "finger://h.example/u", "dict://h.example/d:x", "tftp://h.example/f", "file:///etc/passwd", "telnet://h.example/", "telnets://h.example/", "rlogin://h.example/", "tn3270://h.example/",
	"mailto:a@h.example", "data:,x", "urn:x-a:b", "mid:a@h.example", "cid:a@h.example",
	"afs:x", "nfs://h.example/x", "mailserver:x", "z39.50://h.example/x", "z39.50r://h.example/x", "z39.50s://h.example/x", "x-odd:y", "javascript:x",
}

// TestRedirectionTargets has a row for each kind of redirection, made by the protocol itself, and a
// column for each scheme of the target.
func TestRedirectionTargets(t *testing.T) {
	const usual = "http https ftp ftps"
	var all []string
	for _, to := range targets {
		scheme, _, _ := strings.Cut(to, ":")
		all = append(all, scheme)
	}
	anywhere := strings.Join(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "file" }), " ")
	if known := fetch.Protocols(nil).Schemes(); !subset(known, all) {
		t.Fatalf("there is no target of each scheme of %q", known)
	}

	leads := nethttp.RedirectHandler("/elsewhere", nethttp.StatusFound)
	web, secure := httptest.NewServer(leads), httptest.NewTLSServer(leads)
	defer web.Close()
	defer secure.Close()
	files := ftptest.NewServer(fstest.MapFS{"pub/a": {Data: []byte("a")}})
	defer files.Close()
	names := prosperotest.NewServer(prosperotest.Names{"x": {Methods: [][]string{{"AFTP", "INTERNET-D", "f.example", "ASCII", "/x", "BINARY"}}}})
	defer names.Close()

	set := fetch.NewSet(nil)
	set.HTTP.TLS = &tls.Config{RootCAs: secure.Client().Transport.(*nethttp.Transport).TLSClientConfig.RootCAs}
	set.URN.Table = map[string]string{"*": "http://h.example/{urn}"}
	registry := set.Registry()
	defer registry.CloseIdle()

	for _, row := range []struct{ name, from, to string }{
		{"http", web.URL, usual},
		{"https", secure.URL, usual},
		{"ftp", files.URL + "/pub", usual},
		{"prospero", names.URL + "/x", usual + " gopher wais news telnet tn3270 prospero"},
		{"a link of gopher", "gopher://h.example/hURL:http://h.example/", anywhere},
		{"a link of gophers", "gophers://h.example/hURL:http://h.example/", anywhere},
		{"Gopher+", moved(t), anywhere},
		{"urn", "urn:x-a:b", anywhere},
	} {
		t.Run(row.name, func(t *testing.T) {
			from := parse(t, row.from)
			for _, target := range targets {
				to := parse(t, target)
				reached := errors.New("reached")
				client := &fetchers.Client{Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
					if req.URL != from {
						return nil, fetchers.NewError("fetch", req.URL, reached)
					}
					res, err := registry.Fetch(ctx, req)
					if err == nil && res.Kind == fetchers.Redirect {
						res.Location = to
					}
					return res, err
				})}
				_, err := client.Fetch(t.Context(), &fetchers.Request{URL: from})
				want := fetchers.ErrRedirect
				if slices.Contains(strings.Fields(row.to), to.Scheme) {
					want = reached
				}
				if !errors.Is(err, want) {
					t.Errorf("to %s: %v, want %v", target, err, want)
				}
			}
		})
	}
}

func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// moved returns the URL of an item that a Gopher+ server reports as moved.
func moved(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			bufio.NewReader(c).ReadString('\n')
			io.WriteString(c, "--1\r\n3 0The new place\t/new\th.example\t70\t+\r\n.\r\n")
			c.Close()
		}
	}()
	return fmt.Sprintf("gopher://%s/0/f%%09%%09+", l.Addr())
}
