package http_test

import (
	"context"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/net/webdav"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/url"
)

func TestListScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/webdav/*.txt", func() fetchers.Fetcher {
		f := new(http.Fetcher)
		t.Cleanup(f.CloseIdle)
		return fetchers.FetcherFunc(f.List)
	})
}

// TestList lists a directory of a real server with all kinds of escapes.
func TestList(t *testing.T) {
	ctx := context.Background()
	files := webdav.NewMemFS()
	var want []string
	for _, name := range []string{"/a.txt", "/b & c.txt", "/café", "/100%.txt", "/x#y?z", "/a:b"} {
		file, err := files.OpenFile(ctx, name, os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(file, "gold")
		file.Close()
		want = append(want, "document 4 "+name[1:])
	}
	files.Mkdir(ctx, "/sub", 0o700)
	files.Mkdir(ctx, "/sub/below", 0o700)
	want = append(want, "listing -1 sub")
	server := httptest.NewServer(&webdav.Handler{Prefix: "/my dav", FileSystem: files, LockSystem: webdav.NewMemLS()})
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()

	res, err := f.List(ctx, &fetchers.Request{
		URL:   parse(t, server.URL+"/my%20dav/"),
		Range: fetchers.Range{Offset: 5}, Have: fetchers.Validator{ETag: `"1"`}, Describe: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	var got []string
	for e, err := range res.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join(strings.SplitN(show(e), " ", 4)[:2], " ")+" "+e.Name)
		if time.Since(e.ModTime) > time.Hour || e.Kind == fetchers.Document && e.Attributes["http.etag"] == "" {
			t.Errorf("%+v", e)
		}
		if e.Name == "a.txt" && e.MediaType != "text/plain" {
			t.Errorf("media type %q", e.MediaType)
		}
		sub, err := f.Fetch(ctx, &fetchers.Request{URL: e.URL})
		if e.Kind == fetchers.Listing {
			sub, err = f.List(ctx, &fetchers.Request{URL: e.URL})
		}
		if err != nil {
			t.Errorf("%s: %v", e.URL, err)
		}
		sub.Close()
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || !res.Confirmed() {
		t.Errorf("entries %q\nwant %q", got, want)
	}
}

// Servers without WebDAV answer in many ways; each is an error.
func TestListWithoutWebDAV(t *testing.T) {
	status := 0
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) { w.WriteHeader(status) }))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for _, status = range []int{200, 204, 206, 300, 304, 400, 404, 405, 501} {
		_, err := f.List(context.Background(), &fetchers.Request{URL: parse(t, server.URL+"/"), NoFail: true})
		var refused *fetchers.StatusError
		if errors.As(err, &refused); !errors.Is(err, fetchers.ErrProtocol) && (refused == nil || refused.Code != status) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// A URL that is no directory is refused without a request.
func TestListOfNoDirectory(t *testing.T) {
	f := new(http.Fetcher)
	for _, u := range []string{"http://127.0.0.1:1/x", "https://127.0.0.1:1/x?/"} {
		if _, err := f.List(context.Background(), &fetchers.Request{URL: parse(t, u)}); !errors.Is(err, fetchers.ErrProtocol) {
			t.Errorf("%s: %v", u, err)
		}
	}
	var malformed *url.Error
	if _, err := f.List(context.Background(), &fetchers.Request{URL: parse(t, "ftp://127.0.0.1/")}); !errors.As(err, &malformed) {
		t.Errorf("ftp: %v", err)
	}
}

// A repeated request has its complete body.
func TestListRetry(t *testing.T) {
	tries := 0
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		body, _ := io.ReadAll(r.Body)
		if tries++; tries == 1 || !strings.Contains(string(body), "<propfind") {
			nethttp.Error(w, "busy", nethttp.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(nethttp.StatusMultiStatus)
		io.WriteString(w, `<multistatus xmlns="DAV:"/>`)
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: fetchers.FetcherFunc(f.List), Retry: fetchers.Retry{Max: 1, Min: time.Millisecond}}
	res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/")})
	if err != nil || tries != 2 {
		t.Fatalf("%v after %d tries", err, tries)
	}
	for e, err := range res.Entries() {
		t.Errorf("%+v, %v", e, err)
	}
	res.Close()
}

// The request is repeated with its body for a login, and if the server has closed a kept
// connection: over a session, and over HTTP/2.
func TestListAsksAgain(t *testing.T) {
	for _, secure := range []bool{false, true} {
		var gone atomic.Bool
		server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			body, _ := io.ReadAll(r.Body)
			switch _, _, ok := r.BasicAuth(); {
			case !strings.Contains(string(body), "<propfind"):
				nethttp.Error(w, "what?", nethttp.StatusBadRequest)
			case !ok:
				w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
				w.WriteHeader(nethttp.StatusUnauthorized)
			case !secure && gone.Swap(false):
				panic(nethttp.ErrAbortHandler) // closes the connection without a response
			default:
				w.WriteHeader(nethttp.StatusMultiStatus)
				io.WriteString(w, `<multistatus xmlns="DAV:"/>`)
			}
		}))
		f := new(http.Fetcher)
		if server.EnableHTTP2 = secure; secure {
			server.StartTLS()
			f.TLS = server.Client().Transport.(*nethttp.Transport).TLSClientConfig
		} else {
			server.Start()
		}
		for _, name := range []string{"for a login", "on a connection that was kept"} {
			res, err := f.List(context.Background(), &fetchers.Request{URL: parse(t, strings.Replace(server.URL, "//", "//u:p@", 1)+"/")})
			if err != nil {
				t.Errorf("%s, secure %t: %v", name, secure, err)
				continue
			}
			for e, err := range res.Entries() {
				t.Errorf("%s, secure %t: %+v, %v", name, secure, e, err)
			}
			res.Close()
			gone.Store(true)
		}
		f.CloseIdle()
		server.Close()
	}
}

// An error of the Body keeps its class.
func TestMultistatusCut(t *testing.T) {
	res := page(parse(t, "http://h.example/"), io.MultiReader(
		strings.NewReader(`<multistatus xmlns="DAV:"><response><href>/a</href></response><resp`), iotest.ErrReader(io.ErrUnexpectedEOF)))
	got := ""
	for e, err := range http.ParseMultistatus(res.URL, res.Body) {
		if got += e.Name; err != nil {
			got += "!"
			if !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fetchers.ErrProtocol) {
				t.Error(err)
			}
		}
	}
	if got != "a!" {
		t.Errorf("entries %q", got)
	}
}

// FuzzParseMultistatus checks that every entry with a URL is a direct child of the base.
func FuzzParseMultistatus(f *testing.F) {
	f.Add("http://h.example/dav/", `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/a%20b</D:href><D:propstat><D:prop>`+
		`<D:resourcetype><D:collection/></D:resourcetype><D:getcontentlength>5</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>`)
	f.Add("http://u:p@h.example/a/../b/?q", `<multistatus xmlns="DAV:"><response><href>http://x/b/..%2f</href></response><response><href>c</href></response>`)
	f.Fuzz(func(t *testing.T, base, text string) {
		u, err := url.Parse(base)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return
		}
		for e, err := range http.ParseMultistatus(u, strings.NewReader(text)) {
			if err == nil {
				checkChild(t, u, e)
			} else if !errors.Is(err, fetchers.ErrProtocol) {
				t.Fatal(err)
			}
		}
	})
}
