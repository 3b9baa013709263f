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

Messages:
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
			"Commands:\n  ls       List directories\n  info     Describe resources\n  parse    Print parts of URLs\n  version  Print the version\n\n" +
			"Output:\n  -o, --output FILE ",
		"\nMore:\n  fetch help examples     command lines for common tasks\n  fetch help exit-codes   the meaning of each exit status\n",
		"  fetch help COMMAND      the purpose and the flags of a command\n",
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

// The short help fits a terminal of 80 columns and 25 lines.
func TestShort(t *testing.T) {
	text := PlainText(Short(verbs), 80)
	if n := strings.Count(text, "\n"); n > 25 {
		t.Errorf("%d lines:\n%s", n, text)
	}
	for _, used := range mostUsed {
		if !strings.Contains(text, "--"+used.Name+" ") {
			t.Errorf("no --%s in\n%s", used.Name, text)
		}
	}
}

// A word is that of a flag, or a part of its name.
func TestAboutFlags(t *testing.T) {
	for word, want := range map[string]string{
		"O": "remote-name", "--retry": "retry retry-delay retry-max-time retry-connrefused retry-all-errors",
		"config": "config ssh-config no-config", "cacert": "cacert proxy-cacert", "insecure": "insecure proxy-insecure",
	} {
		sections, ok := About(word, verbs)
		var got []string
		for _, i := range sections[0].Items {
			_, name, _ := strings.Cut(i.Name, "--")
			name, _, _ = strings.Cut(name, " ")
			got = append(got, name)
		}
		if !ok || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	for word, title := range map[string]string{
		"ls": "", "version": "", "all": "", "files": "Files", "exit-codes": "Exit status",
		"tls": "TLS", "network": "Network", "user": "Flags",
	} {
		if sections, ok := About(word, verbs); !ok || sections[0].Title != title {
			t.Errorf("%s: %v, %v", word, sections, ok)
		}
	}
	for _, word := range []string{"", "-", "--", "get", "fetch", "man", "nonsense", "LS"} {
		if _, ok := About(word, verbs); ok {
			t.Errorf("there is help about %q", word)
		}
	}
}
