package wais_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/url"
)

// A database is an Index with its description, and a query leads to a listing.
func TestDescription(t *testing.T) {
	server := serve(t, waistest.Undescribed("odd"))
	f := new(wais.Fetcher)
	for _, path := range []string{"/garden", "/garden?", "/garden.src"} {
		res, body, err := get(t, f, parse(t, server.URL+path))
		if err != nil {
			t.Fatal(err)
		}
		if res.Kind != fetchers.Index || res.MediaType != "application/x-wais-source" || res.Size != int64(len(body)) || !res.Confirmed() {
			t.Errorf("%s: %v, %q, size %d of %d, confirmed %v", path, res.Kind, res.MediaType, res.Size, len(body), res.Confirmed())
		}
		source, err := wais.ParseSource(bytes.NewReader(body))
		if err != nil || source.Database != "garden" || "wais://"+source.Name+":"+fmt.Sprint(source.Port) != server.URL {
			t.Errorf("%s: %+v, %v", path, source, err)
		}
		if got, want := res.Query("bees & honey").String(), server.URL+strings.TrimSuffix(path, "?")+"?bees+%26+honey"; got != want {
			t.Errorf("%s: the question is %s, want %s", path, got, want)
		}
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}

	// The protocol does not distinguish a missing database from a missing description.
	for _, path := range []string{"/odd", "/nowhere"} {
		res, body, err := get(t, f, parse(t, server.URL+path))
		if err != nil || res.Kind != fetchers.Index || len(body) > 0 || res.MediaType != "" {
			t.Errorf("%s: %+v, %q, %v", path, res, body, err)
		}
	}
}

func TestSearch(t *testing.T) {
	server := serve(t)
	f := new(wais.Fetcher)
	hits, err := list(t, f, parse(t, server.URL+"/garden?apples+honey"))
	if err != nil || len(hits) != 2 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	first := hits[0]
	if first.Name != "Apples and pears grow in the orchard." || first.Score != 1000 || first.Size != int64(len(content)) ||
		first.MediaType != "text/plain" || !first.ModTime.Equal(when) || first.Kind != fetchers.Document || first.Attributes["wais.type"] != "TEXT" {
		t.Errorf("%+v", first)
	}
	for _, hit := range hits {
		if _, body, err := get(t, f, hit.URL); err != nil || int64(len(body)) != hit.Size {
			t.Errorf("%s: %d bytes, %v", hit.URL, len(body), err)
		}
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections for one host, want 1", n)
	}
}

// A search without hits is an empty listing, whether there is a catalog or not.
func TestNoHits(t *testing.T) {
	for _, opts := range [][]waistest.Option{nil, {waistest.NoCatalog("garden")}} {
		hits, err := list(t, new(wais.Fetcher), parse(t, serve(t, opts...).URL+"/garden?zzyzx"))
		if err != nil || len(hits) != 0 {
			t.Errorf("%v, %v", hits, err)
		}
	}
}

// A search requests at most MaxHits hits, and a search for similar documents needs no words.
func TestMaxHitsAndLike(t *testing.T) {
	server := serve(t)
	f := &wais.Fetcher{MaxHits: 1}
	if hits, err := list(t, f, parse(t, server.URL+"/garden?apples")); err != nil || len(hits) != 1 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
	page := place(t, server, "garden", "HTML", "0 0 /wais/docs/page.html")
	f = new(wais.Fetcher)
	for _, path := range []string{"/garden", "/garden?honey"} {
		hits, err := list(t, f, parse(t, server.URL+path), page)
		if err != nil || len(hits) < 2 {
			t.Errorf("%s: %d hits, %v", path, len(hits), err)
		}
	}
	for _, line := range server.Transcript() {
		if strings.HasPrefix(line, "Search") && !strings.HasSuffix(line, " 1") && !strings.HasSuffix(line, " 100") {
			t.Errorf("asked %s", line)
		}
	}
}

// TestLikeRefused: nothing is sent for documents that the server cannot know, and for a document
// in place of a search.
func TestLikeRefused(t *testing.T) {
	server := serve(t)
	page := place(t, server, "garden", "HTML", "0 0 /wais/docs/page.html")
	long := place(t, server, "garden", "HTML", "0 0 /wais/docs/page.html")
	long.Path += strings.Repeat("x", 33<<10)
	longer := place(t, server, "garden", "HTML", "0 0 /wais/docs/page.html")
	longer.Path += strings.Repeat("y", 33<<10)
	for _, c := range []struct {
		name string
		u    *url.URL
		like []*url.URL
	}{
		{"another server", parse(t, server.URL+"/garden?bees"), []*url.URL{parse(t, "wais://h.example/garden/TEXT/x")}},
		{"a database", parse(t, server.URL+"/garden?bees"), []*url.URL{parse(t, server.URL+"/garden")}},
		{"another scheme", parse(t, server.URL+"/garden?bees"), []*url.URL{parse(t, "http://"+server.Addr+"/garden/TEXT/x")}},
		{"no URL", parse(t, server.URL+"/garden?bees"), []*url.URL{nil}},
		{"a document is no search", page, []*url.URL{page}},
		{"more octets than a request holds", parse(t, server.URL+"/garden?bees"), []*url.URL{long, longer}},
	} {
		if _, err := list(t, new(wais.Fetcher), c.u, c.like...); !errors.Is(err, url.ErrMalformed) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if asked := server.Transcript(); len(asked) > 0 {
		t.Errorf("asked %q", asked)
	}
}
