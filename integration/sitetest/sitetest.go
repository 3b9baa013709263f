// Package sitetest provides a site with every construct that leads from a page to something else, for
// programs that copy sites. Each resource has real contents of its type, so that a browser can show the copy:
//
//	site := sitetest.New()
//	defer site.Close()
//
//	// The program under test copies site.URL + "/", and then:
//	for _, request := range site.Requests() {
//		fmt.Println(request) // "GET 200 /css/main.css?v=3"
//	}
//
// A style sheet of the site sets the custom property --sheet-NAME of the root element, and a script
// appends its name to window.scripts. [Site.Wanted] has the URLs of which a whole copy consists.
package sitetest

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Resource is one that the site has.
type Resource struct {
	Type string // media type
	Body []byte
	To   string // the resource is a redirection to this reference
}

// A Site is two servers on loopback addresses: that of the site, and another host, which has pictures,
// scripts and style sheets for its pages. Its methods may be called from any goroutine.
type Site struct {
	URL   string // "http://127.0.0.1:port", without a slash at the end
	Other string // of the other host, likewise

	resources map[string]Resource // by the key of their URL
	servers   [2]*http.Server
	done      sync.WaitGroup

	mu       sync.Mutex
	requests []string
}

// modified is the time of all resources.
var modified = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// New starts the servers, which the caller closes. It panics if there are no loopback ports to listen on.
func New() *Site {
	s := new(Site)
	var listeners [2]net.Listener
	for i, addr := range []string{"127.0.0.1:0", "127.0.0.2:0"} {
		l, err := net.Listen("tcp", addr)
		if err != nil && i == 1 {
			l, err = net.Listen("tcp", "[::1]:0") // a system with one address of IPv4 on its loopback interface
		}
		if err != nil {
			panic("sitetest: " + err.Error())
		}
		listeners[i] = l
	}
	s.URL, s.Other = "http://"+listeners[0].Addr().String(), "http://"+listeners[1].Addr().String()
	s.resources = resources(s.Other)
	for i, prefix := range []string{"", "other:"} {
		s.servers[i] = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { s.serve(w, req, prefix) })}
		s.done.Go(func() { s.servers[i].Serve(listeners[i]) })
	}
	return s
}

// Close stops the servers, and waits until they have ended.
func (s *Site) Close() {
	for _, server := range s.servers {
		server.Close()
	}
	s.done.Wait()
}

// Requests returns the method, the status and the key of each request since the last call, in order of
// arrival.
func (s *Site) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := s.requests
	s.requests = nil
	return requests
}

// Key returns the name that a URL of the site has in Requests and Wanted: the path and the query, decoded, and in front
// of them "other:" on the other host. It is not ok if neither host has the URL.
func (s *Site) Key(rawURL string) (key string, ok bool) {
	rawURL, _, _ = strings.Cut(rawURL, "#")
	for _, host := range []struct{ url, prefix string }{{s.URL, ""}, {s.Other, "other:"}} {
		if rest, found := strings.CutPrefix(rawURL, host.url); found {
			path, query, _ := strings.Cut(rest, "?")
			key, ok = keyOf(path, query)
			return host.prefix + key, ok
		}
	}
	return "", false
}

func keyOf(path, query string) (string, bool) {
	path = strings.NewReplacer("%2F", "%252F", "%3F", "%253F").Replace(path) // they separate nothing
	key, err := url.PathUnescape(path)
	if err != nil {
		return "", false
	}
	if key == "" {
		key = "/"
	}
	if query != "" {
		decoded, err := url.PathUnescape(query)
		if err != nil {
			return "", false
		}
		key += "?" + decoded
	}
	return key, true
}

// Resource returns the resource with a key, by way of its redirections.
func (s *Site) Resource(key string) (r Resource, ok bool) {
	for range 10 {
		if r, ok = s.resources[key]; !ok || r.To == "" {
			return r, ok
		}
		key, _, _ = strings.Cut(r.To, "#")
	}
	return Resource{}, false
}

// Wanted returns the keys of a whole copy, sorted: all resources but redirections.
func (s *Site) Wanted() (keys []string) {
	for key, r := range s.resources {
		if r.To == "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (s *Site) serve(w http.ResponseWriter, req *http.Request, prefix string) {
	path, query, _ := strings.Cut(req.RequestURI, "?")
	key, ok := keyOf(path, query)
	key = prefix + key
	r, found := s.resources[key]
	status := &recorder{ResponseWriter: w, status: http.StatusOK}
	switch {
	case !ok || !found:
		http.Error(status, "there is no such page", http.StatusNotFound)
	case r.To != "":
		http.Redirect(status, req, r.To, http.StatusFound)
	default:
		w.Header().Set("Content-Type", r.Type)
		http.ServeContent(status, req, "", modified, bytes.NewReader(r.Body))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, fmt.Sprintf("%s %d %s", req.Method, status.status, key))
}

// A recorder keeps the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Location returns where the resource with a key redirects, as a URL, or "".
func (s *Site) Location(key string) string {
	r := s.resources[key]
	if r.To == "" {
		return ""
	}
	return s.URL + r.To
}
