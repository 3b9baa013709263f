package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// treeServers starts $SITE for a script: a site to mirror. GET /remove/PATH removes a page of it.
func treeServers(t *testing.T) func(*testscript.Env) error {
	return func(env *testscript.Env) error {
		s := &site{pages: sitePages()}
		server := httptest.NewUnstartedServer(s)
		s.host = server.Listener.Addr().String()
		server.Start()
		env.Defer(server.Close)
		env.Setenv("SITE", server.URL)
		env.Setenv("SITEHOST", server.Listener.Addr().String())
		env.Setenv("SITEDIR", strings.ReplaceAll(server.Listener.Addr().String(), ":", "+"))
		return nil
	}
}

func sitePages() map[string]string {
	return map[string]string{
		"/robots.txt":       "User-agent: *\nDisallow: /private\nSitemap: http://HOST/sitemap.xml\n",
		"/sitemap.xml":      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://HOST/lonely</loc></url></urlset>`,
		"/":                 `<link rel=stylesheet href=/style.css?v=2><a href="docs/">docs</a> <a href="a.pdf">a</a> <a href="private/x">p</a> <a href="http://localhost:PORT/other">other</a> <a href="missing">m</a>`,
		"/docs/":            `<a href="one">1</a> <a href="b.pdf">b</a> <a href="/">up</a> <img src="http://localhost:PORT/logo.png">`,
		"/docs/one":         `<a href="two?sort=up">2</a>`,
		"/docs/two?sort=up": `<a href="deep/three">3</a>`,
		"/docs/deep/three":  "three",
		"/style.css?v=2":    "body { color: black }",
		"/a.pdf":            "%PDF-1 a",
		"/docs/b.pdf":       "%PDF-1 b",
		"/private/x":        "private",
		"/other":            "other",
		"/logo.png":         "logo",
		"/lonely":           "lonely",
	}
}

// A site is a server of pages, some of which may be removed.
type site struct {
	host  string
	mu    sync.Mutex
	pages map[string]string
}

func (s *site) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := req.URL.RequestURI()
	if page, ok := strings.CutPrefix(path, "/remove"); ok {
		delete(s.pages, page)
		return
	}
	text, ok := s.pages[path]
	if !ok {
		http.NotFound(w, req)
		return
	}
	_, port, _ := strings.Cut(s.host, ":")
	text = strings.NewReplacer("HOST", s.host, "PORT", port).Replace(text)
	kind := "text/html"
	for end, other := range map[string]string{".txt": "text/plain", ".xml": "application/xml", ".pdf": "application/pdf", ".css": "text/css", ".png": "image/png"} {
		if strings.HasSuffix(req.URL.Path, end) {
			kind = other
		}
	}
	tag := fmt.Sprintf("%q", fmt.Sprint(len(text)))
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", tag)
	if req.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write([]byte(text))
}
