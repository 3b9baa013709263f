package sitetest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The site answers a key however its URL is escaped, tells of its requests, and has another host.
func TestSite(t *testing.T) {
	site := New()
	defer site.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	get := func(u string) string {
		res, err := client.Get(u)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct{ url, key string }{
		{site.URL + "/img/two%20words.png", "/img/two words.png"},
		{site.URL + "/img/a%3Ab.png", "/img/a:b.png"},
		{site.URL + "/a%3Fb.html", "/a%3Fb.html"},
		{site.URL + "/img/chart.php?of=%C3%A9%20x#part", "/img/chart.php?of=é x"},
		{site.Other + "/lib.js", "other:/lib.js"},
		{site.URL, "/"},
	} {
		r, ok := site.Resource(c.key)
		if key, _ := site.Key(c.url); !ok || key != c.key || get(c.url) != string(r.Body) {
			t.Errorf("%s has the key %q, want %q, which is there: %v", c.url, key, c.key, ok)
		}
	}
	for _, key := range []string{"/about", "/wide.html", "/css/plain", "/img/one.png"} {
		r, _ := site.Resource(key)
		other, _ := site.Resource("/img/two words.png")
		if changed := append([]byte("link"), r.Body...); !r.In(r.Body) || r.In(other.Body) || r.In(changed) != (key != "/img/one.png") {
			t.Errorf("%s is not found in its own content, or in another", key)
		}
	}
	site.Requests()
	get(site.URL + "/moved")
	get(site.URL + "/absent.html")
	want := []string{"GET 302 /moved", "GET 302 /moved-twice", "GET 200 /about", "GET 404 /absent.html"}
	if got := site.Requests(); !slices.Equal(got, want) {
		t.Errorf("requests %q", got)
	}
	if to := site.Location("/docs"); !strings.HasSuffix(to, "/docs/") {
		t.Errorf("a location: %q", to)
	}
	if _, ok := site.Key("http://elsewhere.example/"); ok {
		t.Error("another site has a key")
	}
}
