package main

import (
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

// A PROPFIND goes to the server that has answered, without the fields for another server, and its
// failure does not hide the first one.
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
		{[]string{"--connect-to", "127.0.0.1:6667:" + to, "http://127.0.0.1:6667/dav/"}, 121, "", ""},
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

// If a page is no index, the command reports that, and lists no entry without a name. A resource
// with a name is its own entry, and so is a document of another type.
func TestListOfNoIndex(t *testing.T) {
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
	for _, c := range []struct {
		path      string
		flags     []string
		status    int
		out, said string
	}{
		{"/", nil, 8, "", "no index of a directory"},
		{"", nil, 8, "", "fetch: to get the page itself: fetch " + server.URL + "\n"},
		{"/", []string{"--json"}, 8, "", "no index of a directory"},
		{"/", []string{"--raw"}, 0, "<html>", ""},
		{"/page.html", nil, 0, "document\t50\t-\tpage.html\t", ""},
		{"/text/", nil, 0, "document\t5\t", ""},
	} {
		status, out, said := command(append(append([]string{"ls", "--no-config"}, c.flags...), server.URL+c.path)...)
		if status != c.status || !strings.HasPrefix(out, c.out) || c.out == "" && out != "" || !strings.Contains(said, c.said) {
			t.Errorf("%q %q: status %d, want %d; it writes %q, %q", c.path, c.flags, status, c.status, out, said)
		}
	}
}

// An index page that breaks off is a failure, even if almost nothing of it arrived.
func TestListBreaksOff(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 500\r\n\r\n"
	for name, c := range map[string]struct {
		rest   func(*net.TCPConn)
		flags  []string
		status int
	}{
		"is cut":   {func(c *net.TCPConn) { leave(c) }, nil, 18},
		"is reset": {func(c *net.TCPConn) { time.Sleep(20 * time.Millisecond); c.SetLinger(0) }, nil, 56},
		"stalls":   {func(c *net.TCPConn) { io.Copy(io.Discard, c) }, []string{"--stall-timeout", "0.3"}, 28},
		"drips": {func(c *net.TCPConn) {
			for c.SetDeadline(time.Now().Add(20 * time.Second)); ; time.Sleep(10 * time.Millisecond) {
				if _, err := c.Write([]byte(" ")); err != nil {
					return
				}
			}
		}, []string{"-m", "0.5"}, 28},
		"drips below a limit": {func(c *net.TCPConn) {
			for c.SetDeadline(time.Now().Add(20 * time.Second)); ; time.Sleep(10 * time.Millisecond) {
				if _, err := c.Write([]byte(" ")); err != nil {
					return
				}
			}
		}, []string{"-Y", "10000", "-y", "1"}, 28},
	} {
		for _, page := range []string{"<html><head><title>I", "<title>Index of /</t", "<pre>\n<a href=\"a\">ab"} {
			t.Run(name+"/"+page, func(t *testing.T) {
				addr := shaker{upgrade: []string{head + page[:20]}, end: c.rest}.serve(t)
				args := append([]string{"ls", "--no-config", "--retry", "0"}, c.flags...)
				status, out, said := command(append(args, "http://"+addr+"/")...)
				if itself := strings.Contains(out, "\t500\t"); status != c.status || itself {
					t.Errorf("status %d, want %d; it writes %q, %q", status, c.status, out, said)
				}
			})
		}
	}
}

// The index page of package net/http is a listing.
func TestListOfFileServer(t *testing.T) {
	files := fstest.MapFS{"a.txt": {Data: []byte("a")}, "d/b": {Data: []byte("b")}}
	for i := range 2000 {
		files[fmt.Sprintf("d/many-of-them/%04d", i)] = &fstest.MapFile{}
	}
	server := httptest.NewServer(nethttp.FileServerFS(files))
	t.Cleanup(server.Close)
	status, out, said := command("ls", "--no-config", server.URL)
	want := "document\t-\t-\ta.txt\t" + server.URL + "/a.txt\nlisting\t-\t-\td\t" + server.URL + "/d/\n"
	if status != 0 || out != want {
		t.Errorf("status %d, %q, want %q; %s", status, out, want, said)
	}
	status, out, said = command("ls", "--no-config", server.URL+"/d/many-of-them/")
	if n := strings.Count(out, "document\t"); status != 0 || n != 2000 {
		t.Errorf("status %d, %d entries; %s", status, n, said)
	}
}
