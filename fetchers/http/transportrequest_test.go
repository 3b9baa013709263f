package http_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	nethttp "net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// An uncomparable is a Body whose type == does not support.
type uncomparable struct {
	io.Reader
	closers []func()
}

func (u uncomparable) Close() error {
	for _, c := range u.closers {
		c()
	}
	return nil
}

// A Fetcher of another module may return any Body, and may know the start of a range but not the
// size of the resource. Then the response is the whole resource, and never a 304 to a range.
func TestFetcherTransportRangeOfUnknownSize(t *testing.T) {
	opened, closed := 0, 0
	transport := &http.FetcherTransport{Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		opened++
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1, Validator: fetchers.Validator{ModTime: modified}}
		if req.Range == (fetchers.Range{}) && req.Have.ModTime.Equal(modified) {
			res.Kind = fetchers.Unchanged
		}
		res.Range = req.Range
		res.Body = uncomparable{strings.NewReader("0123456789"[req.Range.Offset:]), []func(){func() { closed++ }}}
		return res, nil
	})}
	for name, c := range map[string]struct {
		header nethttp.Header
		want   response
	}{
		"the whole":             {nil, response{200, nil, "0123456789"}},
		"a range":               {nethttp.Header{"Range": {"bytes=4-"}}, response{200, map[string]string{"Content-Range": ""}, "0123456789"}},
		"If-Range that matches": {nethttp.Header{"Range": {"bytes=4-"}, "If-Range": {modified.Format(nethttp.TimeFormat)}}, response{200, nil, "0123456789"}},
		"not modified":          {nethttp.Header{"If-Modified-Since": {modified.Format(nethttp.TimeFormat)}}, response{304, nil, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := nethttp.NewRequest("GET", "x://h.example/a", nil)
			r.Header = c.header
			resp, err := transport.RoundTrip(r)
			c.want.check(t, resp, err)
			if opened != closed {
				t.Errorf("%d Resources, and %d were closed", opened, closed)
			}
		})
	}
}

// A header field that net/http writes itself, such as the Content-Length: 0 of a proxied request,
// is not taken for one of the caller.
func TestFetcherTransportFraming(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		fmt.Fprintf(w, "%s %q %q", r.Host, r.Header["X-A"], r.Header["Proxy-Authorization"])
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	client := clientOver(t)
	for name, header := range map[string]nethttp.Header{
		"Content-Length":     {"Content-Length": {"0"}},
		"Transfer-Encoding":  {"Transfer-Encoding": {"chunked"}},
		"Trailer":            {"Trailer": {"X-B"}},
		"Host":               {"Host": {"other.example"}},
		"two hosts":          {"Host": {"a.example", "b.example"}},
		"a key as written":   {"proxy-authorization": {"Basic x"}, "content-length": {"0"}},
		"a range as written": {"range": {"bytes=0-0"}, "if-range": {`"1"`}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, as := range []string{"", host} {
				r, _ := nethttp.NewRequest("GET", server.URL, nil)
				r.Host, r.Header = as, header.Clone()
				r.Header["x-a"] = []string{"a"}
				resp, err := client.Transport.RoundTrip(r)
				response{200, nil, host + ` ["a"] []`}.check(t, resp, err)
			}
		})
	}
}

// The header of a news article or mail is no HTTP header: its author can neither set cookies nor
// redirect.
func TestFetcherTransportMessage(t *testing.T) {
	transport := &http.FetcherTransport{Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: 4, MediaType: "message/rfc822", Header: textproto.MIMEHeader{
			"Subject": {"s"}, "Set-Cookie": {"a=b"}, "Location": {"http://h.example/"}, "Strict-Transport-Security": {"max-age=9"},
			"Content-Type": {"text/html"}, "Content-Length": {"5"}, "Content-Range": {"bytes 0-3/5"}, "Transfer-Encoding": {"chunked"},
			"Www-Authenticate": {"Basic"}, "Last-Modified": {"x"}, "Repr-Digest": {"d"}, "Content-Language": {"en"},
		}}
		res.SetBody(io.NopCloser(strings.NewReader("text")))
		return res, nil
	})}
	r, _ := nethttp.NewRequest("GET", "news:1@h.example", nil)
	resp, err := transport.RoundTrip(r)
	response{200, nil, "text"}.check(t, resp, err)
	want := nethttp.Header{"Content-Type": {"message/rfc822"}, "Content-Length": {"4"}, "Repr-Digest": {"d"}, "Content-Language": {"en"}}
	if fmt.Sprint(resp.Header) != fmt.Sprint(want) {
		t.Errorf("the header is %v, want %v", resp.Header, want)
	}
}

// No server redirects an http.Client to a local file, even if the program fetches files.
func TestFetcherTransportNoLocalFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	local := "file://" + filepath.ToSlash(dir)
	server := httptest.NewServer(nethttp.RedirectHandler(local+"/f.txt", nethttp.StatusFound))
	defer server.Close()
	client := clientOver(t)
	resp, err := client.Get(server.URL)
	if !errors.Is(err, fetchers.ErrRedirect) {
		t.Errorf("a server leads to %v, %v", resp, err)
	}
	resp, err = client.Get(local) // redirects to itself with a slash
	response{200, nil, local + "/f.txt\r\n"}.check(t, resp, err)
}

// A Syntax parses the URLs of a protocol of another module, as for a Client.
func TestFetcherTransportSyntax(t *testing.T) {
	syntax, err := url.NewSyntax(url.Scheme{Name: "x-a", Names: "a thing", Port: 7, Authority: url.Required})
	if err != nil {
		t.Fatal(err)
	}
	f := fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if req.URL.Addr() != "h.example:7" {
			t.Errorf("the address of %s is %s", req.URL, req.URL.Addr())
		}
		return nil, fs.ErrNotExist
	})
	client := &nethttp.Client{Transport: &http.FetcherTransport{Fetcher: f, Syntax: syntax}}
	resp, err := client.Get("x-a://h.example/b?c")
	response{404, nil, ""}.check(t, resp, err)
}

// A missing Fetcher is an error, as in a Client.
func TestFetcherTransportWithoutFetcher(t *testing.T) {
	r, _ := nethttp.NewRequest("GET", "http://h.example/", nil)
	if resp, err := new(http.FetcherTransport).RoundTrip(r); err == nil {
		t.Errorf("%v", resp)
	}
}

// If an http.Client was redirected to a server of another origin, no certificate is presented to
// it.
func TestFetcherTransportRedirected(t *testing.T) {
	shown := make(map[string]int)
	serve := func(name string, to *string) string {
		server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			shown[name] = len(r.TLS.PeerCertificates)
			if r.URL.Path == "/go" {
				nethttp.Redirect(w, r, *to, nethttp.StatusFound)
			}
		}))
		server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
		server.StartTLS()
		t.Cleanup(server.Close)
		return server.URL
	}
	back, away := "", ""
	other := serve("other", &back)
	own := serve("own", &away)
	back, away = own+"/end", other+"/go"

	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	f := &http.Fetcher{TLS: &tls.Config{InsecureSkipVerify: true, Certificates: server.TLS.Certificates}}
	defer f.CloseIdle()
	client := &nethttp.Client{Transport: &http.FetcherTransport{Fetcher: f}}
	resp, err := client.Get(own + "/go")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if shown["own"] != 1 || shown["other"] != 0 || resp.Request.URL.Path != "/end" {
		t.Errorf("certificates shown: %v, at the end %s", shown, resp.Request.URL)
	}
}
