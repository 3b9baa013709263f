package manual

import (
	"regexp"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// Help fits the width that it is given, but for single words and for names of items.
func TestPlainText(t *testing.T) {
	word := regexp.MustCompile(`^ *\S*\n$`)
	names := make(map[string]bool)
	for _, width := range []int{40, 80, 200} {
		all := [][]Section{Help(verbs[0], verbs), Help(verbs[1], verbs)}
		for _, topic := range Topics() {
			all = append(all, []Section{topic.Section})
		}
		for _, sections := range all {
			for _, s := range sections {
				for _, i := range s.Items {
					names[i.Name] = true
				}
			}
			for l := range strings.Lines(PlainText(sections, width)) {
				if term.Width(l) > min(width, measure) && !word.MatchString(l) && !names[strings.TrimSpace(l)] {
					t.Errorf("at %d columns: %q", width, l)
				}
			}
		}
	}
}

func TestPlainTextOfSections(t *testing.T) {
	long := strings.Repeat("x", 33)
	for _, c := range []struct {
		section Section
		width   int
		want    string
	}{
		{Section{}, 0, ""},
		{Section{Title: "None"}, 0, ""},
		{Section{Prose: "one two\n\nthree"}, 5, "one\ntwo\nthree\n"},
		{
			Section{"Flags", "one two three", []Item{{"--ab FILE", "four five six"}, {"-c", "seven"}}}, 70,
			"Flags:\n  one two three\n\n" +
				"      --ab FILE                   four five six\n" +
				"  -c                              seven\n",
		},
		{Section{Title: "Flags", Items: []Item{{"--ab FILE", "four five"}}}, 20, "Flags:\n      --ab FILE\n        four five\n"},
		{Section{Title: "T", Items: []Item{{long, "one"}, {"a", "two"}, {"b", ""}}}, 80, "T:\n  " + long + "\n     one\n  a  two\n  b\n"},
		{Section{Title: "T", Items: []Item{{long, "one"}, {"a", "two"}}}, 0, "T:\n  " + long + "  one\n  a" + strings.Repeat(" ", 34) + "two\n"},
		{Section{Title: "T", Items: []Item{{"", "two"}}}, 0, "T:\n    two\n"},
	} {
		if got := PlainText([]Section{c.section}, c.width); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
