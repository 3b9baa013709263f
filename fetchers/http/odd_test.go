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

// The connection of an answer that is odd is closed, since what follows may be a part of it
// for another reader. One that is not odd is kept.
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
		"with an odd status line":        {"HTTP/1.1 200OK\r\n" + length + body, false},
		"with a length and chunks":       {"HTTP/1.1 200 OK\r\n" + length + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", false},
		"HTTP/1.0 in chunks":             {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", false},
		"with identity and chunks":       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", false},
		"with sizes that end in LF":      {chunked + "5\nhello\r\n0\r\n\r\n", false},
		"with data that end in LF":       {chunked + "5\r\nhello\n0\r\n\r\n", false},
		"with a last line of LF":         {chunked + "5\r\nhello\r\n0\r\n\n", false},
		"with a trailer that ends in LF": {chunked + "5\r\nhello\r\n0\r\nX: b\n\r\n", false},
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
