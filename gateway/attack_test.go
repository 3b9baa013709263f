package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// TestRefusals: a request that a stranger may have had a browser send is refused, and nothing is
// fetched for it.
func TestRefusals(t *testing.T) {
	const u = "/fetch/ftp://h.example/x"
	for _, c := range []struct {
		name, method, target string
		fields               []string
		status               int
		words                string
	}{
		{"a name that leads to this machine", "GET", u, []string{"Host: rebound.example:8070"}, 403, "no such name"},
		{"a name that ends in one of ours", "GET", u, []string{"Host: localhost.evil.example"}, 403, "no such name"},
		{"no name", "GET", u, []string{"Host: "}, 403, "no such name"},
		{"the first page by another name", "GET", "/", []string{"Host: rebound.example"}, 403, "no such name"},
		{"a picture in a page of another site", "GET", u, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"}, 403, "another site"},
		{"another port of this machine", "GET", u, []string{"Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors"}, 403, "another site"},
		{"a frame of another site", "GET", u, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"}, 403, "another site"},
		{"a foreign Origin", "GET", u, []string{"Origin: http://evil.example"}, 403, "another site"},
		{"an opaque Origin", "GET", u, []string{"Origin: null"}, 403, "another site"},
		{"a link of another site", "GET", u, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}, 403, `<a href="/fetch/ftp://h.example/x">`},
		{"a form that another site has filled", "GET", "/?url=gopher%3A%2F%2Fh%2F0x%2509%2509%3F&answer1=x", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}, 403, "has filled the form"},
		{"a filled form in a link of another site", "GET", "/?url=gopher%3A%2F%2Fh%2F0x%2509%2509%2B%25091%250D%250A%2B-1%250D%250Ax%250D%250A.%250D%250A", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}, 403, "has filled the form"},
		{"POST", "POST", u, nil, 405, "only reads"},
		{"PUT", "PUT", u, nil, 405, "only reads"},
		{"a URL of another server", "GET", "http://h.example/", nil, 403, "no proxy"},
		{"another page", "GET", "/admin", nil, 404, "no such page"},
		{"no URL", "GET", "/fetch/", nil, 400, "no URL"},
		{"a relative reference", "GET", "/fetch/a/b", nil, 400, "no URL"},
		{"an address that is a number", "GET", "/fetch/http://0x7f000001/", nil, 400, "no URL"},
		{"two users", "GET", "/fetch/ftp://a:secret@b@h/", nil, 400, "no URL"},
		{"an escape that is none", "GET", "/?url=ftp%3A%2F%2Fh%2F%25zz", nil, 400, "no URL"},
		{"a scheme that is not known", "GET", "/fetch/foo://h/", nil, 400, "unknown scheme"},
		{"javascript", "GET", "/fetch/javascript:alert(1)", nil, 400, "unknown scheme"},
		{"a file of this machine", "GET", "/fetch/file:///etc/passwd", nil, 403, "does not fetch"},
		{"a document within its URL", "GET", "/fetch/data:text/html,x", nil, 403, "does not fetch"},
		{"a name only", "GET", "/fetch/nfs://h/x", nil, 501, "names"},
		{"a parameter that is not known", "GET", "/?url=ftp%3A%2F%2Fh%2F&to=x", nil, 400, "no parameter"},
		{"a parameter twice", "GET", "/?url=ftp%3A%2F%2Fh%2F&as=page&as=json", nil, 400, "more than once"},
		{"as what there is not", "GET", "/?url=ftp%3A%2F%2Fh%2F&as=%3Cscript%3E", nil, 400, "page, bytes or json"},
		{"an order that there is not", "GET", "/?url=ftp%3A%2F%2Fh%2F&sort=x", nil, 400, "one of"},
		{"a direction that there is not", "GET", "/?url=ftp%3A%2F%2Fh%2F&order=x", nil, 400, "up or down"},
		{"part zero", "GET", "/?url=ftp%3A%2F%2Fh%2F&part=0", nil, 400, "from 1"},
		{"like that is no URL", "GET", "/?url=wais%3A%2F%2Fh%2Fdb%3Fx&like=%3Cb%3E", nil, 400, "like is no URL"},
		{"like of another scheme", "GET", "/?url=wais%3A%2F%2Fh%2Fdb%3Fx&like=http%3A%2F%2Fh%2F", nil, 400, "no"},
		{"like a database", "GET", "/?url=wais%3A%2F%2Fh%2Fdb%3Fx&like=wais%3A%2F%2Fh%2Fdb", nil, 400, "not the URL of a WAIS document"},
		{"like a document of another server", "GET", "/?url=wais%3A%2F%2Fh%2Fdb%3Fx&like=wais%3A%2F%2Fg%2Fdb%2FTEXT%2Fx", nil, 400, "another server"},
		{"like without a search of WAIS", "GET", "/?url=ftp%3A%2F%2Fh%2F&like=wais%3A%2F%2Fh%2Fdb%2FTEXT%2Fx", nil, 400, "goes with a search"},
		{"like with a document", "GET", "/?url=wais%3A%2F%2Fh%2Fdb%2FTEXT%2Fy&like=wais%3A%2F%2Fh%2Fdb%2FTEXT%2Fx", nil, 400, "goes with a search"},
		{"like too many documents", "GET", "/?url=wais%3A%2F%2Fh%2Fdb" + strings.Repeat("&like=x", 51), nil, 400, "more than 50 times"},
		{"an answer without a number", "GET", "/?url=gopher%3A%2F%2Fh%2F0x&answer=x", nil, 400, "number of a field"},
		{"answer zero", "GET", "/?url=gopher%3A%2F%2Fh%2F0x&answer0=x", nil, 400, "number of a field"},
		{"answer 01", "GET", "/?url=gopher%3A%2F%2Fh%2F0x&answer01=x", nil, 400, "number of a field"},
		{"answer 101", "GET", "/?url=gopher%3A%2F%2Fh%2F0x&answer101=x", nil, 400, "number of a field"},
		{"an answer twice", "GET", "/?url=gopher%3A%2F%2Fh%2F0x&answer1=x&answer1=y", nil, 400, "more than once"},
		{"a part that is no number", "GET", "/?url=ftp%3A%2F%2Fh%2F&part=1e3", nil, 400, "from 1"},
		{"the URL twice", "GET", "/?url=ftp%3A%2F%2Fh%2F&url=ftp%3A%2F%2Fg%2F", nil, 400, "more than once"},
		{"parameters and no URL", "GET", "/?as=json", nil, 400, ""},
		{"an escape in the path that is none", "GET", "/fetch/ftp%3A%2F%2Fh%2F%25zz", nil, 400, "no URL"},
		{"a query that is malformed", "GET", "/?url=%zz", nil, 400, "malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
				t.Errorf("fetched %s", req.URL)
				return nil, fetchers.NewError("fetch", req.URL, fetchers.ErrBlocked)
			})
			resp := do(t, h, c.method, c.target, c.fields...)
			text := bodyOf(t, resp)
			if resp.StatusCode != c.status || !strings.Contains(text, c.words) {
				t.Errorf("%s, want %d and %q\n%s", resp.Status, c.status, c.words, text)
			}
			if strings.Contains(text, "secret") {
				t.Error("the page has the password")
			}
			checkPage(t, resp, text)
		})
	}
}

// TestOwnNames: requests by the names of the Handler, and from its own pages, are answered.
func TestOwnNames(t *testing.T) {
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		return resource(req.URL, fetchers.Document, "text/plain", "x"), nil
	})
	for _, fields := range [][]string{
		{"Host: 127.0.0.1:8070"}, {"Host: [::1]:8070"}, {"Host: [::1]"}, {"Host: LOCALHOST"},
		{"Sec-Fetch-Site: same-origin"}, {"Sec-Fetch-Site: none"}, {"Origin: http://localhost:8070"},
	} {
		if resp := get(t, h, "/fetch/ftp://h.example/x", fields...); resp.StatusCode != 200 {
			t.Errorf("%q: %s", fields, resp.Status)
		}
	}
	h.Hosts = []string{"gate.example:80"}
	if resp := get(t, h, "/fetch/ftp://h.example/x", "Host: gate.example:80"); resp.StatusCode != 200 {
		t.Errorf("its own name: %s", resp.Status)
	}
	for _, host := range []string{"localhost", "gate.example:81", "gate.example"} {
		if resp := get(t, h, "/fetch/ftp://h.example/x", "Host: "+host); resp.StatusCode != 403 {
			t.Errorf("%s: %s", host, resp.Status)
		}
	}
}

// TestSecretsAreNotSent: no login and no field of the client reaches a server.
func TestSecretsAreNotSent(t *testing.T) {
	var seen *fetchers.Request
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		seen = req
		return resource(req.URL, fetchers.Document, "text/plain", "x"), nil
	})
	target := "/fetch/ftp://joe:secret@h.example/x"
	get(t, h, target, "Authorization: Basic x", "Cookie: a=b", "Accept: text/html")
	if seen.Named != fetchers.ByStranger || seen.URL.User != nil || seen.Login != nil || len(seen.Header) != 1 || seen.Header["Via"] == nil {
		t.Errorf("request %+v for %s", seen, seen.URL)
	}
	h.Trusted = true
	resp := get(t, h, target+"?", "Accept: text/html")
	if seen.Named != fetchers.ByUser || seen.URL.User == nil || strings.Contains(bodyOf(t, resp), "secret") {
		t.Errorf("trusted: request %+v", seen)
	}
}

// TestInjection: octets of a URL, or of a server, add no field to the answer.
func TestInjection(t *testing.T) {
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		res := resource(req.URL, fetchers.Document, "text/plain\r\nX-Bad: 1", "<html>x")
		res.Name = "a\r\nX-Bad: 1\".html"
		res.Validator.ETag = "\"1\"\r\nX-Bad: 1"
		return res, nil
	})
	server := httptest.NewServer(h)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /fetch/gopher://h.example/0/a%%0D%%0AX-Bad:%%201%%0D%%0A%%0D%%0AGET%%20/%%20HTTP/1.1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(answer), "\r\n\r\n")
	if strings.Contains(header, "\nX-Bad") || strings.Contains(header, "text/html") || strings.Count(string(answer), "HTTP/1.1 ") != 1 {
		t.Errorf("%s", answer)
	}
}

// TestTextStaysText: a text that looks like a page is no page to a browser.
func TestTextStaysText(t *testing.T) {
	for declared, want := range map[string]string{
		"":                         "text/plain; charset=utf-8",
		"text/plain":               "text/plain; charset=utf-8",
		"application/octet-stream": "application/octet-stream",
		"nonsense":                 "text/plain; charset=utf-8",
	} {
		h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
			return resource(req.URL, fetchers.Document, declared, "<html><script>alert(1)</script>"), nil
		})
		resp := get(t, h, "/fetch/gopher://h.example/0/a", "Accept: text/html")
		if got := resp.Header.Get("Content-Type"); got != want || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q: %q, want %q", declared, got, want)
		}
	}
}

// TestMessagePart: a part of a message comes alone, and a page in it is in an origin of its own.
func TestMessagePart(t *testing.T) {
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		return resource(req.URL, fetchers.Document, "message/rfc822", message), nil
	})
	const target = "/?url=news%3A1%40x.example&part="
	resp := get(t, h, target+"2")
	text := bodyOf(t, resp)
	if text != "<script>alert(1)</script>" || !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "sandbox") || resp.Header.Get("Content-Disposition") != "inline; filename=a.html" {
		t.Errorf("%s %v\n%s", resp.Status, resp.Header, text)
	}
	if resp = get(t, h, target+"3"); resp.StatusCode != 404 {
		t.Errorf("part 3: %s", resp.Status)
	}
}

// TestMenuStreams: the rows of a menu are sent while the server sends it.
func TestMenuStreams(t *testing.T) {
	const total = 100_000
	next := make(chan struct{})
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		res := resource(req.URL, fetchers.Listing, "", "")
		res.Parse = func(io.Reader) iter.Seq2[fetchers.Entry, error] {
			return func(yield func(fetchers.Entry, error) bool) {
				for i := range total {
					if i == 3 {
						<-next
					}
					u := *req.URL
					u.Path = fmt.Sprintf("/0/item%d", i)
					if !yield(fetchers.Entry{URL: &u, Name: fmt.Sprintf("item %d", i), Kind: fetchers.Document, Size: -1}, nil) {
						return
					}
				}
			}
		}
		return res, nil
	})
	server := httptest.NewServer(h)
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/fetch/gopher://h.example/1/all")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewScanner(resp.Body)
	rows := 0
	for in.Scan() {
		if strings.Contains(in.Text(), ">item ") {
			if rows++; rows == 3 {
				close(next) // the server goes on only now
			}
		}
	}
	if in.Err() != nil || rows != total {
		t.Errorf("%d rows, %v", rows, in.Err())
	}
}

// TestSortedIsBounded: of a long listing the beginning is sorted, and nothing is lost.
func TestSortedIsBounded(t *testing.T) {
	const total = 10_050
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		var all []fetchers.Entry
		for i := range total {
			all = append(all, fetchers.Entry{URL: req.URL, Name: fmt.Sprintf("n%05d", total-i), Size: -1})
		}
		return listingOf(req.URL, all...), nil
	})
	text := bodyOf(t, get(t, h, "/?url=ftp%3A%2F%2Fh.example%2F&sort=name&as=page"))
	if n := strings.Count(text, ">n0") + strings.Count(text, ">n1"); n != total || !strings.Contains(text, "The rows above are the first 10000, sorted.") {
		t.Errorf("%d rows", n)
	}
	if a, b := strings.Index(text, ">n00051<"), strings.Index(text, ">n10050<"); a < 0 || a > b {
		t.Errorf("n00051 at %d, n10050 at %d", a, b)
	}
}

// TestClientLeaves: when a client goes away its fetch ends, and the connection to the server.
func TestClientLeaves(t *testing.T) {
	s := gophertest.NewServer(fstest.MapFS{"big.bin": {Data: make([]byte, 1<<20)}}, gophertest.Faults(gophertest.Fault{After: 4096, Do: gophertest.Stall}))
	defer s.Close()
	ended := make(chan error, 1)
	registry := fetch.Protocols(nil)
	h := &gateway.Handler{Schemes: schemes, Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res, err := registry.Fetch(ctx, req)
		if err == nil {
			res.WrapBody(func(src io.ReadCloser) io.ReadCloser { return told{src, ended} })
		}
		return res, err
	})}
	server := httptest.NewServer(h)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/fetch/"+s.URL+"/9/big.bin", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the fetch goes on without its client")
	}
}

// A told is a body that tells of its Close.
type told struct {
	io.ReadCloser
	ended chan error
}

func (b told) Close() error {
	err := b.ReadCloser.Close()
	select {
	case b.ended <- err:
	default:
	}
	return err
}

// TestSlowClient: a client that takes nothing ends its fetch.
func TestSlowClient(t *testing.T) {
	ended := make(chan error, 1)
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		res := resource(req.URL, fetchers.Document, "application/octet-stream", "")
		res.SetBody(told{io.NopCloser(endless{}), ended})
		return res, nil
	})
	h.Stall = 100 * time.Millisecond
	server := httptest.NewServer(h)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /fetch/ftp://h.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the fetch goes on for a client that takes nothing")
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestCut: a document that is cut short does not come whole.
func TestCut(t *testing.T) {
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		res := resource(req.URL, fetchers.Document, "text/plain", "")
		res.SetBody(io.NopCloser(io.MultiReader(strings.NewReader("beginning"), broken{})))
		return res, nil
	})
	server := httptest.NewServer(h)
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/fetch/ftp://h.example/x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err == nil || string(text) != "beginning" {
		t.Errorf("%q, %v", text, err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
