package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

var modified = time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC)

// origin answers as a server that follows RFC 9110, and on some paths as one that does not.
func origin(w nethttp.ResponseWriter, r *nethttp.Request) {
	switch r.URL.Path {
	case "/multipart":
		w.Header().Set("Content-Type", "multipart/byteranges; boundary=x")
		w.WriteHeader(206)
		io.WriteString(w, "--x\r\nContent-Range: bytes 4-5/10\r\n\r\n45\r\n--x--\r\n")
	case "/fields":
		w.Header().Set("Connection", "X-Hop")
		w.Header().Set("X-Hop", "a")
		w.Header().Set("Keep-Alive", "timeout=5")
		fmt.Fprintf(w, "%q %q %q %q %q", r.Header["X-Hop"], r.Header["Keep-Alive"], r.Header["Proxy-Authorization"], r.Header["X-End"], r.Header["Via"])
	case "/query":
		io.WriteString(w, r.URL.RawQuery)
	case "/cut":
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "01234")
		w.(nethttp.Flusher).Flush()
		panic(nethttp.ErrAbortHandler)
	default:
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Type", "text/plain")
		nethttp.ServeContent(w, r, "", modified, strings.NewReader("0123456789"))
	}
}

// TestProxy sends requests to the proxy as a client writes them, and compares its responses.
func TestProxy(t *testing.T) {
	defer goleak.VerifyNone(t)
	web := httptest.NewServer(nethttp.HandlerFunc(origin))
	defer web.Close()
	files := ftptest.NewServer(fstest.MapFS{
		"pub/poem.txt": {Data: []byte("0123456789"), ModTime: modified},
		"pub/who?a;b":  {Data: []byte("me"), ModTime: modified},
	})
	defer files.Close()
	registry := protocols(nil)
	registry.AnyPort = true
	defer registry.CloseIdle()
	proxy := httptest.NewServer(newProxy(registry))
	defer proxy.Close()

	date := modified.Format(nethttp.TimeFormat)
	for _, at := range []string{web.URL + "/poem.txt", files.URL + "/pub/poem.txt"} {
		matching, other := date, modified.Add(time.Hour).Format(nethttp.TimeFormat)
		if strings.HasPrefix(at, "http") {
			matching, other = `"1"`, `"2"`
		}
		for _, c := range []struct {
			name, method, fields string
			status               int
			answer               string // a field of the response
			body                 string
		}{
			{"the whole", "GET", "", 200, "Content-Length: 10", "0123456789"},
			{"HEAD", "HEAD", "", 200, "Content-Length: 10", ""},
			{"HEAD ignores a range", "HEAD", "Range: bytes=4-5\r\n", 200, "Content-Length: 10", ""},
			{"a range", "GET", "Range: bytes=4-5\r\n", 206, "Content-Range: bytes 4-5/10", "45"},
			{"all as a range", "GET", "Range: bytes=0-\r\n", 206, "Content-Range: bytes 0-9/10", "0123456789"},
			{"the last bytes", "GET", "Range: bytes=-3\r\n", 206, "Content-Range: bytes 7-9/10", "789"},
			{"a range at the end", "GET", "Range: bytes=10-\r\n", 416, "Content-Range: bytes */10", "*"},
			{"several ranges", "GET", "Range: bytes=0-1, 4-5\r\n", 200, "Content-Range: ", "0123456789"},
			{"a malformed range", "GET", "Range: bytes=x\r\n", 200, "Content-Range: ", "0123456789"},
			{"If-Range that matches", "GET", "Range: bytes=4-5\r\nIf-Range: " + matching + "\r\n", 206, "Content-Length: 2", "45"},
			{"If-Range that differs", "GET", "Range: bytes=4-5\r\nIf-Range: " + other + "\r\n", 200, "Content-Length: 10", "0123456789"},
			{"not modified", "GET", "If-Modified-Since: " + date + "\r\n", 304, "Content-Length: ", ""},
			{"a method that changes something", "DELETE", "", 405, "Allow: GET, HEAD", "*"},
			{"a body", "GET", "Content-Length: 1\r\n", 501, "", "*"},
			{"an empty body", "GET", "Content-Length: 0\r\n", 200, "Content-Length: 10", "0123456789"},
		} {
			t.Run(at[:4]+"/"+c.name, func(t *testing.T) {
				body := ""
				if strings.HasPrefix(c.fields, "Content-Length: 1") {
					body = "x"
				}
				resp, text, err := ask(t, proxy, c.method+" "+at+" HTTP/1.1\r\nHost: ignored.example\r\n"+c.fields+"Connection: close\r\n\r\n"+body)
				if err != nil || resp.StatusCode != c.status || c.body != "*" && text != c.body {
					t.Fatalf("%v %q, %v; want %d %q", resp, text, err, c.status, c.body)
				}
				if field, value, _ := strings.Cut(c.answer, ": "); field != "" && resp.Header.Get(field) != value {
					t.Errorf("%s: %q, want %q", field, resp.Header.Get(field), value)
				}
			})
		}
	}
	for _, c := range []struct {
		name, target string
		status       int
		body         string
	}{
		{"a tag that matches", web.URL + "/poem.txt HTTP/1.1\r\nIf-None-Match: \"2\", \"1\"", 304, ""},
		{"missing", files.URL + "/none HTTP/1.1", 404, "550"},
		{"a multipart answer", web.URL + "/multipart HTTP/1.1\r\nRange: bytes=4-5", 502, "in several parts"},
		{"the fields of a connection", web.URL + "/fields HTTP/1.1\r\nConnection: X-Hop\r\nX-Hop: a\r\nKeep-Alive: 5\r\nProxy-Authorization: Basic x\r\nX-End: b", 200, `[] [] [] ["b"] ["1.1 proxyhandler"]`},
		{"a query that is no form", web.URL + "/query?a;b=c&%20 HTTP/1.1", 200, "a;b=c&%20"},
		{"a question mark in a name", files.URL + "/pub/who?a;b HTTP/1.1", 200, "me"},
		{"no proxy request", "/poem.txt HTTP/1.1", 400, "no server"},
		{"a scheme that it has not", "file:///etc/passwd HTTP/1.1", 501, "unknown scheme"},
		{"no server there", "http://127.0.0.1:0/ HTTP/1.1", 400, "bad port"},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, text, err := ask(t, proxy, "GET "+c.target+"\r\nHost: ignored.example\r\n\r\n")
			if err != nil || resp.StatusCode != c.status || !strings.Contains(text, c.body) {
				t.Fatalf("%v %q, %v; want %d %q", resp, text, err, c.status, c.body)
			}
			for _, field := range []string{"X-Hop", "Keep-Alive"} {
				if resp.Header.Get(field) != "" {
					t.Errorf("%s has come through", field)
				}
			}
		})
	}
	if resp, text, err := ask(t, proxy, "GET "+web.URL+"/cut HTTP/1.1\r\nHost: ignored.example\r\n\r\n"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a cut body: %v %q, %v", resp, text, err)
	}
}

// ask sends a request to a server as it is, and returns the response and its body.
func ask(t *testing.T, server *httptest.Server, request string) (*nethttp.Response, string, error) {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	resp, err := nethttp.ReadResponse(bufio.NewReader(conn), &nethttp.Request{Method: method})
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

func TestStatus(t *testing.T) {
	for err, want := range map[error]int{
		fetchers.ErrBlocked: 403, fetchers.ErrUnknownScheme: 501, fetchers.ErrStalled: 504, fetchers.ErrProtocol: 502,
	} {
		if got := status(fmt.Errorf("fetch: %w", err)); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}
