package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newCommand() *cobra.Command {
	return (&app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}).command()
}

// TestFlagGroups: each flag of each command has one place in the manual.
func TestFlagGroups(t *testing.T) {
	var told []string
	for _, g := range flagGroups {
		told = append(told, strings.Fields(g.names)...)
	}
	seen := make(map[string]bool)
	root := newCommand()
	for _, c := range append(root.Commands(), root) {
		c.Flags().VisitAll(func(f *pflag.Flag) { seen[f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { seen[f.Name] = true })
	}
	for name := range seen {
		if !slices.Contains(told, name) {
			t.Errorf("--%s is in no group", name)
		}
	}
	slices.Sort(told)
	for i, name := range told {
		if i > 0 && told[i-1] == name {
			t.Errorf("--%s is in two groups", name)
		}
		if !seen[name] {
			t.Errorf("--%s is no flag", name)
		}
	}
}

// TestFlagTexts: what flags say of themselves has one form.
func TestFlagTexts(t *testing.T) {
	newCommand().Flags().VisitAll(func(f *pflag.Flag) {
		text := meaning(f)
		switch {
		case len(text) > 100:
			t.Errorf("--%s: %q is too long for a line", f.Name, text)
		case strings.HasSuffix(text, "."), text[0] < 'a' || text[0] > 'z':
			t.Errorf("--%s: %q is a sentence", f.Name, text)
		case f.Value.Type() != "bool" && f.Value.Type() != "word" && !strings.Contains(f.Usage, "`"):
			t.Errorf("--%s: its value has no name in %q", f.Name, f.Usage)
		}
	})
}

// TestExitCodes: the manual has every exit status that there is, and no other.
func TestExitCodes(t *testing.T) {
	source, err := os.ReadFile("status.go")
	if err != nil {
		t.Fatal(err)
	}
	used := []string{"0"}
	for _, m := range regexp.MustCompile(`return (\d+), `).FindAllStringSubmatch(string(source), -1) {
		if !slices.Contains(used, m[1]) {
			used = append(used, m[1])
		}
	}
	var told []string
	for _, topic := range topics {
		if topic.name == "exit-codes" {
			for _, i := range topic.items {
				told = append(told, i.name)
			}
		}
	}
	slices.Sort(used)
	slices.Sort(told)
	if !slices.Equal(used, told) {
		t.Errorf("the manual tells of %q, there are %q", told, used)
	}
}

// TestManPages: a man page has all flags of its command, and its text has no requests
// to roff that are not meant.
func TestManPages(t *testing.T) {
	line := regexp.MustCompile(`^(\.(TH|SH|SS|B) ".*|\.(TP|PP|br)|[^.'].*|)$`)
	escape := regexp.MustCompile(`\\(e|-|&|\(ha|\(ti|\(dq)`)
	root := newCommand()
	for _, c := range append(root.Commands(), root) {
		page := manPage(c)
		for l := range strings.Lines(page) {
			l = strings.TrimSuffix(l, "\n")
			if !line.MatchString(l) || strings.Contains(escape.ReplaceAllString(l, ""), `\`) {
				t.Errorf("%s: %q", c.Name(), l)
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if want := escapedRoff("--" + f.Name); !strings.Contains(page, want) {
				t.Errorf("%s: no %s", c.Name(), want)
			}
		})
	}
	if got := escapedRoff(`.a \b 'c'`); got != `\&.a \eb 'c'` {
		t.Errorf("a line that begins with a dot is %q", got)
	}
}

// TestPlainText: help fits the width it is given.
func TestPlainText(t *testing.T) {
	root := newCommand()
	for _, width := range []int{40, 80, 200} {
		for _, c := range append(root.Commands(), root) {
			for l := range strings.Lines(plainText(commandHelp(c), width)) {
				// What is typed is not broken.
				typed := regexp.MustCompile(`^ *(-|fetch )|^ *\S*\n$`).MatchString(l)
				if len(l)-1 > min(width, measure) && !typed {
					t.Errorf("%s, at %d columns: %q", c.Name(), width, l)
				}
			}
		}
	}
	got := plainText([]section{{title: "Flags", prose: "one two three", items: []item{{"--ab FILE", "four five six"}, {"-c", "seven"}}}}, 70)
	want := "Flags:\n  one two three\n\n" +
		"      --ab FILE                   four five six\n" +
		"  -c                              seven\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
