package manual

import (
	"strings"
	"testing"
)

// The help of a verb has its usage and its flags.
func TestHelp(t *testing.T) {
	got := PlainText(Help(verbs[4], verbs), 0)
	want := `Print the version.

Usage:
  fetch version

It prints.

What is said:
  -h, --help                      print the help of the command
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The help of the command has the verbs in order, the flags and the topics.
func TestHelpOfCommand(t *testing.T) {
	text := PlainText(Help(verbs[0], verbs), 0)
	for _, part := range []string{
		"Fetch URLs.\n\nUsage:\n  fetch [flags] URL...\n  fetch COMMAND [flags] [ARG...]\n\n" +
			"Commands:\n  ls       List directories\n  info     Say what URLs name\n  parse    Say how URLs are understood\n  version  Print the version\n\n" +
			"Where it goes:\n  -o, --output FILE ",
		"\nMore:\n  fetch help examples     what to type\n  fetch help exit-codes   what the exit status means\n",
		"  fetch help COMMAND      what a command does, and its flags\n",
	} {
		at := strings.Index(text, part)
		if at < 0 {
			t.Fatalf("no\n%s\nin\n%s", part, text)
		}
		text = text[at+len(part):]
	}
	if text != "" {
		t.Errorf("more follows: %q", text)
	}
}

func TestAbout(t *testing.T) {
	for word, title := range map[string]string{"ls": "", "version": "", "files": "Files", "exit-codes": "Exit status"} {
		if sections, ok := About(word, verbs); !ok || sections[0].Title != title {
			t.Errorf("%s: %v, %v", word, sections, ok)
		}
	}
	for _, word := range []string{"", "get", "fetch", "man", "nonsense", "LS"} {
		if _, ok := About(word, verbs); ok {
			t.Errorf("there is help about %q", word)
		}
	}
}
