package manual

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// verbs are some of the command's, with texts for tests.
var verbs = []Verb{
	{"get", "fetch [flags] URL...", "Fetch URLs", "It fetches.\n\n.It also \"prints\", and knows ~ and \\."},
	{"ls", "fetch ls [flags] URL...", "List directories", "It lists."},
	{"info", "fetch info [flags] URL...", "Describe resources", "It asks."},
	{"parse", "fetch parse [flags] URL...", "Print parts of URLs", "It reads."},
	{"version", "fetch version", "Print the version", "It prints."},
}

// Each verb tells of each of its flags once, and of no other.
func TestFlagsOfVerbs(t *testing.T) {
	for _, v := range verbs {
		var told []string
		for _, s := range v.flags() {
			for _, i := range s.Items {
				_, name, _ := strings.Cut(i.Name, "--")
				name, _, _ = strings.Cut(name, " ")
				name, _, _ = strings.Cut(name, "[")
				told = append(told, name)
			}
		}
		var want []string
		for _, f := range option.Table() {
			if f.On(v.Name) {
				want = append(want, f.Name)
			}
		}
		if !slices.Equal(told, want) {
			t.Errorf("%s tells of %q, and has %q", v.Name, told, want)
		}
	}
	if got := verbs[4].flags(); len(got) != 1 || len(got[0].Items) != 1 || got[0].Items[0].Name != "-h, --help" {
		t.Errorf("a verb without flags has %v", got)
	}
}

// A flag appears as its row says.
func TestFlag(t *testing.T) {
	for name, want := range map[string]Item{
		"output":      {"-o, --output FILE", "write to FILE, once for each URL; - is standard output; fetch help names has {host}/{path}"},
		"output-dir":  {"--output-dir DIR", "put files into DIR, unless their name is absolute"},
		"mirror-url":  {"--mirror-url URL", "fetch the same from URL if the first fails; with a checksum, from both at once"},
		"header":      {"-H, --header NAME: VALUE|@FILE", "send the field NAME: VALUE; NAME: leaves it out, NAME; sends it empty (repeatable)"},
		"banner":      {"--banner[=N]", "write the first text of an interactive service, at most N bytes (65536 without a value)"},
		"fail":        {"-f, --fail", "deliver no body of an HTTP error (default)"},
		"retry":       {"--retry N", "try again at most N times after a failure that may pass, per 1 MiB or 5 % received (default 3)"},
		"ftp-method":  {"--ftp-method multicwd|singlecwd|nocwd", "change to a directory by a CWD for each segment, one, or none (default multicwd)"},
		"ftp-type":    {"--ftp-type a|i", "fetch files as text or as they are, if the URL has no type"},
		"max-time":    {"-m, --max-time SECONDS", "give up a URL after SECONDS; 0 is no limit"},
		"max-hits":    {"--max-hits N", "request at most N hits of a search (default 100)"},
		"continue-at": {"-C, --continue-at N|-", "fetch the bytes after the first N; - resumes a partial file, and keeps a whole one"},
		"silent":      {"-s, --silent", "write no messages, not even errors"},
	} {
		f, ok := option.Lookup(name)
		if got := (Item{syntax("", f), meaning(f)}); !ok || got != want {
			t.Errorf("--%s: %q, want %q", name, got, want)
		}
	}
}

// The help of flags has one form.
func TestFlagTexts(t *testing.T) {
	for _, f := range option.Table() {
		switch text := meaning(f); {
		case len(text) > 100:
			t.Errorf("--%s: %q is too long for a line", f.Name, text)
		case strings.HasSuffix(text, "."), text[0] < 'a' || text[0] > 'z':
			t.Errorf("--%s: %q is a sentence", f.Name, text)
		}
	}
}
