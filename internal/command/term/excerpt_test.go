package term

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An excerpt has a few lines of a text, and no end that looks whole and is none.
func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"no text", "", nil},
		{"nothing but empty lines", "\r\n \n", nil},
		{"a line", "no such thing\n", []string{"no such thing"}},
		{"a line without an end", "no such thing", []string{"no such thing"}},
		{"JSON", "{\r\n\t\"error\": 7\r\n}\r\n", []string{"{", "  \"error\": 7", "}"}},
		{"five lines", "1\n\n2\n3\n4\n5\n\n", []string{"1", "2", "3", "4", "5"}},
		{"six lines", "1\n2\n3\n4\n5\n6\n", []string{"1", "2", "3", "4", "5", "…"}},
		{"a long line", strings.Repeat("x", 401), []string{strings.Repeat("x", 400), "…"}},
		{"a long line whose end is within a character", strings.Repeat("x", 398) + "日本", []string{strings.Repeat("x", 398), "…"}},
		{"octets that are no UTF-8", strings.Repeat("\xbf", 401), []string{strings.Repeat("\xbf", 400), "…"}},
	} {
		err := fmt.Errorf("fetch: %w", &fetchers.StatusError{Excerpt: c.text})
		if got := excerpt(err); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
