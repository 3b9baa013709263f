package http_test

import (
	"bufio"
	"io"
	"net"
	nethttp "net/http"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// The connection of an odd response is closed, since another parser may take the next bytes for a
// part of it. The connection of a valid response is kept.
func TestOddAnswerEndsItsConnection(t *testing.T) {
	const length, body = "Content-Length: 5\r\n", "\r\nhello"
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, c := range map[string]struct {
		answer string
		kept   bool
	}{
		"with a length":                  {"HTTP/1.1 200 OK\r\n" + length + body, true},
		"in chunks":                      {chunked + "5\r\nhello\r\n0\r\n\r\n", true},
		"with an extension":              {chunked + "5 ; a=b\r\nhello\r\n0\r\nX-A: b\r\n\r\n", true},
		"with lines that end in LF":      {"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", true},
		"with the same length twice":     {"HTTP/1.1 200 OK\r\n" + length + length + body, true},
		"HTTP/1.0 that keeps it":         {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + length + body, true},
		"with a length in a list":        {"HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n" + body, false},
		"with a first field after LWS":   {"HTTP/1.1 200 OK\r\n X: b\r\n" + length + body, false},
		"with an odd name":               {"HTTP/1.1 200 OK\r\n(X): b\r\n" + length + body, false},
		"with a space before the colon":  {"HTTP/1.1 200 OK\r\nX : b\r\n" + length + body, false},
		"with a CR in a field":           {"HTTP/1.1 200 OK\r\nX: a\rb\r\n" + length + body, false},
		"with lines that end in CRCRLF":  {"HTTP/1.1 200 OK\r\nX: a\r\r\n" + length + body, false},
		"with a CR in its status line":   {"HTTP/1.1 200 OK\rX: a\r\n" + length + body, false},
		"with an odd status line":        {"HTTP/1.1 200OK\r\n" + length + body, false},
		"with a length and chunks":       {"HTTP/1.1 200 OK\r\n" + length + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", false},
		"HTTP/1.0 in chunks":             {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", false},
		"with identity and chunks":       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", false},
		"with sizes that end in LF":      {chunked + "5\nhello\r\n0\r\n\r\n", false},
		"with data that end in LF":       {chunked + "5\r\nhello\n0\r\n\r\n", false},
		"with a last line of LF":         {chunked + "5\r\nhello\r\n0\r\n\n", false},
		"with a trailer that ends in LF": {chunked + "5\r\nhello\r\n0\r\nX: b\n\r\n", false},
		"with a folded field":            {"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n" + length + body, false},
		"with a folded length":           {"HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n" + body, false},
		"with a length and an empty one": {"HTTP/1.1 200 OK\r\n" + length + "Content-Length:\r\n" + body, false},
		"with lines of both ends":        {"HTTP/1.1 200 OK\r\nX: a\n" + length + body, false},
		"with a header that LF ends":     {"HTTP/1.1 200 OK\r\n" + length + "\nhello", false},
		"with a status that LF ends":     {"HTTP/1.1 200 OK\n" + length + body, false},
		"behind a coded interim one":     {"HTTP/1.1 103 Early\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/1.1 200 OK\r\n" + length + body, false},
		"behind an interim one of 5":     {"HTTP/1.1 103 Early\r\n" + length + "\r\nHTTP/1.1 200 OK\r\n" + length + body, false},
		"behind an interim one of 0":     {"HTTP/1.1 103 Early\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n" + length + body, true},
		"behind an odd interim response": {"HTTP/1.1 103 Early\r\n(X): b\r\n\r\nHTTP/1.1 200 OK\r\n" + length + body, false},
	} {
		t.Run(name, func(t *testing.T) {
			base, opened := keeper(t, nil, func(_ int64, conn net.Conn, in *bufio.Reader) {
				for {
					if _, err := nethttp.ReadRequest(in); err != nil {
						return
					}
					io.WriteString(conn, c.answer)
				}
			})
			f := new(http.Fetcher)
			defer f.CloseIdle()
			for range 2 {
				if got, confirmed, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); string(got) != "hello" || !confirmed || err != nil {
					t.Fatalf("%q, confirmed %v, %v", got, confirmed, err)
				}
			}
			if kept := opened.Load() == 1; kept != c.kept {
				t.Errorf("%d connections for two answers", opened.Load())
			}
		})
	}
}

// A 204 has no body. If it has a length or chunks, another parser may expect one; therefore its
// connection is closed.
func TestNoContentEndsItsConnection(t *testing.T) {
	for fields, kept := range map[string]bool{
		"":                               true,
		"Content-Length: 0\r\n":          true,
		"Content-Length: 5\r\n":          false,
		"Content-Length: x\r\n":          false,
		"Transfer-Encoding: chunked\r\n": false,
	} {
		base, opened := keeper(t, nil, func(_ int64, conn net.Conn, in *bufio.Reader) {
			for {
				if _, err := nethttp.ReadRequest(in); err != nil {
					return
				}
				io.WriteString(conn, "HTTP/1.1 204 No\r\n"+fields+"\r\n")
			}
		})
		f := new(http.Fetcher)
		for range 2 {
			if got, confirmed, err := read(t, f, &fetchers.Request{URL: parse(t, base)}); string(got) != "" || !confirmed || err != nil {
				t.Errorf("%q: %q, confirmed %v, %v", fields, got, confirmed, err)
			}
		}
		f.CloseIdle()
		if got := opened.Load() == 1; got != kept {
			t.Errorf("%q: %d connections for two answers", fields, opened.Load())
		}
	}
}

// The names of codings are ASCII. The Kelvin sign is no k.
func TestKelvinIsNoChunked(t *testing.T) {
	server := serve(t, nil, raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chun\u212aed\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
	f := new(http.Fetcher)
	defer f.CloseIdle()
	if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, server)}); err == nil {
		t.Errorf("%q, and no error", body)
	}
}
