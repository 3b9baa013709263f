package dict_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/dict"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/dicttest"
	"github.com/seed1ea3422f/fetch/url"
)

func TestScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/dict/*.txt", func() fetchers.Fetcher { return new(dict.Fetcher) })
}

func TestConformance(t *testing.T) {
	server := dicttest.New(t, files, dicttest.Faults(
		dicttest.Fault{Path: "wn/stall", After: 1000, Do: dicttest.Stall},
		dicttest.Fault{Path: "wn/cut", After: 1000, Do: dicttest.Cut}))
	conformance.Run(t, conformance.Target{
		Fetcher:   new(dict.Fetcher),
		Document:  parse(t, server.URL+"/d:gold:wn"),
		Content:   []byte("From WordNet [wn]:\r\n\r\n" + gold),
		Missing:   parse(t, server.URL+"/d:lead:wn"),
		Directory: parse(t, server.URL+"/m:go:*:prefix"),
		Stalled:   func(t *testing.T) *url.URL { return parse(t, server.URL+"/d:stall:wn") },
		Cut:       func(t *testing.T) *url.URL { return parse(t, server.URL+"/d:cut:wn") },
	})
}

var gold = strings.Repeat("all that glitters is not gold\r\n", 10_000)

var files = fstest.MapFS{
	"wn/00-database-short": {Data: []byte("WordNet")},
	"wn/gold":              {Data: []byte(gold)},
	"wn/stall":             {Data: []byte(gold)},
	"wn/cut":               {Data: []byte(gold)},
}

func parse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
