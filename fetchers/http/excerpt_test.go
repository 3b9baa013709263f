package http_test

import (
	"compress/gzip"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// refusal fetches a URL that the server refuses.
func refusal(t *testing.T, f fetchers.Fetcher, req *fetchers.Request) *fetchers.StatusError {
	t.Helper()
	_, _, err := read(t, f, req)
	refused, ok := errors.AsType[*fetchers.StatusError](err)
	if !ok {
		t.Fatalf("%v is no refusal", err)
	}
	return refused
}

// A refusal has the header of its response, and the beginning of a readable body.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 1<<9)
	connections := make(map[string]bool)
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		connections[r.RemoteAddr] = true
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		w.Header().Set("X-Fault", "7")
		body := r.URL.Query().Get("body")
		if body == "long" {
			body = long
		}
		if coding := r.URL.Query().Get("coding"); coding != "" {
			w.Header().Set("Content-Encoding", coding)
			w.WriteHeader(400)
			z := gzip.NewWriter(w)
			io.WriteString(z, body)
			z.Close()
			return
		}
		w.WriteHeader(400)
		io.WriteString(w, body)
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for name, c := range map[string]struct {
		query string
		req   fetchers.Request
		want  string
	}{
		"a text":                          {"type=text/plain&body=no", fetchers.Request{}, "no"},
		"JSON":                            {"type=application/json%3b+charset=utf-8&body={}", fetchers.Request{}, "{}"},
		"JSON of another name":            {"type=Application/Problem%2bJSON&body={}", fetchers.Request{}, "{}"},
		"a long text":                     {"type=text/plain&body=long", fetchers.Request{}, long[:fetchers.MaxExcerpt]},
		"a text that is coded":            {"type=text/plain&body=no&coding=gzip", fetchers.Request{Compress: true}, "no"},
		"a long text, coded":              {"type=text/plain&body=long&coding=gzip", fetchers.Request{Compress: true}, long[:fetchers.MaxExcerpt]},
		"a coding that was not requested": {"type=text/plain&body=no&coding=gzip", fetchers.Request{}, ""},
		"a coding that is unknown":        {"type=text/plain&body=no&coding=x", fetchers.Request{Compress: true}, ""},
		"HTML":                            {"type=text/html&body=no", fetchers.Request{}, ""},
		"a picture":                       {"type=image/png&body=no", fetchers.Request{}, ""},
		"of no type":                      {"type=&body=no", fetchers.Request{}, ""},
		"a header alone":                  {"type=text/plain&body=no", fetchers.Request{Describe: true}, ""},
	} {
		c.req.URL = parse(t, server.URL+"/?"+c.query)
		refused := refusal(t, f, &c.req)
		if refused.Excerpt != c.want {
			t.Errorf("%s: %.60q, want %.60q", name, refused.Excerpt, c.want)
		}
		if refused.Header.Get("X-Fault") != "7" || refused.Proto != "HTTP/1.1" {
			t.Errorf("%s: the version is %q, and the header %v", name, refused.Proto, refused.Header)
		}
	}
	if len(connections) != 1 {
		t.Errorf("%d connections, want one that is used again", len(connections))
	}
}

// A stalled body delays a refusal by a moment, but not until the stall limit.
func TestExcerptOfStall(t *testing.T) {
	stop := make(chan struct{})
	server := serve(t, nil, func(c *connection) {
		c.head("HTTP/1.1 400 Bad Request", "Content-Type: text/plain", "Content-Length: 1000")
		c.say("no such thing\n")
		<-stop
	})
	defer close(stop)
	began := time.Now()
	refused := refusal(t, &http.Fetcher{Network: &fetchers.Network{Stall: time.Minute}}, &fetchers.Request{URL: parse(t, server)})
	if took := time.Since(began); refused.Excerpt != "no such thing\n" || took > 30*time.Second {
		t.Errorf("%q after %v", refused.Excerpt, took)
	}
}
