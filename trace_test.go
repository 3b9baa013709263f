package fetch_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/url"
)

// A diary records the names of the hooks in the order of the calls. It marks a hook that did not
// get the context of FetchStart.
type diary struct {
	mu    sync.Mutex
	lines []string
}

type diaryKey struct{}

func (d *diary) write(ctx context.Context, line string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if ctx.Value(diaryKey{}) == nil {
		line += " in another context"
	}
	if err != nil {
		line += ": " + err.Error()
	}
	d.lines = append(d.lines, line)
}

// text returns the diary, and empties it.
func (d *diary) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := strings.Join(d.lines, ", ")
	d.lines = nil
	return text
}

func (d *diary) trace() *fetchers.Trace {
	return &fetchers.Trace{
		FetchStart: func(ctx context.Context, _ *url.URL) context.Context {
			ctx = context.WithValue(ctx, diaryKey{}, d)
			d.write(ctx, "start", nil)
			return ctx
		},
		FetchDone: func(ctx context.Context, _ *url.URL, _ *fetchers.Resource, err error) { d.write(ctx, "done", err) },
		BodyDone: func(ctx context.Context, _ *url.URL, n int64, err error) {
			d.write(ctx, fmt.Sprintf("body %d", n), err)
		},
		DNSStart: func(ctx context.Context, host string) { d.write(ctx, "resolve "+host, nil) },
		DNSDone: func(ctx context.Context, _ string, addrs []netip.Addr, err error) {
			d.write(ctx, fmt.Sprint(addrs), err)
		},
		ConnectStart:      func(ctx context.Context, network, _ string) { d.write(ctx, network, nil) },
		ConnectDone:       func(ctx context.Context, network, _ string, err error) { d.write(ctx, "connected", err) },
		TLSHandshakeStart: func(ctx context.Context) { d.write(ctx, "tls", nil) },
		TLSHandshakeDone: func(ctx context.Context, state tls.ConnectionState, err error) {
			d.write(ctx, cmp.Or(state.NegotiatedProtocol, "secure"), err)
		},
		GotFirstResponseByte: func(ctx context.Context) { d.write(ctx, "first byte", nil) },
		Reuse:                func(ctx context.Context, _ string) { d.write(ctx, "reuse", nil) },
	}
}

// TestTraceOverTheWire checks, for each protocol, the order of the hooks of a fetch on a new
// connection and of the next fetch, and the address and the TLS state of the Resource.
func TestTraceOverTheWire(t *testing.T) {
	tree := fstest.MapFS{"db/a.txt": {Data: []byte("hello\n")}}
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello\n") })
	web, secure, two := httptest.NewServer(handler), httptest.NewTLSServer(handler), httptest.NewUnstartedServer(handler)
	two.EnableHTTP2 = true
	two.StartTLS()
	ftp, ftps := ftptest.NewServer(tree), ftptest.NewServer(tree, ftptest.TLS())
	gopher, gophers := gophertest.NewServer(tree, gophertest.Plain()), gophertest.NewServer(tree, gophertest.Plain(), gophertest.TLS())
	article := fstest.MapFS{"test.misc/1": {Data: []byte("Message-ID: <1@example.com>\n\nhi\n")}}
	news, secureNews := nntptest.NewServer(article), nntptest.NewServer(article, nntptest.TLS())
	wais, catalog := waistest.NewServer(tree), z3950test.NewServer(tree)
	prospero := prosperotest.NewServer(prosperotest.Names{"/a": {Contents: []byte("hello\n")}})
	for _, s := range []interface{ Close() }{web, secure, two, ftp, ftps, gopher, gophers, news, secureNews, wais, catalog, prospero} {
		defer s.Close()
	}

	for _, c := range []struct{ url, first, next string }{
		{
			web.URL + "/",
			"start, tcp, connected, first byte, done, body 6",
			"start, reuse, first byte, done, body 6",
		},
		{
			secure.URL + "/",
			"start, tcp, connected, tls, http/1.1, first byte, done, body 6",
			"start, reuse, first byte, done, body 6",
		},
		{
			two.URL + "/",
			"start, tcp, connected, tls, h2, first byte, done, body 6",
			"start, reuse, first byte, done, body 6",
		},
		{
			ftp.URL + "/db/a.txt",
			"start, tcp, connected, first byte, tcp, connected, done, body 6",
			"start, reuse, first byte, tcp, connected, done, body 6",
		},
		{
			ftps.URL + "/db/a.txt",
			"start, tcp, connected, tls, secure, first byte, tcp, connected, done, tls, secure, body 6",
			"start, reuse, first byte, tcp, connected, done, tls, secure, body 6",
		},
		{
			gopher.URL + "/0/db/a.txt",
			"start, tcp, connected, first byte, done, body 6",
			"start, tcp, connected, first byte, done, body 6",
		},
		{
			gophers.URL + "/0/db/a.txt",
			"start, tcp, connected, tls, secure, first byte, done, body 6",
			"start, tcp, connected, tls, secure, first byte, done, body 6",
		},
		{
			news.URL + "/test.misc/1",
			"start, tcp, connected, first byte, done, body 35",
			"start, reuse, first byte, done, body 35",
		},
		{
			secureNews.URL + "/test.misc/1",
			"start, tcp, connected, tls, secure, first byte, done, body 35",
			"start, reuse, first byte, done, body 35",
		},
		{
			wais.URL + "/db?hello",
			"start, tcp, connected, first byte, done, body 191",
			"start, reuse, first byte, done, body 191",
		},
		{
			"z39.50r://" + catalog.Addr + "/db?a.txt;rs=sutrs",
			"start, tcp, connected, first byte, done, body 6",
			"start, reuse, first byte, done, body 6",
		},
		{
			prospero.URL + "//a",
			"start, udp, connected, first byte, udp, connected, first byte, done, body 6",
			"start, udp, connected, first byte, udp, connected, first byte, done, body 6",
		},
	} {
		set := fetch.NewSet(nil)
		trust := &tls.Config{InsecureSkipVerify: true}
		set.HTTP.TLS, set.FTP.TLS, set.Gopher.TLS, set.NNTP.TLS = trust, trust, trust, trust
		registry := set.Registry()
		registry.AnyPort = true
		client := &fetchers.Client{Fetcher: registry}
		d := new(diary)
		ctx := fetchers.WithTrace(t.Context(), d.trace())
		for _, want := range []string{c.first, c.next} {
			res, err := client.Get(ctx, c.url)
			if err != nil {
				t.Errorf("%s: %v", c.url, err)
				break
			}
			io.Copy(io.Discard, res.Body)
			res.Close()
			if got := d.text(); got != want {
				t.Errorf("%s:\n got %s\nwant %s", c.url, got, want)
			}
			if peer := res.RemoteAddr; peer == nil || !strings.Contains(c.url, "//"+peer.String()+"/") {
				t.Errorf("%s: the RemoteAddr is %v", c.url, peer)
			}
			if secure := res.TLS != nil && res.TLS.HandshakeComplete; secure != strings.Contains(c.first, "tls") {
				t.Errorf("%s: over TLS: %v", c.url, secure)
			}
		}
		client.CloseIdle()
	}
}

// TestTraceOfFailures checks that each start hook has its end hook: for a name that does not
// resolve, a closed port, and an untrusted certificate.
func TestTraceOfFailures(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = nil
	secure.StartTLS()
	defer secure.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	nw := &fetchers.Network{Dial: (&net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, io.ErrClosedPipe
	}}}).DialContext}
	for _, c := range []struct{ url, want string }{
		{"http://h.example./", "start, tcp, resolve h.example., []: "},
		{"http://" + closed.Addr().String() + "/", "start, tcp, connected: "},
		{secure.URL + "/", "start, tcp, connected, tls, secure: "},
	} {
		d := new(diary)
		client := &fetchers.Client{Fetcher: fetch.Protocols(nw)}
		if _, err := client.Get(fetchers.WithTrace(t.Context(), d.trace()), c.url); err == nil {
			t.Errorf("%s: no error", c.url)
		}
		got := d.text()
		if !strings.HasPrefix(got, c.want) || strings.Count(got, "done: ") != 1 || strings.Contains(got, "context,") || strings.Contains(got, "body") {
			t.Errorf("%s:\n got %s\nwant %s…", c.url, got, c.want)
		}
	}
}
