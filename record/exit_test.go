package record

import (
	"slices"
	"strings"
	"testing"
)

// TestExitCodes: the manual prints the table as it is.
func TestExitCodes(t *testing.T) {
	codes := ExitCodes()
	if !slices.IsSortedFunc(codes, func(a, b ExitCode) int { return a.Code - b.Code }) {
		t.Error("the codes are not in ascending order")
	}
	seen := make(map[int]bool)
	for _, e := range codes {
		if seen[e.Code] {
			t.Errorf("%d is there twice", e.Code)
		}
		seen[e.Code] = true
		if e.Means == "" || strings.HasSuffix(e.Means, ".") {
			t.Errorf("%d: %q is no phrase", e.Code, e.Means)
		}
	}
	for _, r := range rules {
		if !seen[r.exit] {
			t.Errorf("%s has the exit status %d, which is not in the table", r.class, r.exit)
		}
		if !slices.Contains(Classes(), r.class) {
			t.Errorf("%s is not among the classes", r.class)
		}
	}
}
