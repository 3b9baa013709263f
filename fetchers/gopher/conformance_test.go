package gopher_test

import (
	"bytes"
	"crypto/tls"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/url"
)

var content = bytes.Repeat([]byte("all that glitters is not gold\r\n"), 10_000)

var files = fstest.MapFS{
	"pub/poem.txt":     {Data: content, ModTime: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)},
	"pub/poem.bin":     {Data: content},
	"pub/deep/a/b.txt": {Data: []byte("b\r\n")},
}

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name        string
		path        string
		opts        []gophertest.Option
		unconfirmed bool
		cut         bool // is detectable
	}{
		{"text with a dot", "/0/pub/poem.txt", nil, false, false},
		{"bytes", "/9/pub/poem.bin", []gophertest.Option{gophertest.Plain(), gophertest.NoDot()}, true, false},
		{"counted", "/0/pub/poem.txt%09%09+", []gophertest.Option{gophertest.OneTab()}, false, true},
		{"by dot, over TLS", "/9/pub/poem.bin%09%09+", []gophertest.Option{gophertest.Lengths(gophertest.ByDot), gophertest.TLS()}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := gophertest.NewServer(files, c.opts...)
			defer server.Close()
			faulty := func(do gophertest.Action) func(t *testing.T) *url.URL {
				return func(t *testing.T) *url.URL {
					s := gophertest.NewServer(files, append(c.opts, gophertest.Faults(gophertest.Fault{After: 100_000, Do: do}))...)
					t.Cleanup(s.Close)
					return parse(t, s.URL+c.path)
				}
			}
			target := conformance.Target{
				Fetcher:     &gopher.Fetcher{TLS: &tls.Config{RootCAs: server.Roots()}},
				Document:    parse(t, server.URL+c.path),
				Content:     content,
				Unconfirmed: c.unconfirmed,
				Missing:     parse(t, server.URL+"/0/pub/nope"),
				Directory:   parse(t, server.URL+"/1/pub"),
				Stalled:     faulty(gophertest.Stall),
			}
			if c.cut {
				target.Cut = faulty(gophertest.Cut)
			}
			conformance.Run(t, target)
		})
	}
}

// A filled-in form is fetched like any other resource.
func TestConformanceOfForms(t *testing.T) {
	server := gophertest.NewServer(files, gophertest.Form("form", []string{"Ask: Name?"}, func(lines []string) string { return string(content) }))
	defer server.Close()
	conformance.Run(t, conformance.Target{
		Fetcher:  new(gopher.Fetcher),
		Document: parse(t, server.URL+"/0/form%09%09+%091%0D%0A+-1%0D%0AAl%0D%0A.%0D%0A"),
		Content:  content,
	})
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestTree(t *testing.T) {
	files := fstest.MapFS{
		"pub/poem.txt":     {Data: content[:93], ModTime: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)},
		"pub/poem.bin":     {Data: content[:95]},
		"pub/deep/a/b.txt": {Data: []byte("b\r\n")},
	}
	sub, err := fs.Sub(files, "pub")
	if err != nil {
		t.Fatal(err)
	}
	for name, opts := range map[string][]gophertest.Option{"Gopher+": nil, "plain": {gophertest.Plain()}} {
		t.Run(name, func(t *testing.T) {
			server := gophertest.NewServer(files, opts...)
			defer server.Close()
			conformance.Tree(t, new(gopher.Fetcher), parse(t, server.URL+"/1/pub"), sub)
		})
	}
}
