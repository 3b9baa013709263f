package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/integration/dicttest"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
)

// exchanged returns the answers to octets that a client sends over one connection, up to the end of it or
// of a second, and the URLs that were fetched.
func exchanged(t *testing.T, octets string) (answers string, fetched []string) {
	t.Helper()
	var mu sync.Mutex
	h := handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		mu.Lock()
		defer mu.Unlock()
		fetched = append(fetched, req.URL.String())
		return resource(req.URL, fetchers.Document, "text/plain", "body"), nil
	})
	h.Proxy = true
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, octets); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	received := bufio.NewReader(conn)
	received.Peek(1)                 // a client that closes its side early would break off the first request
	conn.(*net.TCPConn).CloseWrite() // a server that waits for a second one ends
	text, _ := io.ReadAll(received)  // a server that resets the connection has answered before
	mu.Lock()
	defer mu.Unlock()
	return string(text), fetched
}

// TestSmuggling: bytes that two servers can read as different requests are one request or none, and
// the body of a request is never a request of its own.
func TestSmuggling(t *testing.T) {
	const (
		host   = "Host: localhost\r\n"
		hidden = "GET /fetch/ftp://hidden.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
		get    = "GET /fetch/ftp://h.example/a HTTP/1.1\r\n"
		asked  = "ftp://h.example/a"
	)
	for _, c := range []struct {
		name, octets, status string
		fetched              string
	}{
		{"Content-Length and Transfer-Encoding", get + host + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden, "400", ""},
		{"Transfer-Encoding and Content-Length", get + host + "Transfer-Encoding: chunked\r\nContent-Length: 70\r\n\r\n0\r\n\r\n" + hidden, "400", ""},
		{"the same to a proxy", "GET ftp://h.example/a HTTP/1.1\r\n" + host + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden, "400", ""},
		{"two transfer encodings", get + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden, "501", ""},
		{"an unknown transfer encoding", get + host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden, "501", ""},
		{"two lengths", get + host + "Content-Length: 0\r\nContent-Length: 66\r\n\r\n" + hidden, "400", ""},
		{"two lengths in one field", get + host + "Content-Length: 0, 66\r\n\r\n" + hidden, "400", ""},
		{"one length twice", get + host + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc" + hidden, "400", ""},
		{"a length with a sign", get + host + "Content-Length: +3\r\n\r\nabc" + hidden, "400", ""},
		{"content of a GET", get + host + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(hidden)) + hidden, "400", ""},
		{"content of a HEAD", strings.Replace(get, "GET", "HEAD", 1) + host + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(hidden)) + hidden, "400", ""},
		{"content of a POST", strings.Replace(get, "GET", "POST", 1) + host + "Content-Length: 3\r\n\r\nabc" + hidden, "405", ""},
		{"a malformed chunk", get + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + hidden, "400", ""},
		{"a chunk extension that ends in LF", get + host + "Transfer-Encoding: chunked\r\n\r\n1;\nxx\r\nA\r\n0\r\n\r\n" + hidden, "400", ""},
		{"a folded field", get + host + "X: a\r\n Content-Length: 66\r\nConnection: close\r\n\r\n" + hidden, "200", asked},
		{"a folded first field", "GET / HTTP/1.1\r\n Host: other.example\r\n" + host + "\r\n", "400", ""},
		{"a blank before a colon", get + "Host : localhost\r\n\r\n", "400", ""},
		{"a CR within a field", get + host + "X: a\rContent-Length: 5\r\n\r\n" + hidden, "400", ""},
		{"a NUL within a field", get + host + "X: a\x00b\r\n\r\n" + hidden, "400", ""},
		{"two names", get + host + "Host: other.example\r\n\r\n", "400", ""},
		{"a URL and another name", "GET http://other.example/ HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", "200", "http://other.example/"},
		{"a URL of the gateway and another name", "GET http://localhost/fetch/ftp://h.example/a HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n", "200", "http://localhost/fetch/ftp://h.example/a"},
		{"a request line without a version", "GET /fetch/ftp://h.example/a\r\n\r\n", "400", ""},
		{"HTTP/2 without its preface", "GET / HTTP/2.0\r\n" + host + "\r\n", "505", ""},
		{"an upgrade", get + host + "Connection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n", "200", asked},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers, fetched := exchanged(t, c.octets)
			if !strings.HasPrefix(answers, "HTTP/1.1 "+c.status+" ") || strings.Count(answers, "HTTP/1.1 ") != 1 || strings.Join(fetched, " ") != c.fetched {
				t.Errorf("fetched %q, want %q; want the one status %s\n%s", fetched, c.fetched, c.status, answers)
			}
		})
	}
}

// TestNoInjectionIntoProtocols: a line end within a URL adds no line to the bytes for a server.
func TestNoInjectionIntoProtocols(t *testing.T) {
	files := fstest.MapFS{"a": {Data: []byte("a")}}
	news := fstest.MapFS{"test.misc/1": {Data: []byte("Subject: a\nMessage-ID: <1@x.example>\n\na\n")}}
	ftp, gopher, web, nntp, dict := ftptest.New(t, files), gophertest.New(t, files), webtest.New(t, files), nntptest.New(t, news), dicttest.New(t, fstest.MapFS{})
	client := &fetchers.Client{Fetcher: fetch.Protocols(nil)}
	defer client.CloseIdle()
	h := &gateway.Handler{Fetcher: client, Proxy: true}
	for _, ends := range []string{"%0D%0A", "%0A", "%0D", "%00", "%0d%0a%0d%0a"} {
		injected := "a" + ends + "INJECTED" + ends
		for _, u := range []string{
			ftp.URL + "/" + injected, ftp.URL + "/" + injected + "/", ftp.URL + "/a;type=" + injected, strings.Replace(ftp.URL, "//", "//"+injected+":"+injected+"@", 1) + "/a",
			gopher.URL + "/0/" + injected, gopher.URL + "/7/a%09" + injected, gopher.URL + "/0/a%09%09" + injected,
			web.URL + "/" + injected, web.URL + "/?" + injected, web.URL + "/?a" + strings.ReplaceAll(injected, "%0D%0A", "%E5%98%8D%E5%98%8A"),
			nntp.URL + "/" + injected, nntp.URL + "/test.misc/" + injected, nntp.URL + "/test.misc/1" + injected,
			dict.URL + "/d:" + injected, dict.URL + "/m:a:" + injected + ":" + injected,
			"finger://" + dict.Addr + "/" + injected,
		} {
			for _, target := range []string{"/fetch/" + u, "/?url=" + strings.NewReplacer("%", "%25", "?", "%3F", "&", "%26", "+", "%2B", "#", "%23").Replace(u), u} {
				if resp := get(t, h, target); strings.Contains(fmt.Sprint(resp.Header), "\nINJECTED") {
					t.Errorf("%s: %v", target, resp.Header)
				}
			}
		}
	}
	for _, s := range []interface{ Transcript() []string }{ftp, gopher, web, nntp, dict} {
		for _, request := range s.Transcript() {
			for line := range strings.FieldsFuncSeq(request, func(r rune) bool { return r == '\r' || r == '\n' || r == 0 }) {
				if strings.HasPrefix(line, "INJECTED") {
					t.Errorf("%T was sent %q", s, request)
				}
			}
		}
	}
}
