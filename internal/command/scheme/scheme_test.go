package scheme_test

import (
	"slices"
	"strings"
	"testing"

	fetch "github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/internal/command/scheme"
)

// The table has every scheme of the Registry, and no other. A scheme that is only named
// yields the words of the Registry for it.
func TestRowsAreTheSchemesOfTheRegistry(t *testing.T) {
	registry := fetch.Protocols(nil)
	var fetched []string
	for _, r := range scheme.Rows() {
		names, _, _ := strings.Cut(registry.Names(r.Scheme), ":") // advice follows
		if names == "" {
			fetched = append(fetched, r.Scheme)
		} else if !strings.HasSuffix(r.Yields, names) {
			t.Errorf("%s yields %q, and names %q", r.Scheme, r.Yields, names)
		}
	}
	slices.Sort(fetched)
	if want := registry.Schemes(); !slices.Equal(fetched, want) {
		t.Errorf("the table has %q, the Registry %q", fetched, want)
	}
}
