package manual

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
)

var (
	longFlag  = regexp.MustCompile(`--([a-z][a-z0-9.-]+)`)
	shortFlag = regexp.MustCompile(` -([A-Za-z]) `)
)

// The topics name no flag that does not exist.
func TestTopicsNameFlags(t *testing.T) {
	var letters []string
	for _, f := range option.Table() {
		letters = append(letters, f.Short)
	}
	n := 0
	for _, topic := range Topics() {
		for _, i := range append(topic.Items, Item{Text: topic.Prose}) {
			if i.Name == "fetch help man | man -l -" { // -l is of man(1)
				continue
			}
			for _, text := range []string{i.Name, i.Text} {
				for _, m := range longFlag.FindAllStringSubmatch(text, -1) {
					n++
					if _, ok := option.Lookup(m[1]); !ok {
						t.Errorf("%s: there is no flag --%s", topic.Name, m[1])
					}
				}
				for _, m := range shortFlag.FindAllStringSubmatch(text, -1) {
					if jq := i.Name == "fetch ls --json URL | jq -r .url"; !jq && !slices.Contains(letters, m[1]) {
						t.Errorf("%s: there is no flag -%s", topic.Name, m[1])
					}
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("the topics name %d flags, which is too few to be all", n)
	}
}

// Each topic has a name, and each item of it a meaning.
func TestTopics(t *testing.T) {
	seen := make(map[string]bool)
	for _, topic := range Topics() {
		if seen[topic.Name] || topic.Name == "" || topic.Short == "" || topic.Title == "" || len(topic.Items) == 0 {
			t.Errorf("%s: %q", topic.Name, topic.Short)
		}
		seen[topic.Name] = true
		for _, i := range topic.Items {
			if i.Name == "" || i.Text == "" {
				t.Errorf("%s: %q means %q", topic.Name, i.Name, i.Text)
			}
		}
	}
}

// The manual has every exit status.
func TestExitCodes(t *testing.T) {
	items := exitCodes().Items
	for i, e := range record.ExitCodes() {
		if items[i].Name != strconv.Itoa(e.Code) || items[i].Text != e.Means {
			t.Errorf("%q, want %v", items[i], e)
		}
	}
}
