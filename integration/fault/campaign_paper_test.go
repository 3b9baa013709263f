package fault_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

// paper has the names of all the faults that we know servers to have, one a line.
//
//go:embed testdata/cases.txt
var paper string

// waived are the faults on paper that are not in the campaign.
var waived = map[string]string{
	"f-list-ansi":      "what a terminal shows is the command's, which escapes it for every protocol: testdata/script/ls.txt",
	"g-text-ansi":      "the same, of a text: cmd/fetch/escape_test.go",
	"f-mirror-symlink": "no directory is ever mirrored",
	"f-mirror-loop":    "no directory is ever mirrored",
}

// TestPaper: every fault on paper is tried or waived, and not both.
func TestPaper(t *testing.T) {
	tried := make(map[string]bool)
	for _, group := range campaign {
		for _, trial := range group.trials {
			if tried[trial.id] {
				t.Errorf("two trials are called %s", trial.id)
			}
			tried[trial.id] = true
		}
	}
	names := strings.Fields(paper)
	for _, name := range names {
		if tried[name] == (waived[name] != "") {
			t.Errorf("%s: tried %v, waived because %q", name, tried[name], waived[name])
		}
	}
	for name := range waived {
		if !slices.Contains(names, name) {
			t.Errorf("%s is waived, and is not on paper", name)
		}
	}
}
