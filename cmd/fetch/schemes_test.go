package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch"
)

// The table shows what the Registry knows, and nothing else.
func TestSchemesAreThoseOfTheRegistry(t *testing.T) {
	registry := fetch.Protocols(nil)
	var fetched []string
	for _, r := range schemeRows {
		names, _, _ := strings.Cut(registry.Names(r.scheme), ":") // what to do about it follows
		if names == "" {
			fetched = append(fetched, r.scheme)
		} else if !strings.HasSuffix(r.yields, names) {
			t.Errorf("%s yields %q, and names %q", r.scheme, r.yields, names)
		}
	}
	slices.Sort(fetched)
	if want := registry.Schemes(); !slices.Equal(fetched, want) {
		t.Errorf("the table has %q, the Registry %q", fetched, want)
	}
}
