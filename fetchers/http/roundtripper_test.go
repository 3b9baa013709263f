package http_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/url"
)

// A tripper is a function as a RoundTripper.
type tripper func(*nethttp.Request) (*nethttp.Response, error)

func (t tripper) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) { return t(r) }

// A Fetcher over the Transport of net/http keeps the contract of Fetchers.
func TestRoundTripperConformance(t *testing.T) {
	content := bytes.Repeat([]byte("the quick brown fox\n"), 1000)
	mux := nethttp.NewServeMux()
	mux.HandleFunc("/f", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("ETag", `"1"`)
		nethttp.ServeContent(w, r, "f.txt", modified, bytes.NewReader(content))
	})
	part := func(w nethttp.ResponseWriter) {
		w.Header().Set("Content-Length", "100000")
		w.Write(content[:1000])
		w.(nethttp.Flusher).Flush()
	}
	mux.HandleFunc("/stalled", func(w nethttp.ResponseWriter, r *nethttp.Request) { part(w); <-r.Context().Done() })
	mux.HandleFunc("/cut", func(w nethttp.ResponseWriter, r *nethttp.Request) { part(w); panic(nethttp.ErrAbortHandler) })
	server := httptest.NewServer(mux)
	defer server.Close()
	at := func(path string) *url.URL { return parse(t, server.URL+path) }
	conformance.Run(t, conformance.Target{
		Fetcher:  &http.Fetcher{RoundTripper: new(nethttp.Transport)},
		Document: at("/f"),
		Content:  content,
		Missing:  at("/none"),
		Stalled:  func(*testing.T) *url.URL { return at("/stalled") },
		Cut:      func(*testing.T) *url.URL { return at("/cut") },
	})
}

// Logins, cookies and codings are handled by the Fetcher, over any RoundTripper.
func TestRoundTripper(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "hello")
	z.Close()
	handler := nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.User != nil {
			t.Errorf("the URL has the user %v", r.URL.User)
		}
		switch user, password, _ := r.BasicAuth(); {
		case r.URL.Path == "/secret" && (user != "joe" || password != "s3cret"):
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(401)
		case r.Header.Get("Accept-Encoding") != "identity":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zipped.Bytes())
		default:
			w.Write([]byte("hello"))
		}
	})
	requests := 0
	f := &http.Fetcher{RoundTripper: tripper(func(r *nethttp.Request) (*nethttp.Response, error) {
		requests++
		w := httptest.NewRecorder()
		handler(w, r)
		return w.Result(), nil
	})}
	for _, c := range []struct {
		name     string
		req      fetchers.Request
		requests int
		err      error
	}{
		{"a document", fetchers.Request{URL: parse(t, "http://h.example/")}, 1, nil},
		{"compressed", fetchers.Request{URL: parse(t, "http://h.example/"), Compress: true}, 1, nil},
		{"a login", fetchers.Request{URL: parse(t, "http://joe:s3cret@h.example/secret")}, 2, nil},
		{"a login that is known", fetchers.Request{URL: parse(t, "http://joe:s3cret@h.example/secret")}, 1, nil},
		{"no login", fetchers.Request{URL: parse(t, "http://h.example/secret")}, 1, fetchers.ErrLogin},
		{"another scheme", fetchers.Request{URL: parse(t, "ftp://h.example/")}, 0, new(url.Error)},
	} {
		requests = 0
		res, err := f.Fetch(t.Context(), &c.req)
		if requests != c.requests {
			t.Errorf("%s: %d requests, want %d", c.name, requests, c.requests)
		}
		if c.err != nil {
			if !errors.Is(err, c.err) && !(c.requests == 0 && errors.As(err, new(*url.Error))) {
				t.Errorf("%s: %v, want %v", c.name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		body, err := io.ReadAll(res.Body)
		if string(body) != "hello" || err != nil || res.Reply.Code != 200 {
			t.Errorf("%s: %q, %v", c.name, body, err)
		}
		res.Close()
	}
}

// A handmade response may lack fields that net/http always sets.
func TestRoundTripperBareResponse(t *testing.T) {
	broken := errors.New("the road is closed")
	body := func(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }
	breaks := io.NopCloser(io.MultiReader(strings.NewReader("hell"), iotest.ErrReader(broken)))
	length := func(s string) nethttp.Header { return nethttp.Header{"Content-Length": {s}} }
	for name, c := range map[string]struct {
		resp *nethttp.Response
		fail error
		size int64
		body string
		err  error // of Fetch or of reading
	}{
		"nothing but a status": {resp: &nethttp.Response{StatusCode: 200}},
		"a body of any length": {resp: &nethttp.Response{StatusCode: 200, Body: body("hello")}, size: -1, body: "hello"},
		"a body":               {resp: &nethttp.Response{StatusCode: 200, Body: body("hello"), ContentLength: 5}, size: 5, body: "hello"},
		"a body cut short":     {resp: &nethttp.Response{StatusCode: 200, Body: body("hell"), ContentLength: 5}, size: 5, body: "hell", err: io.ErrUnexpectedEOF},
		"more than there is":   {resp: &nethttp.Response{StatusCode: 200, Body: body("hello!"), ContentLength: 5}, size: 5, body: "hello", err: fetchers.ErrProtocol},
		"no body of a length":  {resp: &nethttp.Response{StatusCode: 200, ContentLength: 5}, size: 5, err: io.ErrUnexpectedEOF},
		"a length in a field":  {resp: &nethttp.Response{StatusCode: 200, Body: body("hello"), Header: length("5")}, size: 5, body: "hello"},
		"less than a field":    {resp: &nethttp.Response{StatusCode: 200, Body: body("hell"), Header: length("5")}, size: 5, body: "hell", err: io.ErrUnexpectedEOF},
		"more than nothing":    {resp: &nethttp.Response{StatusCode: 200, Body: body("hello"), Header: length("0")}, err: fetchers.ErrProtocol},
		"no number in a field": {resp: &nethttp.Response{StatusCode: 200, Body: body("hello"), Header: length("x")}, size: -1, body: "hello"},
		"a body that breaks":   {resp: &nethttp.Response{StatusCode: 200, Body: breaks}, size: -1, body: "hell", err: broken},
		"no response":          {err: nil, fail: nil},
		"an error":             {fail: broken, err: broken},
		"a blocked address":    {fail: fetchers.ErrBlocked, err: fetchers.ErrBlocked},
		"no answer":            {fail: io.EOF, err: fetchers.ErrTemporary},
		"a passed context":     {fail: context.DeadlineExceeded, err: context.DeadlineExceeded},
	} {
		f := &http.Fetcher{RoundTripper: tripper(func(*nethttp.Request) (*nethttp.Response, error) { return c.resp, c.fail })}
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.example/")})
		if c.resp == nil {
			if err == nil || !errors.Is(err, c.err) && c.err != nil || c.err == broken && errors.Is(err, fetchers.ErrProtocol) {
				t.Errorf("%s: %v, want %v", name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := io.ReadAll(res.Body)
		if string(got) != c.body || !errors.Is(err, c.err) || res.Size != c.size || res.Reply.Text != "OK" {
			t.Errorf("%s: %q, %v; %+v of %d", name, got, err, res.Reply, res.Size)
		}
		if errors.Is(err, fetchers.ErrProtocol) && c.err != fetchers.ErrProtocol {
			t.Errorf("%s: %v, which says nothing of the reply of a server", name, err)
		}
		if whole := c.err == nil && c.size >= 0; res.Confirmed() != whole {
			t.Errorf("%s: confirmed: %v", name, res.Confirmed())
		}
		res.Close()
	}
}

// A Fetcher works over an http.Client whose Transport is a Fetcher.
func TestRoundTripperRoundTrip(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("ETag", `"1"`)
		nethttp.ServeContent(w, r, "", modified, strings.NewReader("0123456789"))
	}))
	defer server.Close()
	inner := &http.Fetcher{}
	f := &http.Fetcher{RoundTripper: &http.FetcherTransport{Fetcher: inner}}
	defer f.CloseIdle()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL), Range: fetchers.Range{Offset: 4}, Have: fetchers.Validator{ETag: `"1"`}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	if string(body) != "456789" || err != nil || res.Range != (fetchers.Range{Offset: 4, Length: 6}) || res.Size != 10 || !res.Confirmed() {
		t.Errorf("%q, %v; %+v of %d", body, err, res.Range, res.Size)
	}
	_, err = f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL), Range: fetchers.Range{Offset: 10}})
	var end *fetchers.RangeError
	if !errors.As(err, &end) || end.Size != 10 {
		t.Errorf("at the end: %v", err)
	}
}
