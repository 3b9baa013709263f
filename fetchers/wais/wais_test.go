package wais_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/url"
)

func TestConformance(t *testing.T) {
	for name, opts := range map[string][]waistest.Option{
		"freeWAIS":     nil,
		"the standard": {waistest.Standard(), waistest.NoCatalog("garden"), waistest.Wide()},
		"little room":  {waistest.Room(1500)},
		"bytes":        {waistest.Faults(waistest.Fault{Command: waistest.Search, Do: waistest.Slow})},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, opts...)
			conformance.Run(t, conformance.Target{
				Fetcher:   new(wais.Fetcher),
				Document:  place(t, server, "garden", "TEXT", "0 0 /wais/docs/apple.txt"),
				Content:   content,
				Missing:   place(t, server, "garden", "TEXT", "0 0 /wais/docs/nothing.txt"),
				Directory: parse(t, server.URL+"/garden?orchard"),
				Stalled: func(t *testing.T) *url.URL {
					return place(t, faulty(t, waistest.Stall, opts), "garden", "TEXT", "0 0 /wais/docs/apple.txt")
				},
				Cut: func(t *testing.T) *url.URL {
					return place(t, faulty(t, waistest.Cut, opts), "garden", "TEXT", "0 0 /wais/docs/apple.txt")
				},
			})
		})
	}
}

// TestTree reads the hits of a search, whose names are their headlines.
func TestTree(t *testing.T) {
	bees := files["garden/bees.txt"].Data
	server := waistest.NewServer(fstest.MapFS{"garden/bees.txt": {Data: bees, ModTime: when}})
	defer server.Close()
	conformance.Tree(t, new(wais.Fetcher), parse(t, server.URL+"/garden?bees"), fstest.MapFS{"Keeping bees": {Data: bees}})
}

// faulty starts a server with a fault in the third chunk.
func faulty(t *testing.T, do waistest.Action, opts []waistest.Option) *waistest.Server {
	return serve(t, append(slices.Clone(opts), waistest.Faults(waistest.Fault{Command: waistest.Retrieve, After: 3, Do: do}))...)
}

// A URL that cannot be requested is refused before any byte is sent.
func TestNothingIsInjected(t *testing.T) {
	server := serve(t)
	f := new(wais.Fetcher)
	for _, path := range []string{
		"/db%0D%0A", "/a%1Fb?x", "/a%1E", "/db?a%00b", "/db?a%09b", "/db?a%0Ab", "/db/TE%1FXT/x", "/db/%00/x", "/db/,TEXT/x", "/db/TEXT", "/db/TEXT/", "/", "",
		"/" + strings.Repeat("d", 256), "/db?" + strings.Repeat("w", 9000), "/db/TEXT/" + strings.Repeat("i", 65537), "/db/" + strings.Repeat("T", 256) + "/x",
	} {
		_, err := f.Fetch(context.Background(), &fetchers.Request{URL: parse(t, server.URL+path)})
		var malformed *url.Error
		if !errors.As(err, &malformed) {
			t.Errorf("%.40s: %v, want a malformed URL", path, err)
		}
	}
	if n := server.Connections(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// A Trace shows the conversation.
func TestTrace(t *testing.T) {
	server := serve(t)
	var told []string
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{
		Sent: func(_ context.Context, line string) { told = append(told, "> "+line) },
		Got:  func(_ context.Context, line string) { told = append(told, "< "+line) },
	})
	f := new(wais.Fetcher)
	defer f.CloseIdle()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: place(t, server, "garden", "TEXT", "0 0 /wais/docs/bees.txt")})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	want := []string{
		"> Init: messages of up to 100000 bytes",
		"< InitResponse: accepted true, messages of up to 100000 bytes, WT waistest 1",
		`> Search "garden": bytes 0 to 9999 of a document of type TEXT`,
		"< SearchResponse: 58 bytes of text, diagnostic SF Request out of range",
	}
	if !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
}
