package http_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/textproto"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// A body that breaks off at any byte, by a close or a reset, arrives exactly, and no byte is
// requested twice. If the document changes meanwhile, the data are refused and never mixed.
func TestBodyIsCutAnywhere(t *testing.T) {
	old, changed := content, bytes.ToUpper(content)
	for percent := range 100 {
		for _, reset := range []bool{false, true} {
			for _, change := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d%% reset=%v change=%v", percent, reset, change), func(t *testing.T) {
					t.Parallel()
					cut := len(old) * percent / 100
					var requests, sent atomic.Int64
					server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
						n := requests.Add(1)
						body, tag := old, `"old"`
						if change && n > 1 {
							body, tag = changed, `"new"`
						}
						w.Header().Set("ETag", tag)
						if n == 1 {
							sent.Add(int64(cut))
							breakOff(w, body, cut, reset)
							return
						}
						counted := &counter{ResponseWriter: w, n: &sent}
						nethttp.ServeContent(counted, r, "", time.Time{}, bytes.NewReader(body))
					}))
					defer server.Close()
					f := new(http.Fetcher)
					defer f.CloseIdle()
					client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 3, Min: time.Millisecond}}
					res, err := client.Get(t.Context(), server.URL)
					if err != nil {
						t.Fatal(err)
					}
					defer res.Close()
					got, err := io.ReadAll(res.Body)
					switch {
					case change && !errors.Is(err, fetchers.ErrChanged):
						t.Errorf("error %v, want ErrChanged", err)
					case !change && (err != nil || !bytes.Equal(got, old)):
						t.Errorf("%d of %d bytes, error %v", len(got), len(old), err)
					case !bytes.HasPrefix(old, got):
						t.Errorf("%d bytes that are mixed", len(got))
					}
					// A reset may discard data sent before it.
					if extra := sent.Load() - int64(len(old)); !change && !reset && extra > 0 {
						t.Errorf("%d bytes were sent twice", extra)
					}
				})
			}
		}
	}
}

// TestRestIsElsewhere: if the request to resume is redirected, the Client follows by its rules,
// without the secrets for the first server, and accepts the data only if they are proven to be of
// the same document.
func TestRestIsElsewhere(t *testing.T) {
	const cut, tag = 100, `"1"`
	serve := func(tag string, body []byte) nethttp.HandlerFunc {
		return func(w nethttp.ResponseWriter, r *nethttp.Request) {
			w.Header().Set("ETag", tag)
			nethttp.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
		}
	}
	answer := func(status int, lines ...string) nethttp.HandlerFunc {
		return func(w nethttp.ResponseWriter, r *nethttp.Request) {
			for i := 0; i < len(lines); i += 2 {
				w.Header().Set(lines[i], lines[i+1])
			}
			w.WriteHeader(status)
		}
	}
	same := serve(tag, content)
	follow := func(err error) func(context.Context, []*url.URL, *fetchers.Resource) error {
		return func(context.Context, []*url.URL, *fetchers.Resource) error { return err }
	}
	for name, test := range map[string]struct {
		there  []nethttp.HandlerFunc // handlers of the other server, in order; the last one repeats
		follow func(context.Context, []*url.URL, *fetchers.Resource) error
		err    error // nil if the body is complete
		asked  int   // requests to the other server; the Fetcher is a Client that retries
	}{
		"the same":                        {there: []nethttp.HandlerFunc{same}, asked: 1},
		"another document":                {there: []nethttp.HandlerFunc{serve(`"2"`, bytes.ToUpper(content))}, err: fetchers.ErrChanged, asked: 1},
		"longer with the same tag":        {there: []nethttp.HandlerFunc{serve(tag, append(content[:len(content):len(content)], '!'))}, err: fetchers.ErrChanged, asked: 1},
		"without a tag":                   {there: []nethttp.HandlerFunc{serve("", content)}, err: fetchers.ErrChanged, asked: 1},
		"further on":                      {there: []nethttp.HandlerFunc{answer(302, "Location", "/there"), same}, asked: 2},
		"in a circle":                     {there: []nethttp.HandlerFunc{answer(302, "Location", "/there")}, err: fetchers.ErrRedirect, asked: 9},
		"busy for once":                   {there: []nethttp.HandlerFunc{answer(503), same}, asked: 2},
		"busy for ever":                   {there: []nethttp.HandlerFunc{answer(503)}, err: fetchers.ErrTemporary, asked: 3},
		"gone":                            {there: []nethttp.HandlerFunc{answer(404)}, err: fs.ErrNotExist, asked: 1},
		"a login is required":             {there: []nethttp.HandlerFunc{answer(401, "WWW-Authenticate", `Basic realm="there"`)}, err: fetchers.ErrLogin, asked: 1},
		"where the user does not want to": {follow: follow(fetchers.ErrBlocked), err: fetchers.ErrBlocked},
		"but redirections are kept":       {follow: follow(fetchers.ErrKeepRedirect), err: fetchers.ErrRedirect},
	} {
		t.Run(name, func(t *testing.T) {
			var asked, begun atomic.Int64
			there := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				if r.Header.Get("Authorization") != "" || r.Header.Get("X-Secret") != "" {
					t.Errorf("what is for another server came along: %v", r.Header)
				}
				n := int(asked.Add(1))
				test.there[min(n, len(test.there))-1](w, r)
			}))
			defer there.Close()
			first := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				_, password, _ := r.BasicAuth()
				switch {
				case r.Header.Get("X-Secret") == "":
					t.Errorf("what is for this server did not come along: %v", r.Header)
				case password != "s3cret":
					answer(401, "WWW-Authenticate", `Basic realm="first"`)(w, r)
				case begun.Add(1) == 1:
					w.Header().Set("ETag", tag)
					breakOff(w, content, cut, false)
				case r.URL.Path == "/": // with the fields for this server
					answer(307, "Location", "/here")(w, r)
				default:
					answer(307, "Location", there.URL)(w, r)
				}
			}))
			defer first.Close()
			f := new(http.Fetcher)
			defer f.CloseIdle()
			client := &fetchers.Client{Fetcher: f, Follow: test.follow, Retry: fetchers.Retry{Max: 3, Min: time.Millisecond}}
			res, err := client.Fetch(t.Context(), &fetchers.Request{
				URL:    parse(t, first.URL),
				Login:  &fetchers.Credential{User: "joe", Password: "s3cret"},
				Header: textproto.MIMEHeader{"X-Secret": {"x"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer res.Close()
			got, err := io.ReadAll(res.Body)
			switch {
			case !errors.Is(err, test.err):
				t.Errorf("error %v, want %v", err, test.err)
			case err == nil && !bytes.Equal(got, content):
				t.Errorf("%d bytes of %d", len(got), len(content))
			case err != nil && len(got) != cut:
				t.Errorf("%d bytes of which some are not proven", len(got))
			}
			if n := int(asked.Load()); n != test.asked {
				t.Errorf("asked %d times there, want %d", n, test.asked)
			}
		})
	}
}

// breakOff announces body, sends a part of it and closes the connection.
func breakOff(w nethttp.ResponseWriter, body []byte, cut int, reset bool) {
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.Header().Set("Accept-Ranges", "bytes")
	w.WriteHeader(nethttp.StatusOK)
	w.Write(body[:cut])
	w.(nethttp.Flusher).Flush()
	conn, _, err := w.(nethttp.Hijacker).Hijack()
	if err != nil {
		return
	}
	if reset {
		conn.(*net.TCPConn).SetLinger(0)
	}
	conn.Close()
}

// A counter counts the bytes of a body.
type counter struct {
	nethttp.ResponseWriter
	n *atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n.Add(int64(n))
	return n, err
}

// A refusal in answer to the request to resume is not appended to the body, even with NoFail: the
// request is repeated.
func TestResumeIsRefused(t *testing.T) {
	for _, noFail := range []bool{false, true} {
		var requests atomic.Int32
		server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			w.Header().Set("ETag", `"1"`)
			switch requests.Add(1) {
			case 1:
				breakOff(w, content, len(content)/2, false)
			case 2:
				nethttp.Error(w, "busy", nethttp.StatusServiceUnavailable)
			default:
				nethttp.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
			}
		}))
		f := new(http.Fetcher)
		client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 3, Min: time.Millisecond}}
		body, confirmed, err := read(t, client, &fetchers.Request{URL: parse(t, server.URL), NoFail: noFail})
		if err != nil || !bytes.Equal(body, content) || !confirmed || requests.Load() != 3 {
			t.Errorf("NoFail %v: %d bytes of %d after %d requests, confirmed %v, error %v", noFail, len(body), len(content), requests.Load(), confirmed, err)
		}
		f.CloseIdle()
		server.Close()
	}
}
