package scheme_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	fetch "github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/scheme"
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

// The table of the README has the same schemes in the same order. A row there says of
// several schemes at once what the first of them yields.
func TestRowsAreThoseOfTheREADME(t *testing.T) {
	text, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| scheme |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := scheme.Rows()
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(line, " | ")
		schemes := strings.Split(strings.Trim(cells[0], "| "), ", ")
		for i, s := range schemes {
			if len(rows) == 0 || s != "`"+rows[0].Scheme+"`" {
				t.Fatalf("the README goes on with %s, and fetch schemes with %v", s, rows)
			}
			if yields := strings.ReplaceAll(cells[1], "`", ""); i == 0 && yields != rows[0].Yields {
				t.Errorf("%s yields %q in the README, and %q in fetch schemes", s, yields, rows[0].Yields)
			}
			rows = rows[1:]
		}
	}
	if len(rows) > 0 {
		t.Errorf("the README does not have %v", rows)
	}
}
