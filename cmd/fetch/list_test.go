package main

import (
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// What WebDAV is asked is asked of the server that has answered, without what was not meant
// for it, and hides no failure.
func TestListAsksWebDAV(t *testing.T) {
	var mu sync.Mutex
	var came []string
	note := func(h nethttp.Handler) *httptest.Server {
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
	other := note(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Method == "PROPFIND" && r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="theirs"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
		}
	}))
	server := note(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
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
	}))
	to := strings.TrimPrefix(server.URL, "http://")
	for _, c := range []struct {
		args   []string
		status int
		out    string
		came   string
	}{
		{[]string{"-H", "Authorization: Bearer s3cret", "-H", "X-Api-Key: k", "-b", "sid=1", server.URL + "/led/"}, 0, "document\t0\t",
			"GET /led/ Bearer s3cretsid=1k|GET /led/|PROPFIND /led/"},
		{[]string{"-u", "joe:s3cret", server.URL + "/led/"}, 0, "document\t0\t", "GET /led/|GET /led/|PROPFIND /led/"},
		{[]string{server.URL + "/page/"}, 0, "document\t8\t", "GET /page/|PROPFIND /page/"},
		{[]string{"--retry", "0", server.URL + "/busy/"}, 22, "", "GET /busy/"},
		{[]string{server.URL + "/dav/"}, 0, "document\t-\t", "GET /dav/|PROPFIND /dav/"},
		{[]string{"--proto-redir", "ftp", server.URL + "/led/"}, 47, "", "GET /led/"},
		{[]string{"--connect-to", "127.0.0.1:6667:" + to, "http://127.0.0.1:6667/dav/"}, 92, "", ""},
	} {
		mu.Lock()
		came = nil
		mu.Unlock()
		status, out, said := command(append([]string{"ls", "--no-config"}, c.args...)...)
		if status != c.status || !strings.HasPrefix(out, c.out) || c.out == "" && out != "" {
			t.Errorf("%q: status %d, want %d; it writes %q, %q", c.args, status, c.status, out, said)
		}
		mu.Lock()
		got := strings.Join(came, "|")
		mu.Unlock()
		if got != c.came {
			t.Errorf("%q: the servers see %q, want %q", c.args, got, c.came)
		}
	}
}
