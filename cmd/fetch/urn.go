package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers/urn"
)

// urnFlags say where things are whose names do not say it.
type urnFlags struct{ table urn.Table }

func (f *urnFlags) add(flags *pflag.FlagSet) {
	flags.Var(f, "urn", "`BEGINNING=URL`: resolve names; {nss} or {urn} in URL is the name; * begins any")
}

// Set adds an entry.
func (f *urnFlags) Set(entry string) error {
	if f.table == nil {
		f.table = urn.Table{}
	}
	return f.table.Add(entry)
}

func (f *urnFlags) String() string {
	var entries []string
	for _, beginning := range slices.Sorted(maps.Keys(f.table)) {
		entries = append(entries, fmt.Sprintf("%s=%s", beginning, f.table[beginning]))
	}
	return strings.Join(entries, " ")
}

func (f *urnFlags) Type() string { return "entry" }
