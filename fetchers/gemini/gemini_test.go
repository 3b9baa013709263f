package gemini_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/geminitest"
	"github.com/seed1ea3422f/fetch/url"
)

var content = bytes.Repeat([]byte("All that glitters is not gold.\r\n"), 10_000)

var files = fstest.MapFS{
	"pub/poem.txt":     {Data: content},
	"pub/a b%.gmi":     {Data: []byte("=> poem.txt\n")},
	"pub/deep/a/b.txt": {Data: []byte("b\r\n")},
}

func TestConformance(t *testing.T) {
	server := geminitest.New(t, files)
	faulty := func(do geminitest.Action) func(t *testing.T) *url.URL {
		return func(t *testing.T) *url.URL {
			s := geminitest.New(t, files, geminitest.Faults(geminitest.Fault{After: 100_000, Do: do}))
			return parse(t, s.URL+"/pub/poem.txt")
		}
	}
	conformance.Run(t, conformance.Target{
		Fetcher:  new(gemini.Fetcher),
		Document: parse(t, server.URL+"/pub/poem.txt"),
		Content:  content,
		Missing:  parse(t, server.URL+"/pub/nope"),
		Stalled:  faulty(geminitest.Stall),
		Cut:      faulty(geminitest.Cut),
	})
}

func TestTree(t *testing.T) {
	short := fstest.MapFS{
		"poem.txt":     {Data: content[:93]},
		"a b%.gmi":     {Data: []byte("=> poem.txt\n")},
		"deep/a/b.txt": {Data: []byte("b\r\n")},
	}
	server := geminitest.New(t, short)
	conformance.Tree(t, new(gemini.Fetcher), parse(t, server.URL+"/"), short)
}

// The input for a page is in the query of a URL, and a secret input appears in no trace.
func TestInput(t *testing.T) {
	server := geminitest.New(t, files,
		geminitest.Input("/find", "What?", func(words string) string { return "You look for " + words }),
		geminitest.Secret("/login", "Password?", func(words string) string { return "It was " + words }),
		geminitest.Reply("/login?moved", "30 /find?moved#x\r\n"), geminitest.Reply("/login?echo%3F", "51 not echo%3F, echo?\r\n"))
	f := new(gemini.Fetcher)
	for _, c := range []struct{ path, words, want string }{
		{"/find", "two + words?", "You look for two + words?"},
		{"/login", "s3cret & more", "It was s3cret & more"},
	} {
		index := fetch(t, t.Context(), f, server.URL+c.path)
		if index.Kind != fetchers.Index || gemini.IsSecret(index) != (c.path == "/login") {
			t.Fatalf("%s: a %s, secret: %v", c.path, index.Kind, gemini.IsSecret(index))
		}
		var told strings.Builder
		res, err := f.Fetch(listening(t.Context(), &told), &fetchers.Request{URL: index.Query(c.words)})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		if got, err := io.ReadAll(res.Body); string(got) != c.want || err != nil {
			t.Errorf("%s: %q, %v", c.path, got, err)
		}
		if secret := "s3cret"; strings.Contains(res.URL.Redacted(), secret) || strings.Contains(before(told.String(), "20 text"), secret) {
			t.Errorf("%s is told as\n%s", res.URL.Redacted(), &told)
		}
	}

	index := fetch(t, t.Context(), f, server.URL+"/login")
	moved := fetch(t, t.Context(), f, index.Query("moved").String()) // typed by the user, and therefore shown
	if got := moved.Location.Redacted(); got != server.URL+"/find?moved#x" {
		t.Error(got)
	}
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: index.Query("moved")})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	if got := res.Location; got.Redacted() != server.URL+"/find?***#x" || got.String() != server.URL+"/find?moved#x" {
		t.Errorf("the secret is shown where the server leads: %s", got.Redacted())
	}
	var told strings.Builder
	if _, err := f.Fetch(listening(t.Context(), &told), &fetchers.Request{URL: index.Query("echo?")}); err == nil || strings.Contains(told.String(), "echo") || strings.Contains(err.Error(), "echo") {
		t.Errorf("the server repeats the secret: %v\n%s", err, &told)
	}
}

// before returns the text before a word.
func before(text, word string) string {
	text, _, _ = strings.Cut(text, word)
	return text
}

// listening returns a context whose Trace and Tap write to told.
func listening(ctx context.Context, told *strings.Builder) context.Context {
	write := func(p []byte) { told.Write(p) }
	line := func(_ context.Context, text string) { fmt.Fprintln(told, text) }
	return fetchers.WithTrace(ctx, &fetchers.Trace{
		Sent: line, Got: line, Note: func(context.Context, string) {},
		Tap: func(context.Context, string, string) *fetchers.Tap {
			return &fetchers.Tap{Sent: write, Got: write, Ended: func(error) {}}
		},
	})
}

// A server that asks for a pause gives its duration.
func TestSlowDown(t *testing.T) {
	server := geminitest.New(t, files, geminitest.Reply("/x", "44 7\r\n"))
	_, err := new(gemini.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/x")})
	if refused, ok := errors.AsType[*fetchers.StatusError](err); !ok || refused.Wait != 7*time.Second || !errors.Is(err, fetchers.ErrTemporary) {
		t.Errorf("%v", err)
	}
}

// A client certificate is sent only to a server that the user named.
func TestClientCertificate(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(web.Close)
	mine := web.TLS.Certificates[0]
	other := geminitest.New(t, fstest.MapFS{}, geminitest.Private("/"))
	server := geminitest.New(t, fstest.MapFS{}, geminitest.Private("/mine", geminitest.Fingerprint(web.Certificate())), geminitest.Private("/yours", "none"),
		geminitest.Reply("/here", "31 /away\r\n"), geminitest.Reply("/away", "30 "+other.URL+"/\r\n"))
	c := &fetchers.Client{Fetcher: &gemini.Fetcher{TLS: &tls.Config{Certificates: []tls.Certificate{mine}}}}
	for path, want := range map[string]int{"/mine": 51, "/yours": 61, "/here": 60} {
		_, err := c.Get(t.Context(), server.URL+path)
		refused, ok := errors.AsType[*fetchers.StatusError](err)
		if !ok || refused.Code != want {
			t.Errorf("%s: %v, want %d", path, err, want)
		}
	}
	if r := other.Requests(); len(r) != 1 || r[0].Certificate != nil {
		t.Errorf("the other server has got %d requests and a certificate", len(r))
	}
	_, err := c.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/mine"), Named: fetchers.ByStranger})
	if refused, ok := errors.AsType[*fetchers.StatusError](err); !ok || refused.Code != 60 {
		t.Errorf("a URL of a stranger: %v", err)
	}
}

// Redirections may lead to gemini and to schemes that are open to all, and their number is limited.
func TestRedirects(t *testing.T) {
	server := geminitest.New(t, files, geminitest.Reply("/1", "30 /pub/poem.txt\r\n"), geminitest.Reply("/self", "31 /self\r\n"),
		geminitest.Reply("/gopher", "30 gopher://127.0.0.1:1/\r\n"), geminitest.Reply("/file", "30 file:///etc/passwd\r\n"), geminitest.Reply("/web", "30 http://127.0.0.1:1/\r\n"))
	var registry fetchers.Registry
	f := new(gemini.Fetcher)
	registry.Register(f, "gemini")
	c := &fetchers.Client{Fetcher: &registry}
	if res := fetch(t, t.Context(), c, server.URL+"/1"); res.URL.Path != "/pub/poem.txt" {
		t.Error(res.URL)
	}
	for path, want := range map[string]error{"/self": fetchers.ErrRedirect, "/gopher": fetchers.ErrRedirect, "/file": fetchers.ErrRedirect, "/web": fetchers.ErrUnknownScheme} {
		if _, err := c.Get(t.Context(), server.URL+path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}

// The client does not connect to the port of another protocol. The Network decides about other
// ports.
func TestNetwork(t *testing.T) {
	server := geminitest.New(t, files)
	f := &gemini.Fetcher{TLS: server.ClientTLS(), Network: &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr != "h.dom:1965" {
			return nil, errors.New(addr)
		}
		return new(net.Dialer).DialContext(ctx, network, server.Addr)
	}}}
	fetch(t, t.Context(), f, "gemini://h.dom/pub/poem.txt")
	var registry fetchers.Registry
	registry.Register(f, "gemini")
	if err := registry.CheckPort(parse(t, "gemini://h.dom:25/")); !errors.Is(err, fetchers.ErrBlocked) {
		t.Error(err)
	}
}

func fetch(t *testing.T, ctx context.Context, f fetchers.Fetcher, text string) *fetchers.Resource {
	t.Helper()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Close() })
	return res
}

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
