package gateway_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/url"
)

// dialed returns a connection to a server with the handler h.
func dialed(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn
}

// TestSlowClientOfPage: a client that does not take a page does not hold its fetch open.
func TestSlowClientOfPage(t *testing.T) {
	for name, answer := range map[string]func(u *url.URL) *fetchers.Resource{
		"page": func(u *url.URL) *fetchers.Resource {
			res := resource(u, fetchers.Index, "text/plain", "")
			res.SetBody(io.NopCloser(io.LimitReader(quotes{}, 1<<20)))
			return res
		},
		"json": func(u *url.URL) *fetchers.Resource {
			res := resource(u, fetchers.Document, "text/plain", "")
			res.Header = textproto.MIMEHeader{"Server": {strings.Repeat("x", 8<<20)}}
			return res
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) { return answer(req.URL), nil })
			h.Stall = 100 * time.Millisecond
			ended := make(chan struct{}, 1)
			server := httptest.NewUnstartedServer(h)
			server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateClosed {
					ended <- struct{}{}
				}
			}
			server.Start()
			defer server.Close()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			for range 200 { // their answers are more than the system buffers
				fmt.Fprintf(conn, "GET /?url=wais%%3A%%2F%%2Fh%%2Fgarden&as=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", name)
			}
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Fatal("the connection stays open for a client that takes nothing")
			}
		})
	}
}

// quotes is an endless text of characters that HTML escapes.
type quotes struct{}

func (quotes) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '"'
	}
	return len(p), nil
}

// TestRequestBody: a request with a body is refused, and its connection does not wait for the body.
func TestRequestBody(t *testing.T) {
	for _, target := range []string{"/fetch/ftp://h.example/x", "http://h.example/x", "/"} {
		for _, length := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked"} {
			h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
				t.Errorf("fetched %s", req.URL)
				return nil, fetchers.NewError("fetch", req.URL, fetchers.ErrBlocked)
			})
			h.Proxy = true
			conn := dialed(t, h)
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n", target, length)
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") || !strings.Contains(string(answer), "Connection: close") {
				t.Errorf("%s, %s: %v\n%s", target, length, err, answer)
			}
		}
	}
}

// TestCutWithoutLength: a client of HTTP/1.0, for which the end of the connection is that of the
// document, sees that the document is cut short.
func TestCutWithoutLength(t *testing.T) {
	for _, kind := range []string{"/fetch/ftp://h.example/x", "http://h.example/x"} {
		h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
			res := resource(req.URL, fetchers.Document, "text/plain", "")
			res.SetBody(io.NopCloser(io.MultiReader(strings.NewReader("beginning"), broken{})))
			return res, nil
		})
		h.Proxy = true
		conn := dialed(t, h)
		fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n", kind)
		answer, err := io.ReadAll(conn)
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: %v, want a reset\n%s", kind, err, answer)
		}
	}
}

// TestCutAtTheEnd: a document is not taken for whole if its server says at the end that it is not.
func TestCutAtTheEnd(t *testing.T) {
	for _, pieces := range [][]string{{"beginning"}, {"begin", "ning"}, {"beginnin", "g"}, {"b", "eginning"}, {"beginning", "more"}} {
		for _, whole := range []bool{true, false} {
			var body []io.Reader
			for _, piece := range pieces {
				body = append(body, strings.NewReader(piece))
			}
			if !whole {
				body = append(body, broken{})
			}
			h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
				res := resource(req.URL, fetchers.Document, "text/plain", "")
				res.Size = int64(len("beginning"))
				res.SetBody(io.NopCloser(io.MultiReader(body...)))
				return res, nil
			})
			conn := dialed(t, h)
			fmt.Fprintf(conn, "GET /fetch/ftp://h.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			if whole = whole && pieces[len(pieces)-1] != "more"; (err == nil) != whole || whole && string(text) != "beginning" {
				t.Errorf("%q, whole %t: %q, %v", pieces, whole, text, err)
			}
		}
	}
}

// TestHEAD: the header of an answer to HEAD is that of GET, or lacks fields; none differs.
func TestHEAD(t *testing.T) {
	for _, c := range []struct {
		name, target, mediaType string
		kind                    fetchers.Kind
	}{
		{"a document of a known type", "/fetch/ftp://h.example/x", "image/png", fetchers.Document},
		{"a document of an unknown type", "/fetch/ftp://h.example/x", "", fetchers.Document},
		{"a text without a character set", "/fetch/ftp://h.example/x", "text/plain", fetchers.Document},
		{"a page about a text", "/?url=ftp%3A%2F%2Fh.example%2Fx&as=page", "text/plain", fetchers.Document},
		{"a message", "/fetch/news:1@x.example", "message/rfc822", fetchers.Document},
		{"a part of a message", "/?url=news%3A1%40x.example&part=2", "message/rfc822", fetchers.Document},
		{"a part that there is not", "/?url=news%3A1%40x.example&part=9", "message/rfc822", fetchers.Document},
		{"a listing", "/fetch/ftp://h.example/x", "", fetchers.Listing},
		{"a listing as JSON", "/?url=ftp%3A%2F%2Fh.example%2Fx&as=json", "", fetchers.Listing},
		{"the first page", "/", "", fetchers.Document},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
				body := "\xff\xfe\x00\x01"
				if c.mediaType == "message/rfc822" {
					body = message
				}
				if c.kind == fetchers.Listing {
					return listingOf(req.URL), nil
				}
				res := resource(req.URL, c.kind, c.mediaType, body)
				if req.Describe {
					res.SetBody(nil)
				}
				return res, nil
			})
			get, head := do(t, served(t, h), "GET", c.target, "Accept: text/html"), do(t, served(t, h), "HEAD", c.target, "Accept: text/html")
			if get.StatusCode != head.StatusCode {
				t.Errorf("GET: %s, HEAD: %s", get.Status, head.Status)
			}
			for name, values := range head.Header {
				if name != "Date" && get.Header.Get(name) != values[0] {
					t.Errorf("%s: %q for HEAD, %q for GET", name, values[0], get.Header.Get(name))
				}
			}
		})
	}
}

// A throughServer answers by a server of net/http, which adds fields of its own.
type throughServer struct {
	t *testing.T
	h *gateway.Handler
}

func served(t *testing.T, h *gateway.Handler) throughServer { return throughServer{t, h} }

func (s throughServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn := dialed(s.t, s.h)
	r.URL.Scheme, r.URL.Host = "", ""
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\nConnection: close\r\n\r\n", r.Method, r.URL, r.Header.Get("Accept"))
	resp, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		s.t.Fatal(err)
	}
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	if resp.ContentLength >= 0 {
		w.Header().Set("Content-Length", fmt.Sprint(resp.ContentLength))
	}
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
}
