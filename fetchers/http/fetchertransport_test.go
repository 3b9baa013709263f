package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

var modified = time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC)

// clientOver returns an http.Client that fetches http, ftp, file and telnet URLs by this module.
func clientOver(t *testing.T) *nethttp.Client {
	t.Helper()
	var registry fetchers.Registry
	registry.AnyPort = true
	registry.Register(new(http.Fetcher), "http", "https")
	registry.Register(new(ftp.Fetcher), "ftp")
	registry.Register(new(file.Fetcher), "file")
	registry.Register(new(telnet.Fetcher), "telnet")
	client := &nethttp.Client{Transport: &http.FetcherTransport{Fetcher: &registry}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// A response is the expected response: the status, some fields and the body.
type response struct {
	status int
	fields map[string]string // "" means that the field is absent
	body   string
}

func (want response) check(t *testing.T, resp *nethttp.Response, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want.status || !strings.HasPrefix(resp.Status, fmt.Sprint(want.status, " ")) {
		t.Errorf("status %q, body %q, %v; want %d", resp.Status, body, err, want.status)
	}
	if want.status < 400 && string(body) != want.body || !strings.Contains(string(body), want.body) {
		t.Errorf("body %q, want %q", body, want.body)
	}
	for name, value := range want.fields {
		if got := resp.Header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
	if resp.Request == nil || resp.ProtoMajor != 1 {
		t.Errorf("request %v, version %s", resp.Request, resp.Proto)
	}
}

func TestFetcherTransport(t *testing.T) {
	server := ftptest.NewServer(fstest.MapFS{
		"pub/poem.txt": {Data: []byte("0123456789"), ModTime: modified},
	}, ftptest.User("joe", "s3cret"), ftptest.NoAnonymous())
	defer server.Close()
	ftpURL := strings.Replace(server.URL, "ftp://", "ftp://joe:s3cret@", 1)
	dir := t.TempDir()
	name := filepath.Join(dir, "f.txt")
	if err := errors.Join(os.WriteFile(name, []byte("0123456789"), 0o600), os.Chtimes(name, modified, modified)); err != nil {
		t.Fatal(err)
	}
	poem, local := ftpURL+"/pub/poem.txt", "file://"+filepath.ToSlash(name)
	date, later, earlier := modified.Format(nethttp.TimeFormat), modified.Add(time.Hour).Format(nethttp.TimeFormat), modified.Add(-time.Hour).Format(nethttp.TimeFormat)
	client := clientOver(t)
	client.CheckRedirect = func(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse }
	whole := func() response {
		return response{200, map[string]string{"Content-Length": "10", "Content-Type": "text/plain", "Last-Modified": date, "Content-Range": ""}, "0123456789"}
	}
	part := func(span, body string) response {
		return response{206, map[string]string{"Content-Length": fmt.Sprint(len(body)), "Content-Range": "bytes " + span + "/10"}, body}
	}
	for _, at := range []string{poem, local} {
		for _, c := range []struct {
			name   string
			header nethttp.Header
			want   response
		}{
			{"the whole", nil, whole()},
			{"all of it as a range", nethttp.Header{"Range": {"bytes=0-"}}, part("0-9", "0123456789")},
			{"the remaining bytes", nethttp.Header{"Range": {"bytes=4-"}}, part("4-9", "456789")},
			{"a range", nethttp.Header{"Range": {"bytes=4-5"}}, part("4-5", "45")},
			{"the last bytes", nethttp.Header{"Range": {"bytes=-3"}}, part("7-9", "789")},
			{"a range at the end", nethttp.Header{"Range": {"bytes=10-"}}, response{416, map[string]string{"Content-Range": "bytes */10"}, "range not served"}},
			{"several ranges", nethttp.Header{"Range": {"bytes=0-1,4-5"}}, whole()},
			{"a malformed range", nethttp.Header{"Range": {"bytes=5-4"}}, whole()},
			{"another unit", nethttp.Header{"Range": {"lines=1-2"}}, whole()},
			{"If-Range of the same time", nethttp.Header{"Range": {"bytes=4-"}, "If-Range": {date}}, part("4-9", "456789")},
			{"If-Range of another time", nethttp.Header{"Range": {"bytes=4-"}, "If-Range": {later}}, whole()},
			{"If-Range of a tag", nethttp.Header{"Range": {"bytes=4-"}, "If-Range": {`"1"`}}, whole()},
			{"If-Range of a weak tag", nethttp.Header{"Range": {"bytes=4-"}, "If-Range": {`W/"1"`}}, whole()},
			{"not modified", nethttp.Header{"If-Modified-Since": {date}}, response{304, nil, ""}},
			{"not modified since a later time", nethttp.Header{"If-Modified-Since": {later}}, response{304, nil, ""}},
			{"modified", nethttp.Header{"If-Modified-Since": {earlier}}, whole()},
			{"a tag goes before a time", nethttp.Header{"If-Modified-Since": {date}, "If-None-Match": {`"1"`}}, whole()},
			{"modified since", nethttp.Header{"If-Unmodified-Since": {earlier}}, response{412, nil, ""}},
			{"unmodified since", nethttp.Header{"If-Unmodified-Since": {date}}, whole()},
			{"a tag that nothing has", nethttp.Header{"If-Match": {`"1"`}}, response{412, nil, ""}},
		} {
			t.Run(at[:4]+"/"+c.name, func(t *testing.T) {
				r, err := nethttp.NewRequest("GET", at, nil)
				if err != nil {
					t.Fatal(err)
				}
				if c.header != nil {
					r.Header = c.header
				}
				resp, err := client.Do(r)
				c.want.check(t, resp, err)
			})
		}
		t.Run(at[:4]+"/HEAD", func(t *testing.T) {
			resp, err := client.Head(at)
			want := whole()
			want.body = ""
			want.check(t, resp, err)
			if resp.ContentLength != 10 {
				t.Errorf("ContentLength %d", resp.ContentLength)
			}
		})
	}
	for name, c := range map[string]struct {
		url  string
		want response
	}{
		"a file that is not there":          {ftpURL + "/pub/none", response{404, map[string]string{"Content-Type": "text/plain; charset=utf-8"}, "550"}},
		"a local file that is not there":    {local + ".none", response{404, nil, "f.txt.none"}},
		"a login that is refused":           {server.URL + "/pub/poem.txt", response{403, nil, "530"}},
		"a directory without a final slash": {ftpURL + "/pub", response{307, map[string]string{"Location": "/pub/"}, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			resp, err := client.Get(c.url)
			c.want.check(t, resp, err)
		})
	}
	if resp, err := client.Get("telnet://127.0.0.1:23/"); !errors.Is(err, fetchers.ErrNotRetrievable) {
		t.Errorf("a session: %v, %v", resp, err)
	}
}

// The response of an http server is passed on with its status.
func TestFetcherTransportWeb(t *testing.T) {
	content := strings.NewReader("0123456789")
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch r.URL.Path {
		case "/moved":
			w.Header().Set("Location", "/")
			w.WriteHeader(302)
			io.WriteString(w, "moved")
		case "/denied":
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(401)
			io.WriteString(w, "denied")
		case "/empty":
			w.WriteHeader(204)
		case "/echo":
			fmt.Fprintf(w, "%s %s %q %q %q %q", r.Host, r.Header.Get("X-A"), r.Header["X-Hop"], r.Header["Te"], r.Header["Proxy-Authorization"], r.Header["Authorization"])
		default:
			w.Header().Set("ETag", `"1"`)
			w.Header().Set("Content-Type", "text/plain")
			nethttp.ServeContent(w, r, "", modified, io.NewSectionReader(content, 0, 10))
		}
	}))
	defer server.Close()
	client := clientOver(t)
	client.CheckRedirect = func(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse }
	for name, c := range map[string]struct {
		method, path, host string
		header             nethttp.Header
		want               response
	}{
		"the whole":             {path: "/", want: response{200, map[string]string{"Etag": `"1"`, "Content-Length": "10"}, "0123456789"}},
		"HEAD":                  {method: "HEAD", path: "/", want: response{200, map[string]string{"Content-Length": "10"}, ""}},
		"a part":                {path: "/", header: nethttp.Header{"Range": {"bytes=4-5"}}, want: response{206, map[string]string{"Content-Range": "bytes 4-5/10", "Content-Length": "2"}, "45"}},
		"all as a range":        {path: "/", header: nethttp.Header{"Range": {"bytes=0-"}}, want: response{206, map[string]string{"Content-Range": "bytes 0-9/10"}, "0123456789"}},
		"If-Range that matches": {path: "/", header: nethttp.Header{"Range": {"bytes=4-5"}, "If-Range": {`"1"`}}, want: response{206, nil, "45"}},
		"If-Range that differs": {path: "/", header: nethttp.Header{"Range": {"bytes=4-5"}, "If-Range": {`"2"`}}, want: response{200, nil, "0123456789"}},
		"a range at the end":    {path: "/", header: nethttp.Header{"Range": {"bytes=10-"}}, want: response{416, map[string]string{"Content-Range": "bytes */10"}, "invalid range"}},
		"one tag of several":    {path: "/", header: nethttp.Header{"If-None-Match": {`"2", "1"`}}, want: response{304, map[string]string{"Etag": `"1"`}, ""}},
		"no tag":                {path: "/", header: nethttp.Header{"If-None-Match": {`"2"`}}, want: response{200, nil, "0123456789"}},
		"not modified":          {path: "/", header: nethttp.Header{"If-Modified-Since": {modified.Format(nethttp.TimeFormat)}}, want: response{304, nil, ""}},
		"If-Match":              {path: "/", header: nethttp.Header{"If-Match": {`"2"`}}, want: response{412, nil, ""}},
		"moved":                 {path: "/moved", want: response{302, map[string]string{"Location": "/"}, "moved"}},
		"moved, by HEAD":        {method: "HEAD", path: "/moved", want: response{302, map[string]string{"Location": "/"}, ""}},
		"denied":                {path: "/denied", want: response{401, map[string]string{"WWW-Authenticate": `Basic realm="x"`}, "denied"}},
		"no content":            {path: "/empty", want: response{204, map[string]string{"Content-Length": ""}, ""}},
		"fields": {path: "/echo", host: "other.example", header: nethttp.Header{
			"X-A": {"a"}, "X-Hop": {"h"}, "Connection": {"x-hop"}, "Te": {"trailers"}, "Proxy-Authorization": {"Basic x"}, "Authorization": {"Bearer y"},
		}, want: response{200, nil, `other.example a [] [] [] ["Bearer y"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := nethttp.NewRequest(c.method, server.URL+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = c.host
			if c.header != nil {
				r.Header = c.header
			}
			before := r.Header.Clone()
			resp, err := client.Transport.RoundTrip(r)
			c.want.check(t, resp, err)
			if fmt.Sprint(r.Header) != fmt.Sprint(before) {
				t.Errorf("the header of the request has become %v", r.Header)
			}
		})
	}
}

// A closer reports its Close.
type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error { c.closed = true; return nil }

// A request that cannot be a fetch is refused before anything is sent, and its body is closed.
func TestFetcherTransportRefuses(t *testing.T) {
	never := fetchers.FetcherFunc(func(context.Context, *fetchers.Request) (*fetchers.Resource, error) {
		t.Error("the Fetcher was called")
		return nil, errors.New("called")
	})
	transport := &http.FetcherTransport{Fetcher: never}
	for name, c := range map[string]struct{ method, url, body, want string }{
		"a body":        {"GET", "http://joe:s3cret@h.example/", "x", "has a body"},
		"POST":          {"POST", "http://joe:s3cret@h.example/", "", `the method "POST"`},
		"CONNECT":       {"CONNECT", "http://h.example/", "", `the method "CONNECT"`},
		"malformed":     {"GET", "http:h.example", "", "malformed URL"},
		"no scheme":     {"GET", "/a", "", "no scheme"},
		"a host within": {"GET", "http://h.example:0/s3cret", "", "bad port"},
	} {
		body := &closer{Reader: strings.NewReader(c.body)}
		r := httptest.NewRequest("GET", "http://h.example/", nil)
		u, err := r.URL.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		r.Method, r.URL, r.Body, r.ContentLength = c.method, u, nethttp.NoBody, int64(len(c.body))
		if c.body != "" {
			r.Body = body
		}
		if name == "no scheme" {
			r.URL.Scheme, r.URL.Host = "", ""
		}
		resp, err := transport.RoundTrip(r)
		if err == nil || resp != nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, %v; want %q", name, resp, err, c.want)
		}
		if body.closed != (c.body != "") {
			t.Errorf("%s: the body is closed: %v", name, body.closed)
		}
	}
}

// Other protocols receive no field that may be a secret, and the context of the request governs.
func TestFetcherTransportSecrets(t *testing.T) {
	type key struct{}
	var got *fetchers.Request
	var ctx context.Context
	transport := &http.FetcherTransport{Fetcher: fetchers.FetcherFunc(func(c context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		got, ctx = req, c
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1}
		res.SetBody(io.NopCloser(strings.NewReader("text")))
		return res, nil
	})}
	client := &nethttp.Client{Transport: transport}
	r, err := nethttp.NewRequestWithContext(context.WithValue(t.Context(), key{}, "v"), "GET", "ftp://joe:s3cret@h.example/a?b", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = nethttp.Header{"Cookie": {"a=b"}, "X-Token": {"t"}, "Accept-Language": {"en"}}
	resp, err := client.Do(r) // Do adds the user as an Authorization field
	response{200, map[string]string{"Content-Length": ""}, "text"}.check(t, resp, err)
	if resp.ContentLength != -1 || ctx.Value(key{}) != "v" {
		t.Errorf("length %d, context %v", resp.ContentLength, ctx)
	}
	if len(got.Header) != 1 || got.Header.Get("Accept-Language") != "en" || got.Login != nil || got.URL.String() != "ftp://joe:s3cret@h.example/a?b" {
		t.Errorf("%s with the header %v and the login %v", got.URL, got.Header, got.Login)
	}
}

func TestFetcherTransportErrors(t *testing.T) {
	refusal := func(code int, class error, wait time.Duration) error {
		return &fetchers.StatusError{Reply: fetchers.Reply{Code: code, Text: "no"}, Class: class, Wait: wait}
	}
	for name, c := range map[string]struct {
		err    error
		status int // 0 means an error of RoundTrip
		field  string
	}{
		"missing":                {refusal(550, fs.ErrNotExist, 0), 404, ""},
		"denied":                 {refusal(550, fs.ErrPermission, 0), 403, ""},
		"login":                  {refusal(530, fetchers.ErrLogin, 0), 403, ""},
		"busy":                   {refusal(421, fetchers.ErrTemporary, 1500*time.Millisecond), 503, "Retry-After: 2"},
		"another refusal":        {refusal(502, nil, 0), 502, ""},
		"a range":                {&fetchers.RangeError{Offset: 5, Size: 5}, 416, "Content-Range: bytes */5"},
		"a range, size unknown":  {fetchers.ErrRange, 416, ""},
		"changed":                {fmt.Errorf("%w: %w", fetchers.ErrChanged, fetchers.ErrRange), 0, ""},
		"a proxy":                {&fetchers.ProxyError{Proxy: "http://p", Err: refusal(403, fs.ErrPermission, 0)}, 0, ""},
		"blocked":                {fetchers.ErrBlocked, 0, ""},
		"cut short":              {io.ErrUnexpectedEOF, 0, ""},
		"no connection":          {fetchers.Temporary(errors.New("refused")), 0, ""},
		"an unknown scheme":      {fetchers.ErrUnknownScheme, 0, ""},
		"too large":              {fetchers.ErrTooLarge, 0, ""},
		"the context has passed": {context.Canceled, 0, ""},
	} {
		transport := &http.FetcherTransport{Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			return nil, fetchers.NewError("fetch", req.URL, c.err)
		})}
		r, _ := nethttp.NewRequest("GET", "ftp://joe:s3cret@h.example/a", nil)
		resp, err := transport.RoundTrip(r)
		if c.status == 0 {
			if resp != nil || !errors.Is(err, c.err) {
				t.Errorf("%s: %v, %v", name, resp, err)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			want := response{c.status, nil, "fetch ftp://joe:***@h.example/a: "}
			if field, value, ok := strings.Cut(c.field, ": "); ok {
				want.fields = map[string]string{field: value}
			}
			want.check(t, resp, err)
		})
	}
}

// A cancelled request ends the read of its body, and closing the body ends the transfer.
func TestFetcherTransportCancelled(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "01234")
		w.(nethttp.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	client := clientOver(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, _ := nethttp.NewRequestWithContext(ctx, "GET", server.URL, nil)
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := resp.Body.Read(make([]byte, 5)); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
	resp.Body.Close()

	if resp, err = client.Get(server.URL); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close() // the handler ends, so that the server can be closed
}
