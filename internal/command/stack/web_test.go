package stack

import (
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// list fetches a URL as the verb ls does, and returns its kind and the size of the document,
// or the number of entries.
func list(t *testing.T, st *Stack, text string) (kind fetchers.Kind, size int64, err error) {
	t.Helper()
	req := request(t, st, text)
	res, err := st.Fetcher.Fetch(t.Context(), req)
	listing, noListing := st.Index(t.Context(), req, res, err)
	switch {
	case noListing != nil:
		if res != nil {
			res.Close()
		}
		return 0, 0, noListing
	case listing != nil && listing != res:
		res.Close()
		res, err = listing, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer res.Close()
	if res.Kind != fetchers.Listing {
		return res.Kind, res.Size, nil
	}
	for _, err := range res.Entries() {
		if err != nil {
			return 0, 0, err
		}
		size++
	}
	return res.Kind, size, nil
}

// Index asks for a directory of WebDAV at the server that has answered, without the secrets
// that are not for it, and hides no failure.
func TestIndexAsksWebDAV(t *testing.T) {
	var mu sync.Mutex
	var came []string
	note := func(h nethttp.HandlerFunc) *httptest.Server {
		server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			mu.Lock()
			defer mu.Unlock()
			secrets := r.Header.Get("Authorization") + r.Header.Get("Cookie") + r.Header.Get("X-Api-Key")
			came = append(came, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+secrets))
			h.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		return server
	}
	other := note(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Method == "PROPFIND" && r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="theirs"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
		}
	})
	server := note(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch {
		case r.URL.Path == "/led/":
			nethttp.Redirect(w, r, other.URL+"/led/", nethttp.StatusFound)
		case r.URL.Path == "/page/" && r.Method == "PROPFIND":
			nethttp.Redirect(w, r, "/login", nethttp.StatusFound)
		case r.URL.Path == "/page/":
			io.WriteString(w, "no index")
		case r.URL.Path == "/busy/":
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(nethttp.StatusServiceUnavailable)
		case r.Method == "PROPFIND":
			w.WriteHeader(nethttp.StatusMultiStatus)
			io.WriteString(w, `<multistatus xmlns="DAV:"><response><href>/dav/x</href><propstat><prop><resourcetype/></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`)
		default:
			w.WriteHeader(nethttp.StatusMethodNotAllowed)
		}
	})
	config := write(t, "config.toml", "[\""+server.URL+"\"]\nheader = \"X-Api-Key: mine\"\n")
	to := strings.TrimPrefix(server.URL, "http://")
	for _, c := range []struct {
		args   []string
		url    string
		status int
		kind   fetchers.Kind
		size   int64
		came   string
	}{
		{[]string{"-H", "Authorization: Bearer s3cret", "-H", "X-Api-Key: k", "-b", "sid=1"}, server.URL + "/led/", 0, fetchers.Document, 0,
			"GET /led/ Bearer s3cretsid=1k|GET /led/|PROPFIND /led/"},
		{[]string{"-u", "joe:s3cret"}, server.URL + "/led/", 0, fetchers.Document, 0, "GET /led/|GET /led/|PROPFIND /led/"},
		{nil, server.URL + "/page/", 0, fetchers.Document, 8, "GET /page/|PROPFIND /page/"},
		{[]string{"--retry", "0"}, server.URL + "/busy/", 22, 0, 0, "GET /busy/"},
		{nil, server.URL + "/dav/", 0, fetchers.Listing, 1, "GET /dav/|PROPFIND /dav/"},
		{[]string{"--config", config}, server.URL + "/dav/", 0, fetchers.Listing, 1, "GET /dav/ mine|PROPFIND /dav/ mine"},
		{[]string{"--proto-redir", "ftp"}, server.URL + "/led/", 47, 0, 0, "GET /led/"},
		{[]string{"--connect-to", "127.0.0.1:6667:" + to}, "http://127.0.0.1:6667/dav/", 121, 0, 0, ""},
	} {
		mu.Lock()
		came = nil
		mu.Unlock()
		kind, size, err := list(t, build(t, c.args...), c.url)
		if _, status := record.Classify(err); status != c.status || kind != c.kind || size != c.size {
			t.Errorf("%q %s: status %d, %v, want %d; it is a %s of %d, want a %s of %d", c.args, c.url, status, err, c.status, kind, size, c.kind, c.size)
		}
		mu.Lock()
		got := strings.Join(came, "|")
		mu.Unlock()
		if got != c.came {
			t.Errorf("%q %s: the servers see %q, want %q", c.args, c.url, got, c.came)
		}
	}
}

// A page of HTML that is no index is an error with a hint. A resource with a name is its
// own entry, and so is a document of another type.
func TestNoIndex(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch {
		case r.Method == "PROPFIND":
			w.WriteHeader(nethttp.StatusMethodNotAllowed)
		case r.URL.Path == "/text/":
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, "hello")
		default:
			io.WriteString(w, "<html><title>Welcome</title><a href=x>x</a></html>")
		}
	}))
	t.Cleanup(server.Close)
	st := build(t)
	for path, size := range map[string]int64{"/page.html": 50, "/text/": 5} {
		if kind, n, err := list(t, st, server.URL+path); err != nil || kind != fetchers.Document || n != size {
			t.Errorf("%s: a %s of %d, %v", path, kind, n, err)
		}
	}
	for _, path := range []string{"", "/"} {
		_, _, err := list(t, st, server.URL+path)
		if class, status := record.Classify(err); !errors.Is(err, ErrNoIndex) || class != record.ClassProtocol || status != 8 {
			t.Errorf("%q: status %d, class %s, %v", path, status, class, err)
			continue
		}
		if want := "list " + server.URL + path + ": the page is no index of a directory, and the server has no WebDAV for it"; err.Error() != want {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
		hinted, _ := errors.AsType[term.Hinted](err)
		if want := "to get the page itself: fetch " + server.URL + path; strings.Join(hinted.Hints, "\n") != want {
			t.Errorf("%q: the hints are %q, want %q", path, hinted.Hints, want)
		}
	}
}

// A jar that does not exist yet is made; one that cannot be read is an error.
func TestJarsAreLoaded(t *testing.T) {
	dir := t.TempDir()
	jar := filepath.Join(dir, "jar")
	st := build(t, "-b", jar, "-c", jar, "--hsts", filepath.Join(dir, "hsts"))
	if st.protocols.web.Jar == nil || st.protocols.web.HSTS == nil {
		t.Fatal("there are no jars")
	}
	if err := st.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(jar); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{"-b", dir}, {"--hsts", dir}} {
		_, err := Build(t.Context(), options(t, args...), silent())
		if _, input := errors.AsType[record.InputError](err); !input {
			t.Errorf("%q: %v", args, err)
		}
	}
	if st := build(t, "-b", "a=b"); st.protocols.web.Jar == nil || len(st.protocols.web.Jar.Cookies()) > 0 {
		t.Error("there is no jar for the cookies that come on the way, or it has those of the command line")
	}
	if st := build(t); st.protocols.web.Jar != nil {
		t.Error("there is a jar without a flag")
	}
	one := write(t, "one", "h.example\tFALSE\t/\tFALSE\t0\ta\t1\n")
	two := write(t, "two", "h.example\tFALSE\t/\tFALSE\t0\tb\t2\n")
	if st := build(t, "-b", one, "-b", "c=3", "-b", two); len(st.protocols.web.Jar.Cookies()) != 2 {
		t.Errorf("the cookies of two files are %+v", st.protocols.web.Jar.Cookies())
	}
	st = build(t, "-c", filepath.Join(dir, "no", "jar"))
	if _, output := errors.AsType[record.OutputError](st.Save(t.Context())); !output {
		t.Error("a jar in no directory is written")
	}
}

// Files come by HTTP/1.1, unless the user wants another version or there are many of an origin.
// Only --http1.1 is for all requests.
func TestVersions(t *testing.T) {
	for args, want := range map[string]struct{ http1, onDemand, many bool }{
		"":             {false, false, true},
		"-o -":         {false, false, true},
		"--http1.1":    {true, false, false},
		"--http1.1 -O": {true, true, false},
		"-O":           {false, true, true},
		"-o f":         {false, true, true},
		"-o f --http2": {false, false, true},
		"-i l":         {false, true, true},
		"--decode":     {false, true, true},
	} {
		st := build(t, strings.Fields(args)...)
		web, got := st.protocols.web, want
		got.http1, got.onDemand = web.Protocols != nil, web.HTTP2OnDemand
		if got.many = st.Multiplexes(&url.URL{Scheme: "https"}); got != want {
			t.Errorf("%s: %+v, want %+v", args, got, want)
		}
		if st.Multiplexes(&url.URL{Scheme: "http"}) {
			t.Errorf("%s: requests of http share a connection", args)
		}
	}
}
