package gateway_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/url"
)

// TestProxy: a request for a whole URL has an answer in the origin of that URL.
func TestProxy(t *testing.T) {
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		if req.Named != fetchers.ByStranger || len(req.Header) != 1 || req.Header["Via"] == nil || !req.NoFollow {
			t.Errorf("request %+v", req)
		}
		switch req.URL.Path {
		case "/1/menu":
			return listingOf(req.URL,
				fetchers.Entry{URL: parse(t, "gopher://h.example/0/a.txt"), Name: "a.txt", Size: -1},
				fetchers.Entry{URL: parse(t, "javascript:alert(1)"), Name: "script", Size: -1}), nil
		case "/7/find":
			res := resource(req.URL, fetchers.Index, "", "")
			res.Query = func(words string) *url.URL { return parse(t, "gopher://h.example/7/find%09"+words) }
			return res, nil
		case "/moved":
			res := resource(req.URL, fetchers.Redirect, "", "")
			res.Location, res.Reply.Code = parse(t, "http://other.example/"), 301
			return res, nil
		}
		res := resource(req.URL, fetchers.Document, "text/html", "<b>x</b>")
		res.Header = textproto.MIMEHeader{"Set-Cookie": {"a=b"}, "Content-Security-Policy": {"default-src 'self'"}, "Content-Type": {"text/html"}}
		return res, nil
	})
	h.Proxy = true
	server := httptest.NewServer(h)
	defer server.Close()
	for _, c := range []struct {
		request, status string
		has, lacks      []string
	}{
		{"GET http://h.example/a?x=1", "200", []string{"Content-Security-Policy: default-src 'self'", "<b>x</b>"}, []string{"Set-Cookie", "sandbox"}},
		{"GET http://h.example/moved", "301", []string{"Location: http://other.example/"}, nil},
		{"GET gopher://h.example/1/menu", "200", []string{`<a href="gopher://h.example/0/a.txt">`, "default-src 'none'"}, []string{`href="/`, `href="javascript`, "<form"}},
		{"GET gopher://h.example/7/find", "200", []string{"gopher://h.example/7/find%09words"}, []string{"<form"}},
		{"GET mailto:joe@example.org", "200", []string{`<a href="mailto:joe@example.org">`}, nil},
		{"HEAD http://h.example/a", "200", nil, []string{"<b>"}},
		{"GET foo://h.example/", "400", []string{"unknown scheme"}, []string{`href="/`}},
		{"GET file:///etc/passwd", "403", []string{"does not fetch"}, nil},
		{"GET http://0x7f000001/", "400", nil, nil},
		{"POST http://h.example/", "405", []string{"Allow: GET, HEAD"}, nil},
		{"CONNECT h.example:443", "403", []string{"opens no tunnels"}, nil},
	} {
		t.Run(c.request, func(t *testing.T) {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			io.WriteString(conn, c.request+" HTTP/1.1\r\nHost: h.example\r\nAccept: text/html,*/*\r\nCookie: a=b\r\nAuthorization: x\r\nConnection: close\r\n\r\n")
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+c.status+" ") {
				t.Errorf("%v\n%s", err, answer)
			}
			for _, words := range c.has {
				if !strings.Contains(string(answer), words) {
					t.Errorf("no %q in\n%s", words, answer)
				}
			}
			for _, words := range c.lacks {
				if strings.Contains(string(answer), words) {
					t.Errorf("%q in\n%s", words, answer)
				}
			}
		})
	}
}

// TestSearchOfLynx: the words that lynx writes behind a question mark are those of a search.
func TestSearchOfLynx(t *testing.T) {
	for sent, want := range map[string]string{
		"gopher://h.example/7/find?two+w%2Brds": "gopher://h.example/7/find%09two%20w%2Brds",
		"gopher://h.example/7/find%3Fx?words":   "gopher://h.example/7/find%3Fx%09words",
		"gopher://h.example/7/find%09a?b":       "gopher://h.example/7/find%09a?b",
		"gopher://h.example/0/find?words":       "gopher://h.example/0/find?words",
		"gopher://h.example":                    "gopher://h.example",
		"http://h.example/7/find?words":         "http://h.example/7/find?words",
	} {
		var seen string
		h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
			seen = req.URL.String()
			return resource(req.URL, fetchers.Document, "text/plain", "x"), nil
		})
		h.Proxy = true
		if resp := get(t, h, sent); resp.StatusCode != 200 || seen != want {
			t.Errorf("%s: %s, fetched %q, want %q", sent, resp.Status, seen, want)
		}
	}
}

// TestNoProxy: without Handler.Proxy a request for a whole URL is refused.
func TestNoProxy(t *testing.T) {
	resp := do(t, handlerOf(nil), http.MethodGet, "http://h.example/")
	if resp.StatusCode != http.StatusForbidden {
		t.Error(resp.Status)
	}
}

// TestSchemes: by default the schemes are those of the Registry within, without those of this
// machine, and each has an example.
func TestSchemes(t *testing.T) {
	registry := fetch.Protocols(nil)
	h := &gateway.Handler{Fetcher: &fetchers.Limiter{Fetcher: &fetchers.Client{Fetcher: registry}}}
	text := bodyOf(t, get(t, h, "/"))
	for _, s := range registry.Schemes() {
		left := slices.Contains([]string{"file", "data", "cid"}, s)
		if strings.Contains(text, "<td>"+s+"</td>") == left {
			t.Errorf("%s: an example is there: %t", s, !left)
		}
	}
}
