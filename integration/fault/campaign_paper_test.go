package fault_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

// paper lists the known faults of servers, one a line: the name of its case, a colon, and
// the behaviour of the server.
//
//go:embed testdata/cases.txt
var paper string

// waived has the listed faults that are not in the campaign.
var waived = map[string]string{
	"a listing with a terminal sequence":                "the command escapes a name for the terminal, for every protocol: testdata/script/ls.txt",
	"a gopher text with a terminal sequence":            "the same, of a text: cmd/fetch/escape_test.go",
	"a listing with a link and a directory of one name": "no directory is ever mirrored",
	"directories without end":                           "no directory is ever mirrored",
}

// Every listed fault is tried or waived, and not both. A trial that is not listed has the behaviour
// of its server in its field does.
func TestEachListedFaultIsTriedOrWaived(t *testing.T) {
	seen, tried := make(map[string]bool), make(map[string]bool) // all, and those on paper
	for _, group := range campaign {
		for _, trial := range group.trials {
			if seen[trial.name] {
				t.Errorf("two trials are called %s", trial.name)
			}
			seen[trial.name] = true
			if trial.does == "" {
				tried[trial.name] = true
			}
		}
	}
	var names []string
	for line := range strings.Lines(paper) {
		name, does, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || does == "" {
			t.Errorf("%q does not say what the server does", name)
		}
		names = append(names, name)
		if tried[name] == (waived[name] != "") {
			t.Errorf("%s: tried %v, waived because %q", name, tried[name], waived[name])
		}
	}
	for name := range tried {
		if !slices.Contains(names, name) {
			t.Errorf("%s: nothing says what the server does", name)
		}
	}
	for name := range waived {
		if !slices.Contains(names, name) {
			t.Errorf("%s is waived, and is not on paper", name)
		}
	}
}
