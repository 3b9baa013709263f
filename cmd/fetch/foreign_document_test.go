package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// An option of another program that fetch does not have ends the command with its hint, and no
// server gets a request.
func TestForeignOptionsAskNoServer(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	letters := make(map[string]bool)
	for _, f := range option.Table() {
		letters[f.Short] = letters[f.Short] || f.On(option.Root)
	}
	for _, f := range foreignOptions() {
		if f.State == option.Accepted || f.State == option.Needless {
			continue
		}
		var typed []string
		if f.State != option.Same && f.State != option.Differs {
			typed = append(typed, "--"+f.Name)
		}
		if f.Short != "" && !letters[f.Short] {
			typed = append(typed, "-"+f.Short)
		}
		for _, line := range typed {
			args := []string{line}
			if f.Value {
				args = append(args, "http://joe:s3cret@127.0.0.1:1/")
			}
			status, stdout, stderr := command(append(args, server.URL)...)
			if want := "fetch: " + line + ": "; status != 2 || stdout != "" || !strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%q: status %d, %q, want 2 and a line that begins with %q", args, status, stdout+stderr, want)
			}
			if f.Text != "" && !strings.HasSuffix(stderr, f.Text+"\n") {
				t.Errorf("%q: %q does not end with the reason %q", args, stderr, f.Text)
			}
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the server was asked %d times", n)
	}
}

// foreignOptions returns the options of all other programs.
func foreignOptions() (all []option.Foreign) {
	for _, p := range option.Programs() {
		all = append(all, p.Options...)
	}
	return all
}

// TestOptionsDocuments: docs/curl-options.md and its like are the tables of the options of other
// programs. With -args -write the test writes them.
func TestOptionsDocuments(t *testing.T) {
	for _, p := range option.Programs() {
		name := "../../docs/" + p.Name + "-options.md"
		want := optionsDocument(p)
		if *write {
			if err := os.WriteFile(name, want, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date (%v): go test ./cmd/fetch -run OptionsDocuments -args -write", name, err)
		}
	}
}

const optionsHead = `# The options of %s

This page is written by a test from the table in the command. The test fails if the page is out of
date:

    go test ./cmd/fetch -run OptionsDocuments -args -write

It has every option of %s. An option that fetch does not have is an error with the text of
this page, before a request. [The page about curl and wget](curl-and-wget.md) has whole
commands, and the deliberate differences.

- **same**: fetch has it under the same name. A value is there, or not, as for %s.
- **taken**: fetch takes it for other flags that do the same.
- **other name**: another flag does it.
- **no flag**: fetch does so by itself; the option is taken, and does nothing.
- **other use**: fetch has a flag of this name for something else.
- **mirror**: a flag of fetch mirror, and of no other command.
- **refused**: fetch does not do it.

`

// versionsOf has the end of the introduction of each table: the version of the program, and the
// options that the table leaves out.
var versionsOf = map[string]string{
	"curl":   "curl up to version 8.17",
	"wget":   "wget 1.21 and wget2 2.1, except those in [the table of curl](curl-options.md) and those about WARC",
	"aria2c": "aria2c 1.37, except those in the tables of [curl](curl-options.md) and [wget](wget-options.md) and those about BitTorrent and remote control",
}

func optionsDocument(p option.Program) []byte {
	letters := make(map[string]option.Flag)
	for _, f := range option.Table() {
		if f.On(option.Root) {
			letters[f.Short] = f
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, optionsHead, p.Name, versionsOf[p.Name], p.Name)
	count := make(map[string]int)
	for _, f := range p.Options {
		count[stateOf(f)]++
	}
	b.WriteString("| state | options |\n|---|---|\n")
	for _, s := range []string{"same", "taken", "other name", "no flag", "other use", "mirror", "refused"} {
		fmt.Fprintf(&b, "| %s | %d |\n", s, count[s])
	}
	fmt.Fprintf(&b, "\n| %s | here | |\n|---|---|---|\n", p.Name)
	for _, f := range p.Options {
		name := "`--" + f.Name + "`"
		if f.Short != "" {
			name = "`-" + f.Short + "`, " + name
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, stateOf(f), remark(f, letters[f.Short]))
	}
	return b.Bytes()
}

// stateOf returns the state of an option, in the words of the document.
func stateOf(f option.Foreign) string {
	switch {
	case f.State == option.Same:
		return "same"
	case f.State == option.Accepted:
		return "taken"
	case f.State == option.Renamed:
		return "other name"
	case f.State == option.Needless:
		return "no flag"
	case f.State == option.Differs:
		return "other use"
	case f.State == option.OfMirror:
		return "mirror"
	default:
		return "refused"
	}
}

var codeInText = regexp.MustCompile(`(^|[ ;])(-[-\w.=#]+)`)

// remark returns the text of an option as Markdown. byLetter is the flag of fetch that has the same
// letter.
func remark(f option.Foreign, byLetter option.Flag) string {
	var notes []string
	text := f.Text
	if f.State == option.Renamed || f.State == option.Accepted {
		what, note, _ := strings.Cut(text, "; ")
		notes, text = append(notes, "`"+what+"`"), note
	}
	if text != "" {
		notes = append(notes, codeInText.ReplaceAllString(text, "$1`$2`"))
	}
	if ours, _ := option.Lookup(f.Name); f.State == option.Same && ours.Default() != "" && ours.Value != "" {
		notes = append(notes, "`"+ours.Default()+"` by default")
	} else if f.State == option.Same && ours.Default() != "" {
		notes = append(notes, "on by default")
	}
	switch {
	case f.Short == "":
	case byLetter.Name == "" && f.State == option.Same:
		notes = append(notes, "without the letter")
	case byLetter.Name != "" && byLetter.Name != f.Name:
		notes = append(notes, "`-"+f.Short+"` is `--"+byLetter.Name+"` here")
	}
	return strings.Join(notes, "; ")
}

// Each difference from curl in docs/curl-and-wget.md has a reason, and names tests or scripts
// that show it. TestDocumentsNameExistingFiles looks for them.
func TestDifferencesHaveTests(t *testing.T) {
	_, section, found := strings.Cut(readDocument(t, "docs/curl-and-wget.md"), "\n## Deliberate differences\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| fetch | because |") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 3 || cells[1] == "" {
			t.Errorf("not a difference, a reason and its tests: %s", line)
			continue
		}
		for shown := range strings.FieldsSeq(cells[2]) {
			if !shownBy.MatchString(shown) && !scripted.MatchString(shown) {
				t.Errorf("neither a test nor a script: %s, in %s", shown, line)
			}
		}
	}
	if !found || rows < 20 {
		t.Errorf("%d differences", rows)
	}
}
