package http_test

import (
	"net/textproto"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// An empty field of the caller is left out. A Blank field is sent without a value.
func TestEmptyFields(t *testing.T) {
	var request string
	server := serve(t, nil, func(c *connection) {
		request = c.request
		c.head("HTTP/1.1 200 OK", "Content-Length: 0")
	})
	f := new(http.Fetcher)
	defer f.CloseIdle()
	_, _, err := read(t, f, &fetchers.Request{URL: parse(t, server), Header: textproto.MIMEHeader{
		"Accept": {""}, "Accept-Encoding": {http.Blank}, "X-A": {"1", http.Blank}, "X-B": {""}, "User-Agent": {http.Blank}, "Cookie": {http.Blank},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := "GET / HTTP/1.1\r\nHost: " + parse(t, server).Addr() + "\r\nAccept-Encoding:\r\nCookie:\r\nX-A: 1\r\nX-A:\r\n\r\n"
	if request != want {
		t.Errorf("sent %q, want %q", request, want)
	}
}
